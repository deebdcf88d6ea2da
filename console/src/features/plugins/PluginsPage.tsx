import { Button, SegmentedControl } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Plugin } from '@mqdeck/contract/plugins';
import { useMemo } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import { FilterBar } from '../../table/FilterBar.tsx';
import { textFilter } from '../../table/filters.ts';
import type { RowAction } from '../../table/RowMenu.tsx';
import { OrderedTable } from '../../table/reorder/OrderedTable.tsx';
import type { Position } from '../../table/reorder/order.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { IconPlugin, IconPlus } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { PluginState } from './PluginState.tsx';
import { idOfPlugin, runs, worstOf } from './plugin-state.ts';
import styles from './plugins.module.css';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

/** What somebody else changed, and a plugin that ended by itself, is seen after this time. */
const POLL_MS = 5000;
const SEARCH = 'q';
const filters = [textFilter(SEARCH, words.search)];
const WHICH = ['all', 'running', 'stopped'] as const;
type Which = (typeof WHICH)[number];

const column = columnsOf<Plugin>(words);
const columns = [
  column.custom('name', (plugin) => <Name plugin={plugin} />, { value: idOfPlugin, width: 240, grow: 2 }),
  column.custom('status', (plugin) => <PluginState plugin={plugin} />, {
    value: worstOf,
    lead: true,
    width: 130,
  }),
  column.text('authors', { value: ({ authors }) => authors?.join(', '), width: 140 }),
  column.text('description', { width: 200, grow: 2.5 }),
  column.custom('operation', (plugin) => <Turn plugin={plugin} />, {
    value: worstOf,
    brief: true,
    width: 100,
    grow: 0.6,
  }),
];

export function PluginsPage() {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.plugins.list, {}, { quiet: true, poll: POLL_MS });
  const { values, set } = useUrlState();
  const search = textOf(values[SEARCH]);
  const which = WHICH.find((one) => one === values.show) ?? 'all';
  const found = useMemo(
    () => data?.filter((plugin) => idOfPlugin(plugin).toLowerCase().includes(search.toLowerCase())),
    [data, search],
  );
  const rows = useMemo(() => found?.filter((plugin) => isAmong(plugin, which)), [found, which]);
  const filtered = search !== '' || which !== 'all';
  const deeds = useDeeds();
  const actions = (plugin: Plugin): RowAction[] => [
    // It is started again and again, and its hooks may refuse everybody meanwhile.
    ...(worstOf(plugin) === 'error' ? [{ label: w.stop, run: () => void deeds.turn(plugin, 'stop') }] : []),
    { label: w.uninstall, danger: true, run: () => void deeds.uninstall(plugin) },
  ];
  const add = (
    <Button
      variant="filled"
      leftSection={<IconPlus size={15} />}
      onClick={() => navigate(paths.pluginInstall())}
    >
      {w.install}
    </Button>
  );
  const absent = error?.absent && !data;
  const clear = () => set({ [SEARCH]: undefined, show: undefined }, 'push');
  const count = (one: Which) => found?.filter((plugin) => isAmong(plugin, one)).length ?? 0;
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={data ? w.found({ count: data.length }) : undefined}
      actions={absent ? undefined : add}
    >
      {absent ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        <>
          {(data === undefined || data.length > 0 || filtered) && (
            <div className={styles.filters}>
              <FilterBar
                filters={filters}
                values={search === '' ? {} : { [SEARCH]: search }}
                onSet={(field, value, typing) => set({ [field]: value }, typing ? 'replace' : 'push')}
                onClear={() => set({ [SEARCH]: undefined }, 'push')}
              />
              <SegmentedControl
                aria-label={w.which}
                size="xs"
                value={which}
                onChange={(value) => set({ show: value === 'all' ? undefined : value }, 'push')}
                data={[
                  { value: 'all', label: w.all({ count: count('all') }) },
                  { value: 'running', label: w.onlyRunning({ count: count('running') }) },
                  { value: 'stopped', label: w.onlyStopped({ count: count('stopped') }) },
                ]}
              />
            </div>
          )}
          <OrderedTable
            rows={rows}
            columns={columns}
            rowId={idOfPlugin}
            rowName={idOfPlugin}
            move={(id, position) =>
              deeds.move(id, filtered ? besideAShownOne(position, id, rows ?? []) : position)
            }
            partial={filtered}
            actions={actions}
            label={w.title}
            error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
            empty={
              filtered ? (
                <EmptyState title={w.noMatch} action={<Button onClick={clear}>{w.clear}</Button>} />
              ) : (
                <EmptyState
                  icon={<IconPlugin size={28} />}
                  title={w.emptyTitle}
                  text={w.emptyText}
                  action={<Link to={paths.pluginInstall()}>{w.install}</Link>}
                />
              )
            }
          />
        </>
      )}
    </Page>
  );
}

const textOf = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : '';

const isAmong = (plugin: Plugin, which: Which): boolean =>
  which === 'all' || runs(plugin) === (which === 'running');

/** The first and the last of those shown are not those of the list: their neighbour is named. */
function besideAShownOne(position: Position, id: string, shown: readonly Plugin[]): Position {
  const others = shown.map(idOfPlugin).filter((one) => one !== id);
  if (position === 'front') return `before:${others[0]!}`;
  return position === 'rear' ? `after:${others.at(-1)!}` : position;
}

function Name({ plugin }: { plugin: Plugin }) {
  return (
    <span className={styles.name}>
      <Link to={paths.plugin(idOfPlugin(plugin))}>{visibleText(plugin.name)}</Link>
      <span className={styles.version}>{visibleText(plugin.rel_vsn)}</span>
    </span>
  );
}

function Turn({ plugin }: { plugin: Plugin }) {
  const w = useWords(words);
  const { turn, pending } = useDeeds();
  const name = visibleText(idOfPlugin(plugin));
  const on = runs(plugin);
  return (
    <Button
      size="compact-xs"
      loading={pending}
      aria-label={on ? w.stopOf({ name }) : w.startOf({ name })}
      onClick={() => void turn(plugin)}
    >
      {on ? w.stop : w.start}
    </Button>
  );
}
