import { alarms } from '@mqdeck/contract/alarms';
import { monitor } from '@mqdeck/contract/monitor';
import { nodes } from '@mqdeck/contract/nodes';
import type { ReactNode } from 'react';
import { useAvailable } from '../../api/features.ts';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { ActionMenu } from '../../ui/ActionMenu.tsx';
import { IconTrash } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { AlarmRows } from './AlarmRows.tsx';
import { ClusterState } from './ClusterState.tsx';
import classes from './dashboard.module.css';
import { Figures } from './Figures.tsx';
import { HistoryCharts } from './HistoryCharts.tsx';
import { NodeRows } from './NodeRows.tsx';
import { TopTalkers } from './TopTalkers.tsx';
import { useHistory } from './use-history.ts';
import { words } from './words.ts';

const NOW_MS = 2000;
const SOON_MS = 5000;
const ALARMS_MS = 15_000;
/** The last hour and the one it is compared with. */
const COMPARED_SECONDS = 2 * 3600;
const activeAlarms = { query: { activated: true } } as const;
/** Polls tell nothing by toast: each part of the page says itself what it lacks. */
const inPlace = { progress: false, quiet: true } as const;

export function OverviewPage({ license }: { license: ReactNode }) {
  const w = useWords(words);
  const hasAlarms = useAvailable(alarms.list);
  const current = useEndpoint(monitor.current, {}, { poll: NOW_MS, ...inPlace });
  const members = useEndpoint(nodes.list, {}, { poll: SOON_MS, ...inPlace });
  const active = useEndpoint(alarms.list, activeAlarms, {
    poll: ALARMS_MS,
    enabled: hasAlarms,
    ...inPlace,
  });
  const { history } = useHistory(COMPARED_SECONDS);
  const clear = useAction(monitor.clear, {
    confirm: { title: w.clearTitle, text: w.clearText, action: w.clear, danger: true },
    refresh: [monitor.history, monitor.historyOfNode],
    success: w.cleared,
  });
  const canClear = useAvailable(monitor.clear);

  return (
    <Page
      title={w.overview}
      facts={<ClusterState nodes={members.data} now={current.data} alarms={active.data} />}
      actions={
        canClear && (
          <ActionMenu
            label={w.pageActions}
            actions={[{ label: w.clear, run: () => clear({}), icon: <IconTrash size={15} />, danger: true }]}
          />
        )
      }
    >
      {current.error && !current.data ? (
        <Panel>
          <QueryFailed error={current.error} retry={current.refetch} />
        </Panel>
      ) : (
        <Figures now={current.data} history={history} />
      )}
      <div className={classes.columns}>
        <HistoryCharts nodes={members.data?.map(({ node }) => node) ?? []} />
        <aside className={classes.side} aria-label={w.overview}>
          <NodeRows answer={members} />
          {hasAlarms && <AlarmRows answer={active} />}
          {license}
          <TopTalkers />
        </aside>
      </div>
    </Page>
  );
}
