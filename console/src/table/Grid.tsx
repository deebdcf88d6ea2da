import {
  columnOrderingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { observeElementRect, type Rect, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Language } from '../i18n/language.ts';
import { useLanguage, useWords } from '../i18n/words.ts';

import { IconArrowDown, IconArrowUp, IconGrip, IconMore } from '../ui/icons.tsx';
import type { ColumnChoice } from './column-choice.ts';
import type { Column } from './columns.tsx';
import { useNarrow } from './narrow.ts';
import { type RowAction, RowMenu } from './RowMenu.tsx';
import { choose, isSelected, pageState, range, type Selection } from './selection.ts';
import classes from './table.module.css';
import { words } from './words.ts';

const ROW_PX = 34;
/** What a row of a narrow screen takes about; each is as high as its facts need. */
const NARROW_ROW_PX = 98;
/** Up to here every row is in the document, so that the browser's own search and printing find them. */
const ALL_ROWS = 100;
const OVERSCAN = 12;
const TICK_PX = 36;
const MENU_PX = 40;
const ORDER_PX = 48;
const SKELETON_ROWS = 12;

const features = tableFeatures({ columnOrderingFeature, columnVisibilityFeature });

export interface Sorting {
  field?: string | undefined;
  order: 'asc' | 'desc';
  can: (field: string) => boolean;
  by: (field: string) => void;
}

export interface Ticking {
  selection: Selection;
  set: (next: Selection) => void;
}

/** Rows whose order the operator decides; table/reorder makes one. Stable, because rows are memoised. */
export interface Ordering {
  /** Heads the numbers. */
  label: string;
  /** Said of the number that a row is dragged by. */
  grip: string;
  /** Makes a row draggable, until what it returns is called. */
  attach: (row: HTMLElement, id: string) => () => void;
  /** Alt and an arrow key on a row. */
  step: (id: string, by: -1 | 1) => void;
}

export interface GridProps<Row> {
  /** What the rows are, for those who hear the table. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  choice: ColumnChoice;
  rowId: (row: Row) => string;
  /** How many rows stand on the pages before. */
  before: number;
  count: number | undefined;
  sorting: Sorting;
  ticking?: Ticking | undefined;
  ordering?: Ordering | undefined;
  actions?: ((row: Row) => readonly RowAction[]) | undefined;
  onOpen?: ((row: Row) => void) | undefined;
  loading: boolean;
  busy: boolean;
  /** Stands in place of the rows where there are none. */
  nothing: ReactNode;
}

export function Grid<Row extends object>({
  label,
  rows,
  columns,
  choice,
  rowId,
  before,
  count,
  sorting,
  ticking,
  ordering,
  actions,
  onOpen,
  loading,
  busy,
  nothing,
}: GridProps<Row>) {
  const w = useWords(words);
  const language = useLanguage();
  const narrow = useNarrow();
  const scroller = useRef<HTMLElement>(null);
  const [active, setActive] = useState<string>();
  const [menu, setMenu] = useState<{ row: Row; button: HTMLElement }>();
  const lastTicked = useRef<string>(undefined);

  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return columns.map(({ id, value }) => helper.accessor(value, { id }));
  }, [columns]);
  const table = useTable({
    features,
    columns: definitions,
    data: rows as Row[],
    getRowId: rowId,
    state: {
      columnOrder: [...choice.order],
      columnVisibility: Object.fromEntries(choice.hidden.map((id) => [id, false])),
    },
  });
  const shownIds = table
    .getVisibleLeafColumns()
    .map(({ id }) => id)
    .join('\n');
  const shown = useMemo(() => {
    const byId = new Map(columns.map((column) => [column.id, column]));
    return shownIds.split('\n').flatMap((id) => byId.get(id) ?? []);
  }, [columns, shownIds]);

  const list = table.getRowModel().rows;
  const ids = useMemo(() => list.map(({ id }) => id), [list]);
  const all = list.length <= ALL_ROWS;
  const virtual = useVirtualizer({
    count: list.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (narrow ? NARROW_ROW_PX : ROW_PX),
    getItemKey: (index) => ids[index] ?? index,
    overscan: all ? ALL_ROWS : OVERSCAN,
    observeElementRect: firstScreenUntilLaidOut,
    scrollPaddingStart: narrow ? 0 : 32,
  });
  useEffect(() => {
    virtual.measure(); // The height of every row changes with the form of the rows.
    void narrow;
  }, [virtual, narrow]);
  const measure = narrow ? virtual.measureElement : undefined;

  useFillHeight(scroller);

  const focusRow = (id: string) => {
    const index = ids.indexOf(id);
    if (index < 0) return;
    setActive(id);
    virtual.scrollToIndex(index, { align: 'auto' });
    requestAnimationFrame(() => {
      for (const row of scroller.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])
        if (row.dataset.row === id) row.focus();
    });
  };

  const tick = useCallback(
    (id: string, event: { shiftKey: boolean }) => {
      if (!ticking) return;
      const on = !isSelected(ticking.selection, id);
      const which = event.shiftKey ? range(ids, lastTicked.current, id) : [id];
      lastTicked.current = id;
      ticking.set(choose(ticking.selection, which, on));
    },
    [ticking, ids],
  );
  // Rows are memoised: what they call must stay the same function.
  const latest = useRef({ tick, rows });
  useLayoutEffect(() => {
    latest.current = { tick, rows };
  });
  const onTick = useCallback(
    (id: string, event: { shiftKey: boolean }) => latest.current.tick(id, event),
    [],
  );
  const onMenu = useCallback((row: object, button: HTMLElement) => setMenu({ row: row as Row, button }), []);

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const target = event.target as HTMLElement;
    const onRow = target.dataset.row !== undefined;
    // Controls inside a row keep their own keys.
    if (!onRow && target !== scroller.current) return;
    const at = active === undefined ? -1 : ids.indexOf(active);
    if (event.altKey) {
      if (!ordering || !onRow || active === undefined) return;
      if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
      event.preventDefault();
      ordering.step(active, event.key === 'ArrowUp' ? -1 : 1);
      return;
    }
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: ids.length - 1 }[event.key];
    if (to !== undefined && ids.length > 0) {
      event.preventDefault();
      const id = ids[Math.max(0, Math.min(ids.length - 1, to))]!;
      if (event.shiftKey && ticking && onRow && active !== undefined)
        ticking.set(choose(ticking.selection, [active, id], true));
      focusRow(id);
      return;
    }
    if (!onRow) return;
    const row = list[at]?.original;
    if (event.key === ' ' && ticking && active !== undefined) {
      event.preventDefault();
      tick(active, event);
    } else if (event.key === 'Enter' && row !== undefined) {
      event.preventDefault();
      if (onOpen) onOpen(row);
      else target.querySelector('a')?.click();
    }
  }

  const wide =
    shown.reduce((sum, { width }) => sum + width, 0) +
    (ticking ? TICK_PX : 0) +
    (ordering ? ORDER_PX : 0) +
    (actions ? MENU_PX : 0);
  const extra = (ticking ? 1 : 0) + (ordering ? 1 : 0) + (actions ? 1 : 0);
  const style = {
    '--columns': [
      ...(ticking ? [`${TICK_PX}px`] : []),
      ...(ordering ? [`${ORDER_PX}px`] : []),
      ...shown.map(({ width, grow }) => `minmax(${width}px, ${grow}fr)`),
      ...(actions ? [`${MENU_PX}px`] : []),
    ].join(' '),
    '--least': `${wide}px`,
  } as CSSProperties;
  const pageTicks = ticking ? pageState(ticking.selection, ids) : 'none';
  const items = virtual.getVirtualItems();
  const current = active !== undefined && ids.includes(active) ? active : ids[0];

  return (
    <>
      <section
        ref={scroller}
        className={classes.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={w.rowsRegion({ name: label })}
        aria-busy={busy || loading}
        onKeyDown={onKeyDown}
      >
        {/* Beside the table: a table may hold nothing but rows. */}
        {loading && (
          <span className="visually-hidden" role="status">
            {w.loading}
          </span>
        )}
        {/* biome-ignore-start lint/a11y: rows out of sight are not in the document, which a table element cannot say */}
        <div
          role="table"
          className={classes.table}
          style={style}
          aria-label={label}
          aria-rowcount={loading ? -1 : (count ?? -2) + 1 || 1}
          aria-colcount={shown.length + extra}
        >
          <div role="rowgroup" className={classes.head}>
            <div role="row" aria-rowindex={1} className={classes.headRow}>
              {ticking && (
                <div role="columnheader" className={classes.tickCell}>
                  <TickBox
                    label={w.selectPage}
                    state={pageTicks}
                    onClick={() => ticking.set(choose(ticking.selection, ids, pageTicks !== 'all'))}
                  />
                </div>
              )}
              {ordering && (
                <div role="columnheader" className={classes.orderCell}>
                  <span className="visually-hidden">{ordering.label}</span>
                </div>
              )}
              {shown.map((column) => (
                <Header key={column.id} column={column} language={language} sorting={sorting} />
              ))}
              {actions && (
                <div role="columnheader" className={classes.menuCell}>
                  <span className="visually-hidden">{w.actions}</span>
                </div>
              )}
            </div>
          </div>
          {loading ? (
            <SkeletonRows columns={shown.length + (ordering ? 1 : 0)} ticking={ticking !== undefined} />
          ) : (
            <div
              role="rowgroup"
              className={classes.body}
              style={{ blockSize: list.length === 0 ? undefined : virtual.getTotalSize() }}
            >
              {items.map((item) => {
                const row = list[item.index];
                return (
                  row && (
                    <GridRow
                      key={row.id}
                      row={row.original}
                      id={row.id}
                      index={item.index}
                      ariaIndex={before + item.index + 2}
                      start={item.start}
                      columns={shown}
                      language={language}
                      narrow={narrow}
                      measure={measure}
                      reachable={row.id === current}
                      selected={ticking ? isSelected(ticking.selection, row.id) : undefined}
                      withMenu={actions !== undefined}
                      ordering={ordering}
                      onTick={onTick}
                      onMenu={onMenu}
                      onActive={setActive}
                      tickLabel={w.selectRow}
                      menuLabel={w.rowActions}
                    />
                  )
                );
              })}
            </div>
          )}
        </div>
        {/* biome-ignore-end lint/a11y: see above */}
        {!loading && list.length === 0 && <div className={classes.nothing}>{nothing}</div>}
      </section>
      {menu && actions && (
        <RowMenu actions={actions(menu.row)} button={menu.button} onClose={() => setMenu(undefined)} />
      )}
    </>
  );
}

