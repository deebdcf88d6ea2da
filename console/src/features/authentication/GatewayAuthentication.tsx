import { Button, Drawer } from '@mantine/core';
import { type Authenticator, WITH_USERS } from '@mqdeck/contract/authentication';
import { authenticatorsOf, type GatewayName } from '@mqdeck/contract/gateways';
import { useMemo, useRef, useState } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { refresh } from '../../api/query-client.ts';
import { sentenceInPlace } from '../../api/report.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useUnsavedGuard } from '../../form/form-host.tsx';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { IconPlus, IconTrash, IconWarn } from '../../ui/icons.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Page.tsx';
import { SkeletonFacts } from '../../ui/Skeleton.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState, useUrlTab } from '../../url-state.ts';
import { AuthenticatorSettings } from './AuthenticatorSettings.tsx';
import { AuthenticatorWizard } from './AuthenticatorWizard.tsx';
import styles from './authentication.module.css';
import { ChainContext, chainOfGateway, useChain } from './chain.ts';
import { gatewayWords } from './gateway-words.ts';
import { Kind } from './Kind.tsx';
import { BACKENDS, type Backend, type KindId, kindOf, type Mechanism, nameOf, partsOf } from './kinds.ts';
import { AuthenticatorUsers } from './users/AuthenticatorUsers.tsx';
import { words } from './words.ts';

/** Who of a gateway's devices is let in: its one authenticator, or nobody is asked. */
export function GatewayAuthentication({ gateway, title }: { gateway: GatewayName; title: string }) {
  const chain = useMemo(() => chainOfGateway(gateway), [gateway]);
  return (
    <ChainContext.Provider value={chain}>
      <OfGateway gateway={gateway} title={title} />
    </ChainContext.Provider>
  );
}

/** The one that is there is asked for without its id. */
const THE_ONE = { params: { id: '' } };

function OfGateway({ gateway, title }: { gateway: GatewayName; title: string }) {
  const w = useWords(gatewayWords);
  const { endpoints } = useChain();
  const { values, set } = useUrlState();
  const { data, error, refetch } = useEndpoint(endpoints.get, THE_ONE, { quiet: true });
  if (data === undefined)
    return (
      <Panel>
        {error?.absent ? (
          <NotAvailable />
        ) : error ? (
          <ErrorState title={w.loadFailed} text={sentenceInPlace(error)} retry={refetch} />
        ) : (
          <SkeletonFacts />
        )}
      </Panel>
    );
  if (data !== null) return <TheOne authenticator={withId(data)} />;
  return (
    <>
      <Panel>
        <EmptyState
          icon={<IconWarn size={28} className={styles.warnSign} />}
          title={w.emptyTitle}
          text={w.emptyText}
          action={
            <Button
              variant="filled"
              leftSection={<IconPlus size={15} />}
              onClick={() => set({ add: '1' }, 'push')}
            >
              {w.add}
            </Button>
          }
        />
      </Panel>
      {values.add !== undefined && <Add gateway={gateway} title={title} />}
    </>
  );
}

/** Other brokers leave out the id, and whether it is enabled. */
const withId = (answer: Authenticator): Authenticator => ({
  ...answer,
  id: answer.id ?? [answer.mechanism, ...(answer.backend === undefined ? [] : [answer.backend])].join(':'),
  enable: answer.enable ?? true,
});

const ALL: readonly Mechanism[] = ['password_based', 'jwt'];
const PASSWORDS: readonly Mechanism[] = ['password_based'];
const HTTP: readonly Backend[] = ['http'];

/** The steps of the global chain's authenticators, without what this protocol cannot have. */
function Add({ gateway, title }: { gateway: GatewayName; title: string }) {
  const w = useWords(gatewayWords);
  const names = useWords(words);
  const { endpoints } = useChain();
  const { set } = useUrlState();
  const [unsaved, setUnsaved] = useState(false);
  const mayLeave = useUnsavedGuard(false); // the steps guard what is typed into them
  const asking = useRef(false);
  const leave = (how: 'push' | 'replace', tab?: string) =>
    set({ add: undefined, mechanism: undefined, backend: undefined, step: undefined, tab }, how);
  const close = async () => {
    if (asking.current) return;
    asking.current = true;
    const may = !unsaved || (await mayLeave());
    asking.current = false;
    if (may) leave('replace');
  };
  const finish = (kind: KindId) => {
    toast('good', w.created({ name: nameOf(partsOf(kind), names) }));
    leave('replace', WITH_USERS.includes(kind) ? 'users' : undefined);
    void refresh([endpoints.get]);
  };
  const onlyHttp = authenticatorsOf(gateway) === 'http';
  return (
    <Drawer
      opened
      onClose={() => void close()}
      title={w.addTitle({ gateway: title })}
      position="right"
      size="75%"
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <div className={styles.wizard}>
        <AuthenticatorWizard
          mechanisms={onlyHttp ? PASSWORDS : ALL}
          backends={onlyHttp ? HTTP : BACKENDS}
          onUnsaved={setUnsaved}
          onCreated={finish}
        />
      </div>
    </Drawer>
  );
}

function TheOne({ authenticator }: { authenticator: Authenticator }) {
  const w = useWords(gatewayWords);
  const names = useWords(words);
  const { endpoints } = useChain();
  const { id, enable } = authenticator;
  const name = nameOf(authenticator, names);
  const withUsers = WITH_USERS.includes(id);
  const [tab, open] = useUrlTab(['settings', 'users']);
  const shown = withUsers ? tab : 'settings';
  const update = useAction(endpoints.update, {
    refresh: [endpoints.get],
    success: (_, { body }) => (body.enable === false ? w.disabled({ name }) : w.enabled({ name })),
  });
  const drop = useAction(endpoints.remove, {
    confirm: {
      title: w.removeAsk({ name }),
      text: withUsers ? w.removeUsersText : w.removeText,
      action: w.remove,
      danger: true,
    },
    refresh: [endpoints.get],
    success: w.removed({ name }),
  });
  const turn = async (on: boolean): Promise<void> => {
    const yes =
      on ||
      (await confirm({
        title: w.disableAsk({ name }),
        text: w.disableText,
        action: w.disable,
        danger: true,
      }));
    if (!yes) return;
    const { id: _, chain_name, ...config } = authenticator;
    // Whole, as it was answered: masked secrets stay as they are stored.
    await update({ params: { id }, body: { ...config, enable: on } as never });
  };
  const kind = kindOf(id);
  return (
    <>
      <div className={styles.theOne}>
        <Kind of={authenticator} />
        <span className={styles.deeds}>
          <EnableSwitch on={enable} label={w.enableOf({ name })} text={w.enable} onChange={turn} />
          <Button
            color="red"
            leftSection={<IconTrash size={15} />}
            onClick={() => void drop({ params: { id } })}
          >
            {w.remove}
          </Button>
        </span>
      </div>
      {!enable && (
        <Notice is="warn" role="alert">
          <strong>{w.offTitle}</strong> {w.off}
        </Notice>
      )}
      <Tabs
        label={w.tabs}
        value={shown}
        onChange={open}
        tabs={[
          { value: 'settings' as const, label: w.settings },
          ...(withUsers ? [{ value: 'users' as const, label: w.users }] : []),
        ]}
      >
        {shown === 'users' ? (
          <AuthenticatorUsers authenticator={authenticator} />
        ) : (
          <Panel>
            {kind ? (
              <AuthenticatorSettings key={kind} id={kind} />
            ) : (
              <EmptyState title={w.unknownKind({ id: visibleText(id) })} />
            )}
          </Panel>
        )}
      </Tabs>
    </>
  );
}
