import type { ReactNode } from 'react';
import { type BulkAction, BulkBar } from './BulkBar.tsx';
import { ColumnChooser } from './ColumnChooser.tsx';
import type { ColumnChoice } from './column-choice.ts';
import type { Column } from './columns.tsx';
import { ExportMenu } from './ExportMenu.tsx';
import type { ReadProgress } from './export.ts';
import { FilterBar, type SetFilter } from './FilterBar.tsx';
import type { Filter } from './filters.ts';
import { Grid, type Sorting } from './Grid.tsx';
import type { ListState } from './list-state.ts';
import { Pager } from './Pager.tsx';
import type { Pager as PagerState } from './paging.ts';
import type { RowAction } from './RowMenu.tsx';
import type { Selection } from './selection.ts';
import classes from './table.module.css';

export interface FrameProps<Row> {
  /** Names the table where its columns are remembered, and its exports. */
  name: string;
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  choice: ColumnChoice;
  /** `undefined` goes back to the standard. */
  onChoice: (next: ColumnChoice | undefined) => void;
  rowId: (row: Row) => string;
  list: ListState;
  pager: PagerState;
  count: number | undefined;
  filters: readonly Filter[];
  sorting: Sorting;
  selection: Selection;
  loading: boolean;
  busy: boolean;
  nothing: ReactNode;
  /** Said above the rows, such as a failed refresh. */
  notice?: ReactNode;
  /** Between the filters and the export: refresh, or a button of the page. */
  tools?: ReactNode;
  actions?: ((row: Row) => readonly RowAction[]) | undefined;
  bulk?: readonly BulkAction<Row>[] | undefined;
  onOpen?: ((row: Row) => void) | undefined;
  onFilter: SetFilter;
  onClearFilters: () => void;
  onPage: (page: number) => void;
  onLimit: (limit: number) => void;
  onSelect: (next: Selection) => void;
  readAll: (signal: AbortSignal, onProgress: (progress: ReadProgress) => void) => Promise<readonly Row[]>;
  rowsOf: (selection: Selection, signal: AbortSignal, onRead: (rows: number) => void) => Promise<Row[]>;
  onBulkDone: () => void;
}

/** What every list looks like, wherever its rows come from. */
export function TableFrame<Row extends object>({
  name,
  label,
  rows,
  columns,
  choice,
  onChoice,
  rowId,
  list,
  pager,
  count,
  filters,
  sorting,
  selection,
  loading,
  busy,
  nothing,
  notice,
  tools,
  actions,
  bulk,
  onOpen,
  onFilter,
  onClearFilters,
  onPage,
  onLimit,
  onSelect,
  readAll,
  rowsOf,
  onBulkDone,
}: FrameProps<Row>) {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const shown = choice.order.filter((id) => !choice.hidden.includes(id)).flatMap((id) => byId.get(id) ?? []);
  return (
    <div className={classes.frame}>
      <div className={classes.toolbar}>
        {filters.length > 0 ? (
          <FilterBar filters={filters} values={list.filters} onSet={onFilter} onClear={onClearFilters} />
        ) : (
          <span />
        )}
        <div className={classes.tools}>
          {tools}
          <ExportMenu name={name} columns={shown} read={readAll} />
          <ColumnChooser columns={columns} choice={choice} onChange={onChoice} />
        </div>
      </div>
      {notice}
      <Grid
        label={label}
        rows={rows}
        columns={columns}
        choice={choice}
        rowId={rowId}
        before={(list.page - 1) * list.limit}
        count={count}
        sorting={sorting}
        ticking={bulk ? { selection, set: onSelect } : undefined}
        actions={actions}
        onOpen={onOpen}
        loading={loading}
        busy={busy}
        nothing={nothing}
      />
      <div className={classes.foot}>
        {bulk ? (
          <BulkBar
            selection={selection}
            count={count}
            pageRows={rows.length}
            rowId={rowId}
            actions={bulk}
            onSelect={onSelect}
            rowsOf={rowsOf}
            onDone={onBulkDone}
          />
        ) : (
          <span />
        )}
        {!loading && (rows.length > 0 || list.page > 1) && (
          <Pager pager={pager} limit={list.limit} onPage={onPage} onLimit={onLimit} />
        )}
      </div>
    </div>
  );
}
