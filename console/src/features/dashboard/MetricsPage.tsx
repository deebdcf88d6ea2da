import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { metrics } from '@mqdeck/contract/metrics';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { CopyButton } from '../../ui/Copyable.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { formatRate, formatTime, NOTHING } from '../../ui/format.ts';
import { IconChevronDown, IconChevronUp, IconCopy, IconRefresh, IconSearch } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import {
  type Counter,
  countersOf,
  formatCount,
  GROUPS,
  type GroupName,
  groupOf,
  inTwo,
  type Reading,
  seenOf,
  type View,
} from './metric-list.ts';
import { metricWords } from './metric-words.ts';
import classes from './metrics.module.css';
import { groupWords, words } from './metrics-page-words.ts';

const POLL_MS = 5000;
const inPlace = { progress: false, quiet: true, poll: POLL_MS } as const;
type NodeMetrics = Record<string, unknown> & { node?: string };

/** Every counter there is, in groups; what to see of them is in the address. */
export function MetricsPage() {
  const w = useWords(words);
  const language = useLanguage();
  const { values, set } = useUrlState();
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : '');
  const node = text('node');
  const group = GROUPS.find((one) => one === text('group'));
  const by = (['value', 'rate'] as const).find((one) => one === text('sort')) ?? 'key';
  const view: View = {
    text: text('q'),
    nonZero: text('nonzero') === 'true',
    by,
    descending: text('order') === 'desc',
  };

  const sum = useEndpoint(metrics.list, { query: { aggregate: true } }, { ...inPlace, enabled: node === '' });
  const each = useEndpoint(metrics.list, { query: { aggregate: false } }, inPlace);
  const perNode = (Array.isArray(each.data) ? each.data : []) as NodeMetrics[];
  const names = perNode.flatMap((one) => (one.node === undefined ? [] : [one.node]));
  const answer = node === '' ? sum : each;
  const found = (node === '' ? sum.data : perNode.find((one) => one.node === node)) as
    | NodeMetrics
    | undefined;

  const now = useMemo<Reading | undefined>(
    () => found && { at: answer.dataUpdatedAt, values: found },
    [found, answer.dataUpdatedAt],
  );
  const [since, startAnew] = useFirstReading(now, node);
  const counters = useMemo(() => (now ? countersOf(now, since) : []), [now, since]);
  const explain = (key: string) => metricWords[key]?.[language] ?? '';
  const seen = seenOf(counters, view, explain);
  const shown = group ? [group] : GROUPS.filter((one) => seen.some(({ key }) => groupOf(key) === one));
  const filtered = view.text !== '' || view.nonZero;
  const clear = () => set({ q: undefined, nonzero: undefined, group: undefined }, 'push');
  const sortBy = (next: View['by']) => {
    const descending = by === next ? !view.descending : next !== 'key';
    set({ sort: next === 'key' ? undefined : next, order: descending ? 'desc' : undefined }, 'push');
  };
  const copyAll = async () => {
    const lines = seen
      .filter(({ key }) => !group || groupOf(key) === group)
      .map(({ key, value }) => `${key}\t${value}`);
    const done = await copyText(lines.join('\n'));
    toast(done ? 'good' : 'bad', done ? w.copied({ count: lines.length }) : w.copyFailed);
  };

  let content: ReactNode;
  if (node !== '' && each.data && !found) {
    content = (
      <Panel>
        <EmptyState
          title={w.noNode({ node: visibleText(node) })}
          action={<Button onClick={() => set({ node: undefined }, 'push')}>{w.showCluster}</Button>}
        />
      </Panel>
    );
  } else if (!now) {
    content = answer.error ? (
      <Panel>
        <QueryFailed error={answer.error} retry={answer.refetch} />
      </Panel>
    ) : (
      <SkeletonRows rows={14} />
    );
  } else if (!seen.some(({ key }) => shown.includes(groupOf(key)))) {
    content = (
      <Panel>
        <EmptyState
          icon={<IconSearch size={28} />}
          title={w.none}
          text={filtered ? w.noneText : undefined}
          action={<Button onClick={clear}>{w.clear}</Button>}
        />
      </Panel>
    );
  } else {
    content = (
      <div className={classes.groups}>
        {inTwo(shown, (one) => seen.filter(({ key }) => groupOf(key) === one).length).map((stack) => (
          <div key={stack.join()}>
            {stack.map((one) => (
              <Group
                key={one}
                name={one}
                counters={seen.filter(({ key }) => groupOf(key) === one)}
                view={view}
                explain={explain}
                onSort={sortBy}
              />
            ))}
          </div>
        ))}
      </div>
    );
  }

  return (
    <Page title={w.title} purpose={since && w.purpose({ time: formatTime(since.at, language) })}>
      <div className={classes.bar}>
        <NativeSelect
          aria-label={w.scope}
          value={node}
          onChange={(event) => set({ node: event.currentTarget.value || undefined }, 'push')}
          data={[
            { value: '', label: w.cluster },
            ...[...new Set([...names, ...(node ? [node] : [])])].map((name) => ({
              value: name,
              label: visibleText(name),
            })),
          ]}
        />
        <TextInput
          className={classes.search}
          type="search"
          aria-label={w.search}
          placeholder={w.search}
          leftSection={<IconSearch size={15} />}
          value={view.text}
          onChange={(event) => set({ q: event.currentTarget.value || undefined }, 'replace')}
        />
        <Switch
          label={w.nonZero}
          checked={view.nonZero}
          onChange={(event) => set({ nonzero: event.currentTarget.checked ? 'true' : undefined }, 'push')}
        />
        <span className={classes.barEnd}>
          <Button leftSection={<IconCopy size={15} />} disabled={!now} onClick={() => void copyAll()}>
            {w.copyAll}
          </Button>
          <Button
            leftSection={<IconRefresh size={15} />}
            disabled={!now}
            onClick={() => {
              startAnew();
              void answer.refetch();
            }}
          >
            {w.refresh}
          </Button>
        </span>
      </div>
      <nav className={classes.chips} aria-label={w.groups}>
        {([undefined, ...GROUPS] as const).map((one) => (
          <button
            key={one ?? 'all'}
            type="button"
            className={classes.chip}
            aria-pressed={one === group}
            onClick={() => set({ group: one }, 'push')}
          >
            {one ? groupWords[one][language] : w.all}
            <span className={classes.chipCount}>
              {one ? seen.filter(({ key }) => groupOf(key) === one).length : seen.length}
            </span>
          </button>
        ))}
      </nav>
      {content}
    </Page>
  );
}

