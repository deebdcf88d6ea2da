import type { ReactNode } from 'react';
import { useWords } from '../i18n/words.ts';
import { EmptyState } from './EmptyState.tsx';
import styles from './FigureTable.module.css';
import { FigureTable } from './FigureTable.tsx';
import { NOTHING } from './format.ts';
import type { NodeState } from './NodeStates.tsx';
import { State } from './State.tsx';
import { visibleText } from './visible-text.ts';
import { words } from './words.ts';

export interface NodeRow extends NodeState {
  /** What can be done about the state, beside it. */
  tool?: ReactNode;
  /** One for each label. */
  figures: readonly ReactNode[];
}

/** How a thing stands on each node, and what it has done there. The reasons have a column when there is one. */
export function NodeFigures({
  label,
  labels,
  rows,
  wanted = true,
}: {
  label: string;
  labels: readonly string[];
  rows: readonly NodeRow[];
  /** Whether it ought to work: a thing that was disabled raises no alarm. */
  wanted?: boolean;
}) {
  const w = useWords(words);
  if (rows.length === 0) return <EmptyState title={w.noNodes} />;
  const withReasons = rows.some(({ reason }) => reason);
  return (
    <FigureTable
      label={label}
      headLabel={w.node}
      columns={[
        { label: w.status },
        ...(withReasons ? [{ label: w.reason, kind: 'words' as const }] : []),
        ...labels.map((one) => ({ label: one, kind: 'number' as const })),
      ]}
      rows={rows.map(({ node, is, reason, tool, figures }) => ({
        key: node,
        head: <bdi>{visibleText(node)}</bdi>,
        cells: [
          <span key="state" className={styles.state}>
            <State is={is} wanted={wanted} />
            {tool}
          </span>,
          ...(withReasons ? [reason ? visibleText(reason) : NOTHING] : []),
          ...figures,
        ],
      }))}
    />
  );
}
