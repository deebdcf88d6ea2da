import { useMemo } from 'react';
import { useLanguage, useWords } from '../i18n/words.ts';
import { Link } from '../Link.tsx';
import { columnsOf } from '../table/columns.tsx';
import { LocalTable } from '../table/LocalTable.tsx';
import { NOTHING } from '../ui/format.ts';
import { Mark, State } from '../ui/State.tsx';
import type { Flow, FlowNode } from './flow.ts';
import styles from './graph.module.css';
import { lackOf, pageOf, titleOf } from './NodeCard.tsx';
import { type PathRow, pathRows } from './path-rows.ts';
import { words } from './words.ts';

const labels = {
  source: words['col.source'],
  rule: words['col.rule'],
  output: words['col.output'],
  standing: words['col.standing'],
  outputState: words['col.outputState'],
  passed: words['col.passed'],
  failed: words['col.failed'],
  rate: words['col.rate'],
  feeds: words['col.feeds'],
};
const column = columnsOf<PathRow>(labels);
const nodeColumn = (id: 'source' | 'rule' | 'output') =>
  column.custom(id, (row) => <NodeLink node={row[id]} />, {
    sort: id,
    value: (row) => row[id]?.name,
    width: 170,
    grow: 2,
  });
const stateValue = (node: FlowNode | undefined) => node?.missing ?? node?.state;
const columns = [
  nodeColumn('source'),
  nodeColumn('rule'),
  column.custom('standing', (row) => <Standing node={row.rule} />, {
    sort: 'standing',
    value: ({ rule }) => stateValue(rule),
    width: 110,
  }),
  nodeColumn('output'),
  column.custom('outputState', (row) => <Standing node={row.output} />, {
    sort: 'outputState',
    value: ({ output }) => stateValue(output),
    width: 130,
  }),
  column.number('passed'),
  column.number('failed'),
  column.number('rate', { digits: 2 }),
  column.custom('feeds', (row) => <Feeds nodes={row.feeds} />, {
    value: ({ feeds }) => feeds.map(({ name }) => name).join(', '),
    width: 140,
  }),
];

/** The same as the graph, to be read and sorted. */
export function PathTable({ flow }: { flow: Flow }) {
  const w = useWords(words);
  const rows = useMemo(() => pathRows(flow), [flow]);
  return (
    <LocalTable
      rows={rows}
      columns={columns}
      rowId={({ id }) => id}
      empty={w.noneEnabled}
      label={w.list}
      name="flow"
    />
  );
}

function NodeLink({ node }: { node: FlowNode | undefined }) {
  const language = useLanguage();
  if (!node) return NOTHING;
  const page = pageOf(node);
  const title = titleOf(node, language);
  const lack = lackOf(node, language);
  return page === undefined ? (
    <span className={styles.cell} title={lack ? `${title}: ${lack}` : title}>
      <bdi>{title}</bdi>
    </span>
  ) : (
    <Link to={page} className={styles.cellLink} title={title}>
      <bdi>{title}</bdi>
    </Link>
  );
}

function Standing({ node }: { node: FlowNode | undefined }) {
  const language = useLanguage();
  if (!node) return NOTHING;
  const lack = lackOf(node, language);
  if (lack) return <Mark tone="bad">{lack}</Mark>;
  return node.state ? <State is={node.state} wanted={!node.off} /> : NOTHING;
}

function Feeds({ nodes }: { nodes: readonly FlowNode[] }) {
  const language = useLanguage();
  const w = useWords(words);
  if (nodes.length === 0) return NOTHING;
  const text = nodes.map((node) => titleOf(node, language)).join(', ');
  return nodes.some(({ loop }) => loop) ? (
    <Mark tone="warn">
      {text} · {w.loop}
    </Mark>
  ) : (
    <span className={styles.cell} title={text}>
      {text}
    </span>
  );
}
