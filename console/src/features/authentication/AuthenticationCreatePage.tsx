import { WITH_USERS } from '@mqdeck/contract/authentication';
import { useMemo } from 'react';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { Page } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { AuthenticatorWizard } from './AuthenticatorWizard.tsx';
import { useChain } from './chain.ts';
import { type KindId, nameOf, partsOf } from './kinds.ts';
import { listenerWords } from './listener-words.ts';
import { wizardWords } from './wizard-words.ts';
import { words } from './words.ts';

/** A new authenticator at the end of a chain. */
export function AuthenticationCreatePage() {
  const w = useWords(wizardWords);
  const names = useWords(words);
  const lw = useWords(listenerWords);
  const chain = useChain();
  const { listener } = chain;
  const list = useEndpoint(chain.endpoints.list, {}, { quiet: true });
  const taken = useMemo(() => new Set(list.data?.map(({ id }) => id)), [list.data]);

  function finish(kind: KindId) {
    const name = nameOf(partsOf(kind), names);
    toast(
      'good',
      w.created({ name }),
      WITH_USERS.includes(kind)
        ? { label: w.addUsers, run: () => navigate(chain.one(kind, 'users')) }
        : undefined,
    );
    navigate(chain.list());
  }

  return (
    <Page
      title={listener === undefined ? w.title : lw.addTitle({ listener: visibleText(listener) })}
      purpose={listener === undefined ? w.purpose : lw.purpose}
      actions={<Link to={chain.list()}>{names.back}</Link>}
    >
      <AuthenticatorWizard taken={taken} ready={!list.isPending} unread={list.isError} onCreated={finish} />
    </Page>
  );
}