/** The reading that rates count from: the first one of this visit, or of this node, until it is started anew. */
function useFirstReading(now: Reading | undefined, node: string): [Reading | undefined, () => void] {
  const [first, setFirst] = useState<{ node: string; reading: Reading }>();
  const has = first?.node === node;
  useEffect(() => {
    if (now && !has) setFirst({ node, reading: now });
  }, [now, node, has]);
  return [has ? first.reading : undefined, () => setFirst(now && { node, reading: now })];
}

function Group({
  name,
  counters,
  view,
  explain,
  onSort,
}: {
  name: GroupName;
  counters: readonly Counter[];
  view: View;
  explain: (key: string) => string;
  onSort: (by: View['by']) => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const heads = [
    ['key', w.counter],
    ['value', w.value],
    ['rate', w.rate],
  ] as const;
  return (
    <section className={classes.group}>
      <h2 className={classes.groupTitle}>{groupWords[name][language]}</h2>
      <table className={classes.table}>
        <thead>
          <tr>
            {heads.map(([by, label]) => (
              <th
                key={by}
                scope="col"
                aria-sort={view.by === by ? (view.descending ? 'descending' : 'ascending') : undefined}
              >
                <button type="button" className={classes.sort} onClick={() => onSort(by)}>
                  {label}
                  {view.by === by &&
                    (view.descending ? <IconChevronDown size={12} /> : <IconChevronUp size={12} />)}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {counters.map(({ key, value, rate }) => (
            <tr key={key} data-zero={Number(value) === 0 || undefined}>
              <th scope="row">
                <span className={classes.key}>
                  <code>{visibleText(key)}</code>
                  <CopyButton text={`${key} ${value}`} label={`${w.counter} ${key}`} />
                </span>
                {explain(key) && <span className={classes.meaning}>{explain(key)}</span>}
              </th>
              <td>{formatCount(value, language)}</td>
              <td className={classes.rate}>{rate === null ? NOTHING : formatRate(rate, language)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
