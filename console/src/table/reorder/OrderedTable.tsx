import { type ReactNode, useMemo } from 'react';
import { useWords } from '../../i18n/words.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { standardChoice } from '../column-choice.ts';
import type { Column } from '../columns.tsx';
import { Grid } from '../Grid.tsx';
import type { RowAction } from '../RowMenu.tsx';
import classes from '../table.module.css';
import { words as tableWords } from '../words.ts';
import { inOrder, type Position } from './order.ts';
import { useReorder } from './use-reorder.ts';
import { words } from './words.ts';

const NO_ROWS: readonly never[] = [];
const UNSORTED = { order: 'asc', can: () => false, by: () => undefined } as const;

export interface OrderedTableProps<Row extends object> {
  /** All rows in their order; undefined while they load. */
  rows: readonly Row[] | undefined;
  columns: readonly Column<Row>[];
  rowId: (row: Row) => string;
  /** What the row is called where its move is told. */
  rowName: (row: Row) => string;
  /** Moves it at the broker and has the list read anew; throws when it was refused. */
  move: (id: string, position: Position) => Promise<unknown>;
  /** Those of danger come after the moves. */
  actions?: ((row: Row) => readonly RowAction[]) | undefined;
  label: string;
  empty: ReactNode;
  /** A filter hides some of the list: its first and its last place are not seen. */
  partial?: boolean | undefined;
  /** Said instead of the rows when loading them failed. */
  error?: { text: string; retry: () => void } | undefined;
}

/** A short list whose order matters: moved by drag, by the keyboard and by the menu of each row. */
export function OrderedTable<Row extends object>({
  rows,
  columns,
  rowId,
  rowName,
  move,
  actions,
  label,
  empty,
  partial = false,
  error,
}: OrderedTableProps<Row>) {
  const w = useWords(words);
  const tw = useWords(tableWords);
  const stored = useMemo(() => (rows ?? NO_ROWS).map(rowId), [rows, rowId]);
  const { ids, ordering, moveTo, said } = useReorder(stored, {
    move,
    nameOf: (id) => {
      const row = rows?.find((one) => rowId(one) === id);
      return row ? rowName(row) : id;
    },
  });
  const shown = useMemo(() => inOrder(rows ?? NO_ROWS, rowId, ids), [rows, rowId, ids]);
  const choice = useMemo(() => standardChoice(columns), [columns]);
  const last = shown.length - 1;

  const withMoves = (row: Row): readonly RowAction[] => {
    const id = rowId(row);
    const at = shown.findIndex((one) => rowId(one) === id);
    const given = actions?.(row) ?? [];
    const isFirst = at === 0 && w.first;
    const isLast = at === last && w.last;
    return [
      ...given.filter(({ danger }) => !danger),
      { label: w.top, run: () => moveTo(id, 0), disabledReason: (partial && w.partial) || isFirst },
      { label: w.up, run: () => moveTo(id, at - 1), disabledReason: isFirst },
      { label: w.down, run: () => moveTo(id, at + 1), disabledReason: isLast },
      { label: w.bottom, run: () => moveTo(id, last), disabledReason: (partial && w.partial) || isLast },
      ...given.filter(({ danger }) => danger),
    ];
  };

  return (
    <div className={classes.frame}>
      <Grid
        label={label}
        rows={shown}
        columns={columns}
        choice={choice}
        rowId={rowId}
        before={0}
        count={shown.length}
        sorting={UNSORTED}
        ordering={ordering}
        actions={withMoves}
        loading={rows === undefined && error === undefined}
        busy={ids !== undefined}
        nothing={
          error ? (
            <ErrorState title={tw.failed} text={error.text} retry={error.retry} />
          ) : typeof empty === 'string' ? (
            <EmptyState title={empty} />
          ) : (
            empty
          )
        }
      />
      {shown.length > 1 && <p className={classes.orderHint}>{w.hint}</p>}
      <div role="status" className="visually-hidden">
        {said}
      </div>
    </div>
  );
}
