import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import type { Page } from '@mqdeck/contract/kit/page';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { sentenceInPlace } from '../api/report.ts';
import { request } from '../api/request.ts';
import { useEndpoint } from '../api/use-endpoint.ts';
import { useLanguage, useWords } from '../i18n/words.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ErrorState } from '../ui/ErrorState.tsx';
import type { BulkAction } from './BulkBar.tsx';
import type { ColumnChoice } from './column-choice.ts';
import type { Column } from './columns.tsx';
import { type ReadProgress, readAll } from './export.ts';
import type { Filter } from './filters.ts';
import {
  filterBy,
  goTo,
  PAGE_SIZE_DEFAULT,
  queryOf,
  readList,
  resize,
  sortBy,
  withoutFilters,
} from './list-state.ts';
import { NoMatch } from './NoMatch.tsx';
import { pageInstead, pagerOf } from './paging.ts';
import { INTERVALS_S } from './RefreshControl.tsx';
import type { RowAction } from './RowMenu.tsx';
import { isSelected, type Selection } from './selection.ts';
import { sortFieldsOf } from './sortable.ts';
import { TableFrame } from './TableFrame.tsx';
import classes from './table.module.css';
import { useTableState } from './table-host.tsx';
import { useColumnChoice } from './use-column-choice.ts';
import { usePolling } from './use-polling.tsx';
import { useRowsSelection } from './use-rows-selection.ts';
import { words } from './words.ts';

const NO_FILTERS: readonly Filter[] = [];
const NO_ROWS: readonly never[] = [];

/** Sorted, so that moving a column asks for nothing new. */
function fieldsOf<Row>(
  columns: readonly Column<Row>[],
  { hidden }: ColumnChoice,
  always: readonly string[],
): string {
  const shown = columns.filter(({ id }) => !hidden.includes(id)).flatMap(({ fields }) => fields);
  return [...new Set([...always, ...shown])].sort().join(',');
}

export interface QueryTableProps<Row extends object> {
  /** A paged list of the contract. */
  query: Endpoint;
  /** What is always asked: path parameters, fixed query keys such as `fields`. */
  given?: { params?: Record<string, string>; query?: Record<string, unknown> } | undefined;
  columns: readonly Column<Row>[];
  /**
   * For lists that send only the fields named in `fields`: those that the page needs beside what the shown columns show.
   */
  fields?: readonly string[] | undefined;
  /** What tells one row from another; the first column's value unless told. */
  rowId?: ((row: Row) => string) | undefined;
  filters?: readonly Filter[] | undefined;
  actions?: ((row: Row) => readonly RowAction[]) | undefined;
  bulk?: readonly BulkAction<Row>[] | undefined;
  /** Enter and the row's first link open it; this is for rows without a link. */
  onOpen?: ((row: Row) => void) | undefined;
  /** What an empty list says, with the next step. */
  empty: ReactNode;
  /** Said in place of "nothing matches", when something else is the reason. */
  noMatch?: ReactNode;
  /** What the rows are, for those who hear the table. */
  label?: string | undefined;
  /** Where columns are remembered and what exports are called; the endpoint's path unless told. */
  name?: string | undefined;
  /** Keeps two lists of one page apart in the URL. */
  prefix?: string | undefined;
  limit?: number | undefined;
  /** Seconds between refreshes; 0 begins paused. */
  refreshSeconds?: number | undefined;
  tools?: ReactNode;
  /** Hears the figures of the list, for a sentence beside the title. */
  onCount?: ((count: number | undefined) => void) | undefined;
  /** Hears each answer's rows with the moment they came, to tell rates from counters. */
  onRows?: ((rows: readonly Row[], at: number) => void) | undefined;
}

