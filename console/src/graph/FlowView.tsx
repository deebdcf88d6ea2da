import { Button } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { NotAvailable } from '../api/NotAvailable.tsx';
import { sentenceInPlace } from '../api/report.ts';
import { useLanguage, useWords } from '../i18n/words.ts';
import { INTERVALS_S } from '../table/RefreshControl.tsx';
import { usePolling } from '../table/use-polling.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ErrorState } from '../ui/ErrorState.tsx';
import { formatRate } from '../ui/format.ts';
import { IconChevronDown, IconChevronUp, IconClose, IconSearch, IconWarn } from '../ui/icons.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { useUrlState } from '../url-state.ts';
import { type Flow, type FlowEdge, type FlowNode, flowOf, narrowed } from './flow.ts';
import { type CanvasEdge, type CanvasHandle, type CanvasNode, GraphCanvas } from './GraphCanvas.tsx';
import styles from './graph.module.css';
import { linksOf } from './graph.ts';
import { foundIn, GROUPINGS, type Grouping, grouped, groupingFor } from './groups.ts';
import { cardOf, titleOf } from './NodeCard.tsx';
import { NodeFacts } from './NodeFacts.tsx';
import { currentOf, RULES_MAX, useFlow } from './use-flow.ts';
import { words } from './words.ts';

const PathTable = lazy(async () => ({ default: (await import('./PathTable.tsx')).PathTable }));

const REFRESH_S = INTERVALS_S[1];
/** Pointing at a node on the way to another one is not looking at it. */
const LOOK_MS = 120;
const NAMED_MAX = 4;

/**
 * Rules and bridges as a graph or as a list of paths, for every page that shows how data runs. It keeps its filters in
 * the address.
 */
export function FlowView({ empty, onCount }: { empty: ReactNode; onCount?: (rules: number) => void }) {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const refresh = usePolling(REFRESH_S);
  const [current, setCurrent] = useCurrent();
  const page = Math.max(1, Math.floor(Number(values.page)) || 1);
  const data = useFlow(page, refresh.poll, currentOf(current));
  const { rules, bridges, bridgesError, ruleCounters, bridgeCounters, seen, meta, error } = data;

  const flow = useMemo(
    () => (rules ? flowOf({ rules, bridges, ruleCounters, bridgeCounters, seen }) : undefined),
    [rules, bridges, ruleCounters, bridgeCounters, seen],
  );
  const trouble = values.trouble === 'true';
  const enabled = values.enabled === 'true';
  const wanted = useMemo(
    () => (flow ? narrowed(flow, { trouble, enabled }) : undefined),
    [flow, trouble, enabled],
  );
  const total = meta?.count ?? rules?.length;
  useEffect(() => {
    if (total !== undefined) onCount?.(total);
  }, [total, onCount]);

  if (error && !rules)
    return error.absent ? (
      <NotAvailable />
    ) : (
      <ErrorState text={sentenceInPlace(error)} retry={data.refetch} />
    );
  // Without the bridges every one of them would be called missing for a moment.
  if (!flow || !wanted || (!bridges && !bridgesError)) return <SkeletonRows rows={8} />;
  if (flow.nodes.length === 0) return empty;

  const asList = values.as === 'list';
  const clear = () => set({ trouble: undefined, enabled: undefined }, 'push');
  return (
    <div className={styles.view}>
      {error && (
        <p className={styles.notice} role="status">
          <IconWarn size={15} /> {w.stale({ why: sentenceInPlace(error) })}
        </p>
      )}
      {bridgesError && !bridges && (
        <p className={styles.notice} role="status">
          <IconWarn size={15} /> {w.bridgesUnknown}
        </p>
      )}
      <div className={styles.tools}>
        <fieldset className={styles.views} aria-label={w.views}>
          <button type="button" aria-pressed={!asList} onClick={() => set({ as: undefined }, 'push')}>
            {w.asGraph}
          </button>
          <button type="button" aria-pressed={asList} onClick={() => set({ as: 'list' }, 'push')}>
            {w.asList}
          </button>
        </fieldset>
        <Check
          label={w.onlyTrouble}
          checked={trouble}
          onChange={(on) => set({ trouble: on ? 'true' : undefined }, 'push')}
        />
        <Check
          label={w.onlyEnabled}
          checked={enabled}
          onChange={(on) => set({ enabled: on ? 'true' : undefined }, 'push')}
        />
        <span className={styles.spring} />
        {total !== undefined && total > RULES_MAX && (
          <Pages
            page={page}
            total={total}
            onPage={(to) => set({ page: to > 1 ? String(to) : undefined }, 'push')}
          />
        )}
        {refresh.control({ dataUpdatedAt: data.updatedAt, isFetching: data.fetching, refetch: data.refetch })}
      </div>
      {wanted.nodes.length === 0 ? (
        <EmptyState
          title={trouble && !enabled ? w.nothingLeft : w.noneEnabled}
          text={trouble && !enabled ? w.nothingLeftText : undefined}
          action={<Button onClick={clear}>{w.showAll}</Button>}
        />
      ) : asList ? (
        <Suspense fallback={<SkeletonRows rows={8} />}>
          <PathTable flow={wanted} />
        </Suspense>
      ) : (
        <Drawn
          flow={wanted}
          current={current}
          onCurrent={setCurrent}
          drawing={`${trouble} ${enabled} ${page}`}
        />
      )}
    </div>
  );
}