/** Before the first layout a region has no height; the first screenful is drawn at once, not one frame later. */
function firstScreenUntilLaidOut(
  instance: Virtualizer<HTMLElement, HTMLElement>,
  report: (rect: Rect) => void,
) {
  return observeElementRect(instance, (rect) =>
    report(rect.height > 0 ? rect : { width: rect.width, height: 24 * ROW_PX }),
  );
}

/** The region ends above the window's lower edge, so that head, rows and pager are seen at once. */
function useFillHeight(region: { current: HTMLElement | null }) {
  useLayoutEffect(() => {
    const element = region.current;
    if (!element) return;
    const fit = () => {
      const top = element.getBoundingClientRect().top;
      element.style.setProperty('--above', `${Math.max(0, Math.round(top))}px`);
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(document.body);
    if (element.parentElement) observer.observe(element.parentElement);
    return () => observer.disconnect();
  }, [region]);
}

interface GridRowProps<Row extends object> {
  row: Row;
  id: string;
  index: number;
  ariaIndex: number;
  start: number;
  columns: readonly Column<Row>[];
  language: Language;
  narrow: boolean;
  /** Told of a row whose height is its own. */
  measure: ((row: HTMLElement) => void) | undefined;
  reachable: boolean;
  selected: boolean | undefined;
  withMenu: boolean;
  ordering: Ordering | undefined;
  onTick: (id: string, event: { shiftKey: boolean }) => void;
  onMenu: (row: object, button: HTMLElement) => void;
  onActive: (id: string) => void;
  tickLabel: (values: { id: string }) => string;
  menuLabel: (values: { id: string }) => string;
}

const GridRow = memo(function GridRow<Row extends object>({
  row,
  id,
  index,
  ariaIndex,
  start,
  columns,
  language,
  narrow,
  measure,
  reachable,
  selected,
  withMenu,
  ordering,
  onTick,
  onMenu,
  onActive,
  tickLabel,
  menuLabel,
}: GridRowProps<Row>) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => (element.current ? ordering?.attach(element.current, id) : undefined), [ordering, id]);
  useLayoutEffect(() => {
    if (element.current) measure?.(element.current);
  }, [measure]);
  return (
    // biome-ignore-start lint/a11y: part of the table above
    <div
      ref={element}
      role="row"
      data-index={index}
      data-row={id}
      aria-keyshortcuts={ordering ? 'Alt+ArrowUp Alt+ArrowDown' : undefined}
      aria-rowindex={ariaIndex}
      aria-selected={selected}
      tabIndex={reachable ? 0 : -1}
      className={classes.row}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={() => onActive(id)}
    >
      {selected !== undefined && (
        <div role="cell" className={classes.tickCell}>
          <TickBox
            label={tickLabel({ id })}
            state={selected ? 'all' : 'none'}
            onClick={(event) => onTick(id, event)}
          />
        </div>
      )}
      {ordering && (
        <div role="cell" className={classes.orderCell} data-grip title={ordering.grip}>
          <IconGrip size={14} className={classes.grip} />
          {index + 1}
        </div>
      )}
      <Cells row={row} columns={columns} language={language} narrow={narrow} />
      {withMenu && (
        <div role="cell" className={classes.menuCell}>
          <button
            type="button"
            className={classes.iconButton}
            aria-label={menuLabel({ id })}
            aria-haspopup="menu"
            onClick={(event) => onMenu(row, event.currentTarget)}
          >
            <IconMore size={18} strokeWidth={2.6} />
          </button>
        </div>
      )}
    </div>
    // biome-ignore-end lint/a11y: see above
  );
}) as <Row extends object>(props: GridRowProps<Row>) => ReactNode;

