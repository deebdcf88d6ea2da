import { useRef, useState } from 'react';
import { hashBody } from '../../form/backends/hash.ts';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { same } from '../../form/values.ts';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { useChain } from './chain.ts';
import { formWords } from './form-words.ts';
import { AuthenticatorFields } from './forms/AuthenticatorFields.tsx';
import { bodyFrom, valuesFrom } from './forms/standards.ts';
import { bodyFor, type KindId } from './kinds.ts';

export function AuthenticatorSettings({ id }: { id: KindId }) {
  const ask = useHashQuestion(id);
  const { endpoints } = useChain();
  const [save] = useState(() => ({ ...endpoints.update, body: bodyFor(id) }));
  return (
    <SettingsForm
      load={endpoints.get}
      save={save}
      params={{ id }}
      words={formWords}
      fromAnswer={(answer) => {
        ask.stored(answer);
        return valuesFrom(id, answer);
      }}
      toBody={(values) => bodyFrom(id, values)}
      ask={ask.may}
      refresh={[endpoints.list, endpoints.status]}
    >
      <AuthenticatorFields id={id} />
    </SettingsForm>
  );
}

type Values = Record<string, unknown>;
const HASH = 'password_hash_algorithm';

/** The passwords of built-in users are stored in one way: another one does not fit those that exist. */
function useHashQuestion(id: KindId) {
  const w = useWords(formWords);
  const before = useRef<Values>({});
  const builtIn = id === 'password_based:built_in_database';
  return {
    stored: (answer: Values) => {
      before.current = answer;
    },
    may: async (body: unknown): Promise<boolean> => {
      if (!builtIn) return true;
      const now = body as Values;
      const made = (values: Values) => {
        const hash = hashBody(values[HASH], true) as Values;
        // More rounds make new hashes only: what exists says itself how it was made.
        return { ...hash, salt_rounds: undefined };
      };
      const otherHash = !same(made(before.current), made(now));
      const otherId = before.current.user_id_type !== now.user_id_type;
      if (!otherHash && !otherId) return true;
      return confirm({
        title: w.hashAskTitle,
        text: [...(otherHash ? [w.hashAskText] : []), ...(otherId ? [w.idAskText] : [])].join(' '),
        action: w.hashAskAction,
        danger: true,
      });
    },
  };
}
