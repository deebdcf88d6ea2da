import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import { useState } from 'react';
import { FormDrawer } from '../../../form/FormDrawer.tsx';
import { Text } from '../../../form/fields.tsx';
import { useWords } from '../../../i18n/words.ts';
import { toast } from '../../../ui/toast.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { OWNERS, type Owner, type OwnerKind } from './owners.ts';
import { RulesField } from './RulesField.tsx';
import { NEW_RULE } from './rule-choices.ts';
import { permissionWords as words } from './words.ts';

/** Writes the rules of a client id or a username; `owner` = of one that has some. */
export function OwnerForm({
  kind,
  owner,
  opened,
  onClose,
}: {
  kind: OwnerKind;
  owner: Owner | undefined;
  opened: boolean;
  onClose: () => void;
}) {
  const w = useWords(words);
  const { key, list, create, update } = OWNERS[kind];
  const [initial] = useState(() => ({ [key]: owner?.name ?? '', rules: owner?.rules ?? [NEW_RULE] }));
  const name = visibleText(owner?.name ?? '');
  const title = owner ? w.editOf({ name }) : kind === 'clients' ? w.addClient : w.addUser;
  return (
    <FormDrawer<Endpoint>
      title={title}
      opened={opened}
      onClose={onClose}
      endpoint={owner ? update : create}
      params={owner ? { [key]: owner.name } : undefined}
      // Several could be added in one call; this form adds one.
      list={owner ? undefined : { item: update.body, with: async (item) => [item] }}
      initial={initial}
      words={words}
      refresh={[list]}
      faultOf={({ status, code }) =>
        status === 409 || code === 'ALREADY_EXISTS' ? { field: key, text: w.exists } : undefined
      }
      onDone={(_, body) =>
        toast('good', w.saved({ name: visibleText((body as Record<string, string>)[key] ?? '') }))
      }
    >
      <Text name={key} required mono disabled={owner !== undefined} />
      <RulesField name="rules" />
    </FormDrawer>
  );
}
