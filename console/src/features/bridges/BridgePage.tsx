import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Bridge } from '@mqdeck/contract/bridges';
import { isBridgeType } from '@mqdeck/contract/bridges/types';
import { useParams } from '@tanstack/react-router';
import { MissingPage } from '../../api/MissingPage.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { idOf as idOfSegment, paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { IconRefresh, IconTrash } from '../../ui/icons.tsx';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlTab } from '../../url-state.ts';
import { BridgeOverview } from './BridgeOverview.tsx';
import { BridgeSettings } from './BridgeSettings.tsx';
import styles from './bridges.module.css';
import { kindWords } from './kind-words.ts';
import { typeName } from './kinds.ts';
import { canReconnect, idOf, nodesOf, stateFor } from './standing.ts';
import { TypeIcon } from './TypeIcon.tsx';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

const POLL_MS = 5000;

export function BridgePage() {
  const { id: segment = '' } = useParams({ strict: false }) as { id?: string };
  const id = idOfSegment(segment);
  return <OneBridge key={id} id={id} />;
}

function OneBridge({ id }: { id: string }) {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(
    api.bridges.get,
    { params: { id } },
    { quiet: true, poll: POLL_MS },
  );
  if (data && error?.status !== 404) return <Found bridge={data} />;
  return (
    <MissingPage
      title={visibleText(id)}
      error={error}
      none={error?.status === 404 || error?.status === 400}
      missing={{
        title: w.missing({ id: visibleText(id) }),
        text: w.missingText,
        back: <Link to={paths.bridges()}>{w.back}</Link>,
      }}
      failed={w.loadFailed}
      retry={refetch}
    />
  );
}

function Found({ bridge }: { bridge: Bridge }) {
  const w = useWords(words);
  const k = useWords(kindWords);
  const id = idOf(bridge);
  const shown = visibleText(id);
  const state = stateFor(bridge);
  const { turn, remove, reconnect } = useDeeds();
  const [tab, open] = useUrlTab(['overview', 'settings']);
  return (
    <Page
      title={visibleText(bridge.name)}
      facts={
        <span className={styles.keyFacts}>
          <NodeStates is={state} nodes={nodesOf(bridge)} name={shown} />
          <span className={styles.kind}>
            <TypeIcon type={bridge.type} size={16} />
            {visibleText(typeName(bridge.type, k))}
          </span>
          {bridge.description && <span>{visibleText(bridge.description)}</span>}
        </span>
      }
      actions={
        <>
          <EnableSwitch
            on={bridge.enable}
            label={w.enableOf({ id: shown })}
            text={w.enable}
            onChange={(on) => turn(bridge, on)}
          />
          {canReconnect(state) && (
            <Button leftSection={<IconRefresh size={15} />} onClick={() => void reconnect(bridge)}>
              {w.reconnect}
            </Button>
          )}
          <Button
            disabled={!bridge.enable}
            title={bridge.enable ? undefined : w.enableFirst}
            onClick={() => navigate(paths.ruleCreate({ bridge: id }))}
          >
            {w.createRule}
          </Button>
          <Button onClick={() => navigate(paths.bridgeCreate({ copy: id }))}>{w.duplicate}</Button>
          <Button
            color="red"
            leftSection={<IconTrash size={15} />}
            onClick={() => void remove(bridge).then((done) => done && navigate(paths.bridges()))}
          >
            {w.remove}
          </Button>
        </>
      }
    >
      <Tabs
        label={w.tabs}
        value={tab}
        onChange={open}
        tabs={[
          { value: 'overview', label: w.overview },
          { value: 'settings', label: w.settings },
        ]}
      >
        {tab === 'overview' ? (
          <BridgeOverview bridge={bridge} />
        ) : (
          <Panel>
            {isBridgeType(bridge.type) ? (
              <BridgeSettings id={id} type={bridge.type} />
            ) : (
              <EmptyState title={w.unknownType({ type: visibleText(bridge.type) })} />
            )}
          </Panel>
        )}
      </Tabs>
    </Page>
  );
}
