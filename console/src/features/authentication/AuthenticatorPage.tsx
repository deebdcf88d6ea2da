import { Button } from '@mantine/core';
import { type Authenticator, WITH_USERS } from '@mqdeck/contract/authentication';
import { useParams } from '@tanstack/react-router';
import { MissingPage } from '../../api/MissingPage.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { idOf } from '../../paths.ts';
import { usePolling } from '../../table/use-polling.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { IconTrash } from '../../ui/icons.tsx';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlTab } from '../../url-state.ts';
import { AuthenticatorOverview } from './AuthenticatorOverview.tsx';
import { AuthenticatorSettings } from './AuthenticatorSettings.tsx';
import styles from './authentication.module.css';
import { useChain } from './chain.ts';
import { kindOf, mechanismName, nameOf } from './kinds.ts';
import { listenerWords } from './listener-words.ts';
import { useDeeds } from './use-deeds.ts';
import { nodesOf, stateFor } from './use-statuses.ts';
import { AuthenticatorUsers } from './users/AuthenticatorUsers.tsx';
import { words } from './words.ts';

export function AuthenticatorPage() {
  const { id: segment = '' } = useParams({ strict: false }) as { id?: string };
  const id = idOf(segment);
  return <OneAuthenticator key={id} id={id} />;
}

function OneAuthenticator({ id }: { id: string }) {
  const w = useWords(words);
  const chain = useChain();
  const { data, error, refetch } = useEndpoint(chain.endpoints.get, { params: { id } }, { quiet: true });
  if (data) return <Found authenticator={data} />;
  return (
    <MissingPage
      title={visibleText(id)}
      error={error}
      missing={{
        title: w.missing({ id: visibleText(id) }),
        text: w.missingText,
        back: <Link to={chain.list()}>{w.back}</Link>,
      }}
      failed={w.loadFailed}
      retry={refetch}
    />
  );
}

function Found({ authenticator }: { authenticator: Authenticator }) {
  const w = useWords(words);
  const lw = useWords(listenerWords);
  const chain = useChain();
  const { id } = authenticator;
  const name = nameOf(authenticator, w);
  const refresh = usePolling();
  const status = useEndpoint(chain.endpoints.status, { params: { id } }, { quiet: true, poll: refresh.poll });
  const { turn, remove } = useDeeds();
  const withUsers = WITH_USERS.includes(id);
  const [tab, open] = useUrlTab(['overview', 'settings', 'users']);
  const shown = tab === 'users' && !withUsers ? 'overview' : tab;
  const state = stateFor(authenticator, status.data);
  return (
    <Page
      title={name}
      facts={
        <span className={styles.keyFacts}>
          {state && (
            <NodeStates
              is={state}
              nodes={status.data && authenticator.enable ? nodesOf(status.data) : []}
              name={name}
            />
          )}
          {authenticator.backend !== undefined && <span>{mechanismName(authenticator.mechanism, w)}</span>}
          {chain.listener !== undefined && (
            <Link to={chain.list()}>{lw.title({ listener: visibleText(chain.listener) })}</Link>
          )}
        </span>
      }
      actions={
        <>
          <EnableSwitch
            on={authenticator.enable}
            label={w.enableOf({ name })}
            text={w.enable}
            onChange={(on) => turn(authenticator, on)}
          />
          <Button
            color="red"
            leftSection={<IconTrash size={15} />}
            onClick={() => void remove(authenticator).then((done) => done && navigate(chain.list()))}
          >
            {w.remove}
          </Button>
        </>
      }
    >
      <Tabs
        label={w.tabs}
        value={shown}
        onChange={open}
        tabs={[
          { value: 'overview', label: w.overview },
          { value: 'settings', label: w.settings },
          ...(withUsers ? [{ value: 'users' as const, label: w.users }] : []),
        ]}
      >
        {shown === 'overview' ? (
          <AuthenticatorOverview
            authenticator={authenticator}
            status={status.data}
            error={status.error}
            retry={status.refetch}
            refresh={refresh.control(status)}
          />
        ) : shown === 'settings' ? (
          <Settings authenticator={authenticator} />
        ) : (
          <AuthenticatorUsers authenticator={authenticator} />
        )}
      </Tabs>
    </Page>
  );
}

function Settings({ authenticator: { id } }: { authenticator: Authenticator }) {
  const w = useWords(words);
  const kind = kindOf(id);
  return (
    <Panel>
      {kind ? (
        <AuthenticatorSettings id={kind} />
      ) : (
        <EmptyState title={w.unknownKind({ id: visibleText(id) })} />
      )}
    </Panel>
  );
}