/** The dear part of a row: drawn again only when its facts, the columns or the language change. */
const Cells = memo(function Cells<Row extends object>({
  row,
  columns,
  language,
  narrow,
}: {
  row: Row;
  columns: readonly Column<Row>[];
  language: Language;
  narrow: boolean;
}) {
  const cell = (column: Column<Row>, i: number, role?: 'cell') => (
    <div
      role={role}
      key={column.id}
      className={classes.cell}
      data-align={column.align}
      data-first={i === 0 || undefined}
      data-lead={column.lead || undefined}
    >
      {narrow && i > 0 && !column.lead && <span className={classes.factLabel}>{column.label[language]}</span>}
      {column.render(row, language)}
    </div>
  );
  if (!narrow) return columns.map((column, i) => cell(column, i, 'cell'));
  // The name and its state, then the other facts, those first that are looked for most.
  const above = (column: Column<Row>, i: number) => i === 0 || column.lead;
  const brief = (column: Column<Row>, i: number) => column.brief && !above(column, i);
  return (
    <>
      {columns.map((column, i) => (above(column, i) ? cell(column, i, 'cell') : null))}
      {/* biome-ignore lint/a11y: one cell, whose facts say their names */}
      <div role="cell" className={classes.facts}>
        {columns.map((column, i) => (brief(column, i) ? cell(column, i) : null))}
        {columns.map((column, i) => (above(column, i) || brief(column, i) ? null : cell(column, i)))}
      </div>
    </>
  );
}) as <Row extends object>(props: {
  row: Row;
  columns: readonly Column<Row>[];
  language: Language;
  narrow: boolean;
}) => ReactNode;