type Look = (id: string, by: 'focus' | 'pointer') => void;

/** The node that is looked at: by focus at once, by pointer after a moment. */
function useCurrent(): [string | undefined, Look] {
  const [current, setCurrent] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const look = useRef<Look>((id, by) => {
    clearTimeout(timer.current);
    if (by === 'focus') setCurrent(id);
    else timer.current = setTimeout(() => setCurrent(id), LOOK_MS);
  });
  return [current, look.current];
}

function Drawn({
  flow,
  current,
  onCurrent,
  drawing,
}: {
  flow: Flow;
  current: string | undefined;
  onCurrent: Look;
  /** Another drawing begins at its own upper left. */
  drawing: string;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const { values, set } = useUrlState();
  const canvas = useRef<CanvasHandle>(null);
  const automatic = groupingFor(flow);
  const by = GROUPINGS.find((one) => one === values.group) ?? automatic;
  const openText = JSON.stringify(values.open ?? []);
  const open = useMemo(() => new Set([JSON.parse(openText) as string | string[]].flat()), [openText]);
  const shown = useMemo(() => grouped(flow, by, open), [flow, by, open]);
  const q = typeof values.q === 'string' ? values.q : '';
  const hits = useMemo(() => foundIn(flow, q), [flow, q]);

  const setOpen = (next: ReadonlySet<string>) => set({ open: [...next] }, 'replace');
  const openGroup = (id: string) => {
    setOpen(new Set(open).add(id));
    const group = shown.nodes.find((node) => node.id === id);
    const first = group?.holds?.[0];
    if (first) canvas.current?.goTo(first.id);
  };
  const fold = (group: FlowNode) => {
    const next = new Set(open);
    next.delete(group.id);
    setOpen(next);
    canvas.current?.goTo(group.id);
  };
  /** What is drawn together is opened, for only then it can be seen. */
  const goTo = (id: string) => {
    const holder = shown.holder.get(id);
    if (holder !== undefined) setOpen(new Set(open).add(holder.replace(/^(sources|outputs):/, '')));
    canvas.current?.goTo(id);
  };

  const pressed = useRef(openGroup);
  pressed.current = openGroup;
  const { nodes, edges } = useMemo(
    () => drawn(shown, hits, q !== '', language, (id) => pressed.current(id)),
    [shown, hits, q, language],
  );
  const looked = shown.nodes.find(({ id }) => id === current);
  const around = useMemo(() => aroundOf(shown, current), [shown, current]);

  return (
    <>
      <div className={styles.tools}>
        <Find
          q={q}
          hits={hits}
          onSearch={(text) => set({ q: text === '' ? undefined : text }, 'replace')}
          onGo={goTo}
        />
        <label className={styles.labelled}>
          {w.grouping}
          <select
            className={styles.select}
            value={by}
            onChange={(event) => {
              const next = event.currentTarget.value as Grouping;
              set({ group: next === automatic ? undefined : next, open: undefined }, 'push');
            }}
          >
            {GROUPINGS.map((one) => (
              <option key={one} value={one}>
                {w[`grouping.${one}`]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {shown.opened.length > 0 && (
        <div className={styles.opened}>
          {w.openGroups}
          {shown.opened.map((group) => (
            <button
              key={group.id}
              type="button"
              className={styles.chip}
              aria-label={w.foldGroup({ name: titleOf(group, language) })}
              title={w.foldGroup({ name: titleOf(group, language) })}
              onClick={() => fold(group)}
            >
              <span>{titleOf(group, language)}</span>
              <IconClose size={13} />
            </button>
          ))}
          <button type="button" className={styles.button} onClick={() => setOpen(new Set())}>
            {w.foldAll}
          </button>
        </div>
      )}
      <div className={styles.body}>
        <GraphCanvas
          key={`${by} ${drawing}`}
          handle={canvas}
          nodes={nodes}
          edges={edges}
          words={w}
          current={looked?.id}
          onCurrent={onCurrent}
        />
        <NodeFacts node={looked} {...around} onGo={goTo} onOpenGroup={openGroup} />
      </div>
    </>
  );
}

function drawn(
  { nodes, edges, holder }: ReturnType<typeof grouped>,
  hits: readonly FlowNode[],
  searching: boolean,
  language: ReturnType<typeof useLanguage>,
  open: (id: string) => void,
): { nodes: CanvasNode[]; edges: CanvasEdge[] } {
  const found = new Set(hits.map(({ id }) => holder.get(id) ?? id));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const links = linksOf(edges);
  const named = (ids: readonly string[] | undefined): string[] => {
    const names = (ids ?? []).map((id) => titleOf(byId.get(id)!, language));
    return names.length > NAMED_MAX ? [...names.slice(0, NAMED_MAX), `+${names.length - NAMED_MAX}`] : names;
  };
  return {
    nodes: nodes.map((node) => {
      const { id, column, kind, trouble } = node;
      const around = { before: named(links.before.get(id)), after: named(links.after.get(id)) };
      const hit = found.has(id);
      return {
        id,
        column,
        trouble,
        hit,
        dim: searching && !hit,
        ...cardOf(node, language, around),
        ...(kind === 'group' ? { press: () => open(id) } : {}),
        ...(kind === 'topics' ? { press: () => open(id.replace(/^(sources|outputs):/, '')) } : {}),
      };
    }),
    edges: edges.map((edge) => ({
      id: edge.id,
      from: edge.from,
      to: edge.to,
      back: edge.back,
      dim: searching && !found.has(edge.from) && !found.has(edge.to),
      look: lookOf(edge),
      label: labelOf(edge, language),
    })),
  };
}

const lookOf = ({ shut, loop, rate }: FlowEdge): CanvasEdge['look'] =>
  shut ?? (loop ? 'loop' : (rate ?? 0) > 0 ? 'busy' : 'plain');

const labelOf = ({ rate, shut }: FlowEdge, language: ReturnType<typeof useLanguage>): string | undefined =>
  rate !== undefined && rate > 0 && !shut ? `${formatRate(rate, language)}/s` : undefined;

function aroundOf({ nodes, edges }: Flow, id: string | undefined) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const pick = (back: boolean, near: 'from' | 'to', far: 'from' | 'to') =>
    edges.flatMap((edge) =>
      edge[near] === id && (edge.back === true) === back ? (byId.get(edge[far]) ?? []) : [],
    );
  return {
    before: pick(false, 'to', 'from'),
    after: pick(false, 'from', 'to'),
    feeds: pick(true, 'from', 'to'),
  };
}

function Find({
  q,
  hits,
  onSearch,
  onGo,
}: {
  q: string;
  hits: readonly FlowNode[];
  onSearch: (text: string) => void;
  onGo: (id: string) => void;
}) {
  const w = useWords(words);
  const [at, setAt] = useState(-1);
  const step = (by: 1 | -1) => {
    if (hits.length === 0) return;
    const next = (at + by + hits.length) % hits.length;
    setAt(next);
    onGo(hits[next]!.id);
  };
  const where = at >= 0 && at < hits.length;
  return (
    <search className={styles.find}>
      <span className={styles.findBox}>
        <IconSearch size={15} />
        <input
          type="search"
          aria-label={w.find}
          placeholder={w.find}
          value={q}
          onChange={(event) => {
            setAt(-1);
            onSearch(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            step(event.shiftKey ? -1 : 1);
          }}
        />
      </span>
      <button
        type="button"
        className={styles.iconButton}
        aria-label={w.findBefore}
        title={w.findBefore}
        disabled={hits.length === 0}
        onClick={() => step(-1)}
      >
        <IconChevronUp size={15} />
      </button>
      <button
        type="button"
        className={styles.iconButton}
        aria-label={w.findNext}
        title={w.findNext}
        disabled={hits.length === 0}
        onClick={() => step(1)}
      >
        <IconChevronDown size={15} />
      </button>
      <span className={styles.count} role="status">
        {q === ''
          ? ''
          : hits.length === 0
            ? w.noHit
            : where
              ? w.hitAt({ at: at + 1, count: hits.length })
              : w.hits({ count: hits.length })}
      </span>
    </search>
  );
}

function Check({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (on: boolean) => void;
}) {
  return (
    <label className={styles.labelled}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

function Pages({ page, total, onPage }: { page: number; total: number; onPage: (page: number) => void }) {
  const w = useWords(words);
  const last = Math.ceil(total / RULES_MAX);
  const from = (page - 1) * RULES_MAX + 1;
  return (
    <span className={styles.labelled}>
      {w.pages({ from, to: Math.min(total, page * RULES_MAX), count: total })}
      <button type="button" className={styles.button} disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {w.pageBefore}
      </button>
      <button
        type="button"
        className={styles.button}
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
      >
        {w.pageNext}
      </button>
    </span>
  );
}
