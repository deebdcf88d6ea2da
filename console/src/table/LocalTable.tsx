import { type ReactNode, useMemo } from 'react';
import { useLanguage, useWords } from '../i18n/words.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ErrorState } from '../ui/ErrorState.tsx';
import type { BulkAction } from './BulkBar.tsx';
import type { Column } from './columns.tsx';
import { type Filter, textFilter } from './filters.ts';
import { filterBy, goTo, PAGE_SIZE_DEFAULT, readList, resize, sortBy, withoutFilters } from './list-state.ts';
import { matching, SEARCH, sorted } from './local-list.ts';
import { NoMatch } from './NoMatch.tsx';
import { pagerOf } from './paging.ts';
import type { RowAction } from './RowMenu.tsx';
import { isSelected, type Selection } from './selection.ts';
import { TableFrame } from './TableFrame.tsx';
import { useTableState } from './table-host.tsx';
import { useColumnChoice } from './use-column-choice.ts';
import { useRowsSelection } from './use-rows-selection.ts';
import { words } from './words.ts';

const search = textFilter(SEARCH, words.search);
const NO_FILTERS: readonly Filter[] = [];

export interface LocalTableProps<Row extends object> {
  /** All rows; undefined while they load. */
  rows: readonly Row[] | undefined;
  columns: readonly Column<Row>[];
  rowId?: ((row: Row) => string) | undefined;
  /** Beside the search over all columns: equal values of a column or field. */
  filters?: readonly Filter[] | undefined;
  actions?: ((row: Row) => readonly RowAction[]) | undefined;
  bulk?: readonly BulkAction<Row>[] | undefined;
  onOpen?: ((row: Row) => void) | undefined;
  empty: ReactNode;
  label?: string | undefined;
  /** Where columns are remembered and what exports are called. */
  name: string;
  prefix?: string | undefined;
  limit?: number | undefined;
  tools?: ReactNode;
  /** Said instead of the rows when loading them failed. */
  error?: { text: string; retry: () => void } | undefined;
  onBulkDone?: (() => void) | undefined;
}

/** The same list for rows that are here whole: users, nodes, listeners. */
export function LocalTable<Row extends object>({
  rows,
  columns,
  rowId,
  filters = NO_FILTERS,
  actions,
  bulk,
  onOpen,
  empty,
  label,
  name,
  prefix,
  limit = PAGE_SIZE_DEFAULT,
  tools,
  error,
  onBulkDone,
}: LocalTableProps<Row>) {
  const w = useWords(words);
  const language = useLanguage();
  const { values, set } = useTableState(prefix);
  const [choice, setChoice] = useColumnChoice(name, columns);
  const all = useMemo(() => [search, ...filters], [filters]);
  const names = useMemo(() => all.map(({ field }) => field), [all]);
  const sorts = useMemo(() => columns.flatMap(({ sort }) => (sort === false ? [] : [sort])), [columns]);
  const wanted = readList(values, { filters: names, sorts, limit });

  const first = columns[0];
  const idOf = useMemo(
    () => rowId ?? ((row: Row) => String(first?.value(row) ?? JSON.stringify(row))),
    [rowId, first],
  );
  const filterKey = JSON.stringify(wanted.filters);
  const { sort, order } = wanted;
  const found = useMemo(
    () =>
      sorted(matching(rows ?? [], columns, JSON.parse(filterKey)), columns, {
        ...(sort === undefined ? {} : { sort }),
        order,
      }),
    [rows, columns, filterKey, sort, order],
  );
  const last = Math.max(1, Math.ceil(found.length / wanted.limit));
  const list = { ...wanted, page: Math.min(wanted.page, last) };
  const start = (list.page - 1) * list.limit;
  const shown = useMemo(() => found.slice(start, start + list.limit), [found, start, list.limit]);
  const [selection, setSelection] = useRowsSelection(list.filters);
  const clearFilters = () => set(withoutFilters(names), 'push');
  const chosen = (which: Selection) => found.filter((row) => isSelected(which, idOf(row)));

  return (
    <TableFrame
      name={name}
      label={label ?? first?.label[language] ?? name}
      rows={shown}
      columns={columns}
      choice={choice}
      onChoice={setChoice}
      rowId={idOf}
      list={list}
      pager={pagerOf({ count: found.length }, list, shown.length)}
      count={found.length}
      filters={all}
      sorting={{
        field: list.sort,
        order: list.order,
        can: (field) => sorts.includes(field),
        by: (field) => set(sortBy(field, list), 'push'),
      }}
      selection={selection}
      loading={rows === undefined && error === undefined}
      busy={false}
      nothing={
        error ? (
          <ErrorState title={w.failed} text={error.text} retry={error.retry} />
        ) : Object.keys(list.filters).length > 0 ? (
          <NoMatch onClear={clearFilters} />
        ) : (
          <EmptyState title={empty} />
        )
      }
      tools={tools}
      actions={actions}
      bulk={bulk}
      onOpen={onOpen}
      onFilter={(field, value, typing) => set(filterBy({ [field]: value }), typing ? 'replace' : 'push')}
      onClearFilters={clearFilters}
      onPage={(page) => set(goTo(page), 'push')}
      onLimit={(size) => set(resize(size, limit), 'push')}
      onSelect={setSelection}
      readAll={async () => found}
      rowsOf={async (which) => chosen(which)}
      onBulkDone={() => onBulkDone?.()}
    />
  );
}