function Header<Row>({
  column,
  language,
  sorting,
}: {
  column: Column<Row>;
  language: Language;
  sorting: Sorting;
}) {
  const w = useWords(words);
  const field = column.sort;
  const name = column.label[language];
  const sortable = field !== false && sorting.can(field);
  const on = sortable && sorting.field === field;
  const direction = sorting.order === 'asc' ? 'ascending' : 'descending';
  return (
    // biome-ignore-start lint/a11y: part of the table above
    <div
      role="columnheader"
      className={classes.headCell}
      data-align={column.align}
      aria-sort={sortable ? (on ? direction : 'none') : undefined}
    >
      {sortable ? (
        <button
          type="button"
          className={classes.sortButton}
          data-on={on || undefined}
          title={w.sorted({ column: name })}
          onClick={() => sorting.by(field)}
        >
          <span className={classes.headText}>{name}</span>
          {on && (sorting.order === 'asc' ? <IconArrowUp size={13} /> : <IconArrowDown size={13} />)}
        </button>
      ) : (
        <span className={classes.headText} title={name}>
          {name}
        </span>
      )}
    </div>
    // biome-ignore-end lint/a11y: see above
  );
}

function TickBox({
  label,
  state,
  onClick,
}: {
  label: string;
  state: 'none' | 'some' | 'all';
  onClick: (event: MouseEvent<HTMLInputElement>) => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = state === 'some';
  }, [state]);
  return (
    <input
      ref={box}
      type="checkbox"
      className={classes.tick}
      aria-label={label}
      checked={state === 'all'}
      // A click says whether Shift was held; a change does not.
      onClick={onClick}
      onChange={ignoreChange}
    />
  );
}

/** The click handler has done it; React wants a change handler beside `checked`. */
const ignoreChange = () => undefined;

function SkeletonRows({ columns, ticking }: { columns: number; ticking: boolean }) {
  return (
    <div className={classes.skeleton} data-testid="skeleton" aria-hidden="true">
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of nothing never change places
        <div key={row} className={classes.skeletonRow}>
          {ticking && <span />}
          {Array.from({ length: columns }, (_, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <span key={column} className={classes.bone} />
          ))}
        </div>
      ))}
    </div>
  );
}
