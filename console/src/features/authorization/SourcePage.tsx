import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { AuthorizationSource } from '@mqdeck/contract/authorization';
import { useParams } from '@tanstack/react-router';
import { MissingPage } from '../../api/MissingPage.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { idOf, paths } from '../../paths.ts';
import { usePolling } from '../../table/use-polling.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { IconTrash } from '../../ui/icons.tsx';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlTab } from '../../url-state.ts';
import styles from './authorization.module.css';
import { Permissions } from './permissions/Permissions.tsx';
import { SourceOverview } from './SourceOverview.tsx';
import { SourceSettings } from './SourceSettings.tsx';
import { nameOf, sourceOf } from './sources.ts';
import { useDeeds } from './use-deeds.ts';
import { nodesOf, stateFor } from './use-statuses.ts';
import { words } from './words.ts';

export function SourcePage() {
  const { type: segment = '' } = useParams({ strict: false }) as { type?: string };
  const type = idOf(segment);
  return <OneSource key={type} type={type} />;
}

function OneSource({ type }: { type: string }) {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.authorization.get, { params: { type } }, { quiet: true });
  if (data) return <Found source={data} />;
  const name = visibleText(nameOf(type, w));
  return (
    <MissingPage
      title={name}
      error={error}
      // A type that the broker never heard of is refused as such, and not as missing.
      none={error?.status === 404 || error?.status === 400}
      missing={{
        title: w.missing({ type: name }),
        text: w.missingText,
        back: <Link to={paths.authorization()}>{w.back}</Link>,
      }}
      failed={w.loadFailed}
      retry={refetch}
    />
  );
}

function Found({ source }: { source: AuthorizationSource }) {
  const w = useWords(words);
  const { type } = source;
  const name = nameOf(type, w);
  const refresh = usePolling();
  const status = useEndpoint(
    api.authorization.status,
    { params: { type } },
    { quiet: true, poll: refresh.poll },
  );
  const { turn, remove } = useDeeds();
  const withRules = type === 'built_in_database';
  const [tab, open] = useUrlTab(['overview', 'settings', 'permissions']);
  const shown = tab === 'permissions' && !withRules ? 'overview' : tab;
  const state = stateFor(source, status.data);
  return (
    <Page
      title={name}
      facts={
        state && (
          <NodeStates
            is={state}
            nodes={status.data && source.enable ? nodesOf(status.data) : []}
            name={name}
          />
        )
      }
      actions={
        <>
          <EnableSwitch
            on={source.enable}
            label={w.enableOf({ name })}
            text={w.enable}
            onChange={(on) => turn(source, on)}
          />
          <Button
            color="red"
            leftSection={<IconTrash size={15} />}
            onClick={() => void remove(source).then((done) => done && navigate(paths.authorization()))}
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
          { value: 'settings', label: type === 'file' ? w.rules : w.settings },
          ...(withRules ? [{ value: 'permissions' as const, label: w.permissions }] : []),
        ]}
      >
        {shown === 'overview' ? (
          <SourceOverview
            source={source}
            status={status.data}
            error={status.error}
            retry={status.refetch}
            refresh={refresh.control(status)}
          />
        ) : shown === 'settings' ? (
          <Settings type={type} />
        ) : (
          <Permissions source={source} />
        )}
      </Tabs>
    </Page>
  );
}

function Settings({ type }: { type: string }) {
  const w = useWords(words);
  const source = sourceOf(type);
  return (
    <Panel>
      {source ? (
        <div className={source === 'file' ? styles.wide : undefined}>
          <SourceSettings type={source} />
        </div>
      ) : (
        <EmptyState title={w.unknownType({ type: visibleText(type) })} />
      )}
    </Panel>
  );
}
