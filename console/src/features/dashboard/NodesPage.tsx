import { Button } from '@mantine/core';
import { cluster, type Node, nodes } from '@mqdeck/contract/nodes';
import { useState } from 'react';
import { sentenceInPlace } from '../../api/report.ts';
import { useAction } from '../../api/use-action.ts';
import { useConsoleInfo } from '../../api/use-console-info.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { BarMeter } from '../../charts/BarMeter.tsx';
import { useWords } from '../../i18n/words.ts';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import { LocalTable } from '../../table/LocalTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { usePolling } from '../../table/use-polling.tsx';
import { formatBytes, formatNumber, NOTHING } from '../../ui/format.ts';
import { IconPlus } from '../../ui/icons.tsx';
import { Page } from '../../ui/Page.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { InviteNode } from './InviteNode.tsx';
import { memberWords } from './member-words.ts';
import { memoryBytes } from './memory.ts';
import { columnWords } from './node-words.ts';
import { roleText } from './role.ts';
import { words } from './words.ts';

const column = columnsOf<Node>(columnWords);
const columns = [
  column.link('node', paths.node, { width: 150, grow: 1 }),
  column.badge('node_status', { width: 100 }),
  column.custom('role', ({ role }, language) => roleText(role, language), { width: 80, sort: 'role' }),
  column.duration('uptime', { unit: 'ms', width: 105 }),
  column.text('version', { width: 70 }),
  column.text('otp_release', { width: 130 }),
  column.custom(
    'processes',
    ({ process_used, process_available }, language) =>
      process_available > 0 ? (
        <BarMeter
          label={columnWords.processes[language]}
          used={process_used}
          total={process_available}
          format={(value) => formatNumber(value, language)}
        />
      ) : (
        formatNumber(process_used, language)
      ),
    { width: 150, grow: 1.5, value: ({ process_used }) => process_used },
  ),
  column.custom(
    'memory',
    ({ memory_used, memory_total }, language) => {
      const used = memoryBytes(memory_used);
      const total = memoryBytes(memory_total);
      if (used === null) return NOTHING;
      if (total === null || total === 0) return formatBytes(used, language);
      return (
        <BarMeter
          label={columnWords.memory[language]}
          used={used}
          total={total}
          format={(value) => formatBytes(value, language)}
        />
      );
    },
    { width: 195, grow: 1.5, value: ({ memory_used }) => memory_used },
  ),
  column.custom('load', ({ load1, load5, load15 }) => `${load1} / ${load5} / ${load15}`, {
    width: 160,
    align: 'end',
    sort: 'load',
    value: ({ load1 }) => Number(load1),
  }),
  column.number('connections', { width: 80 }),
  column.number('live_connections', { width: 90 }),
];

/** The members of the cluster. The broker inside this server is one node and stays one. */
export function NodesPage() {
  const w = useWords(words);
  const mw = useWords(memberWords);
  const refresh = usePolling();
  const { data, error, dataUpdatedAt, isFetching, refetch } = useEndpoint(
    nodes.list,
    {},
    { quiet: true, poll: refresh.poll },
  );
  const grows = useConsoleInfo()?.mode === 'upstream';
  const [inviting, setInviting] = useState(false);
  const remove = useAction(cluster.forceLeave, {
    confirm: ({ params: { node } }) => ({
      title: mw.removeAsk({ node: visibleText(node) }),
      text: mw.removeText,
      action: mw.removeAction,
      danger: true,
    }),
    refresh: [nodes.list],
    success: (_, { params: { node } }) => mw.removed({ node: visibleText(node) }),
  });
  const actions = ({ node }: Node): RowAction[] => [
    {
      label: mw.remove,
      danger: true,
      run: () => remove({ params: { node } }),
      disabledReason: data?.length === 1 && mw.lastNode,
    },
  ];
  return (
    <Page
      title={w.nodes}
      actions={
        grows && (
          <Button variant="filled" leftSection={<IconPlus size={15} />} onClick={() => setInviting(true)}>
            {mw.invite}
          </Button>
        )
      }
    >
      <LocalTable
        name="nodes"
        label={w.nodes}
        rows={data}
        columns={columns}
        rowId={({ node }) => node}
        actions={grows ? actions : undefined}
        empty={w.noNodes}
        error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
        tools={refresh.control({ dataUpdatedAt, isFetching, refetch })}
      />
      <InviteNode opened={inviting} onClose={() => setInviting(false)} members={data ?? []} />
    </Page>
  );
}