/** A list that the server pages, sorts and filters. Its state is the URL's. */
export function QueryTable<Row extends object>({
  query,
  given,
  columns,
  fields,
  rowId,
  filters = NO_FILTERS,
  actions,
  bulk,
  onOpen,
  empty,
  noMatch,
  label,
  name = query.path,
  prefix,
  limit = PAGE_SIZE_DEFAULT,
  refreshSeconds = 10,
  tools,
  onCount,
  onRows,
}: QueryTableProps<Row>) {
  const w = useWords(words);
  const language = useLanguage();
  const state = useTableState(prefix);
  const sorts = useMemo(() => sortFieldsOf(query), [query]);
  const names = useMemo(() => filters.map(({ field }) => field), [filters]);
  const list = readList(state.values, { filters: names, sorts, limit });

  const refreshes = refreshSeconds > 0;
  const refresh = usePolling(refreshes ? refreshSeconds : INTERVALS_S[1], refreshes);
  const [choice, setChoice] = useColumnChoice(name, columns);
  const asked = {
    ...given,
    query: {
      ...given?.query,
      ...(fields && { fields: fieldsOf(columns, choice, fields) }),
      ...queryOf(list),
    },
  };
  const result = useEndpoint(query, asked as never, {
    poll: refresh.poll,
    quiet: true,
  });
  const page = result.data as Page<Row> | null | undefined;
  const error: ApiError | null = result.error;
  const rows: readonly Row[] = page?.data ?? NO_ROWS;
  const meta = page?.meta;
  const stale = result.isPlaceholderData;
  const count = meta?.count !== undefined && meta.count >= 0 ? meta.count : undefined;

  const first = columns[0];
  const idOf = useMemo(
    () => rowId ?? ((row: Row) => String(first?.value(row) ?? JSON.stringify(row))),
    [rowId, first],
  );
  const [selection, setSelection] = useRowsSelection([given, list.filters]);
  const seen = useRef(new Map<string, Row>());
  useEffect(() => {
    for (const row of rows) seen.current.set(idOf(row), row);
  }, [rows, idOf]);

  const instead = stale || !page ? null : pageInstead(meta, list, rows.length);
  const { set } = state;
  useEffect(() => {
    if (instead !== null) set(goTo(instead), 'replace');
  }, [instead, set]);
  useEffect(() => {
    if (page && !stale) onCount?.(count);
  }, [page, stale, count, onCount]);

  const { dataUpdatedAt } = result;
  useEffect(() => {
    if (!stale) onRows?.(rows, dataUpdatedAt);
  }, [rows, stale, dataUpdatedAt, onRows]);

  const unsorted = list.sort !== undefined && page != null && !stale && meta?.sort === undefined;
  const filtered = Object.keys(list.filters).length > 0;
  const clearFilters = () => set(withoutFilters(names), 'push');

  const everyRow = (
    signal: AbortSignal,
    onProgress: (progress: ReadProgress) => void,
    only?: readonly string[],
  ) => {
    const loadPage = (number: number, size: number) =>
      request(
        query,
        {
          ...given,
          query: {
            ...given?.query,
            fields: only?.join(','),
            ...queryOf(list),
            page: number,
            limit: size,
          },
        } as never,
        { signal, quiet: true },
      ) as Promise<Page<Row>>;
    return readAll(loadPage, { signal, onProgress, rowId: idOf });
  };

  async function rowsOf(which: Selection, signal: AbortSignal, onRead: (rows: number) => void) {
    if (which.kind === 'some') return [...which.ids].flatMap((id) => seen.current.get(id) ?? []);
    const all = await everyRow(signal, ({ rows: read }) => onRead(read), fields);
    return all.filter((row) => isSelected(which, idOf(row)));
  }

  const refetch = () => void result.refetch();
  const failure = error && (error.absent ? w.unavailable : sentenceInPlace(error));
  return (
    <TableFrame
      name={name}
      label={label ?? first?.label[language] ?? name}
      rows={rows}
      columns={columns}
      choice={choice}
      onChoice={setChoice}
      rowId={idOf}
      list={list}
      pager={pagerOf(meta, list, rows.length)}
      count={count}
      filters={filters}
      sorting={{
        field: unsorted ? undefined : list.sort,
        order: list.order,
        can: (field) => !unsorted && sorts.includes(field),
        by: (field) => set(sortBy(field, list), 'push'),
      }}
      selection={selection}
      loading={page === undefined && !error}
      busy={result.isFetching && stale}
      notice={
        <>
          {unsorted && <p className={classes.notice}>{w.notSorting}</p>}
          {failure && rows.length > 0 && (
            <p className={classes.notice} data-bad="true" role="alert">
              {w.failedAgain}: {failure}
              <button type="button" className={classes.plainButton} onClick={refetch}>
                {w.retry}
              </button>
            </p>
          )}
        </>
      }
      nothing={
        error?.absent && rows.length === 0 ? (
          <EmptyState title={w.unavailable} />
        ) : failure ? (
          <ErrorState title={w.failed} text={failure} retry={refetch} />
        ) : filtered ? (
          noMatch || <NoMatch onClear={clearFilters} />
        ) : (
          <EmptyState title={empty} />
        )
      }
      tools={
        <>
          {tools}
          {refresh.control(result)}
        </>
      }
      actions={actions}
      bulk={bulk}
      onOpen={onOpen}
      onFilter={(field, value, typing) => set(filterBy({ [field]: value }), typing ? 'replace' : 'push')}
      onClearFilters={clearFilters}
      onPage={(number) => set(goTo(number), 'push')}
      onLimit={(size) => set(resize(size, limit), 'push')}
      onSelect={setSelection}
      readAll={(signal, onProgress) => everyRow(signal, onProgress)}
      rowsOf={rowsOf}
      onBulkDone={refetch}
    />
  );
}
