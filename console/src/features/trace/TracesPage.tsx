import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { TRACES_MAX, type Trace } from '@mqdeck/contract/traces';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import { LocalTable } from '../../table/LocalTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { IconPlus } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { useUrlState } from '../../url-state.ts';
import { askedFor } from './new-trace.ts';
import { TraceDrawer } from './TraceDrawer.tsx';
import { TraceStatus } from './TraceStatus.tsx';
import styles from './trace.module.css';
import { sizeOf, useTraceDeeds } from './use-trace-deeds.ts';
import { words } from './words.ts';

const POLL_MS = 5000;

const column = columnsOf<Trace>(words);
const columns = [
  column.link('name', paths.logTrace, { width: 200, grow: 2 }),
  column.custom('status', (trace) => <TraceStatus trace={trace} />, {
    value: ({ status }) => status,
    sort: 'status',
    width: 190,
    lead: true,
  }),
  column.custom('type', ({ type }, language) => words[type][language], {
    value: ({ type }) => type,
    sort: 'type',
    width: 110,
  }),
  column.id('condition' as 'name', { value: conditionOf, width: 190 }),
  column.time('start_at'),
  column.time('end_at'),
  column.bytes('log_size', { value: sizeOf }),
];

function conditionOf(trace: Trace): string {
  return trace[trace.type] ?? '';
}

/** What is written down about clients and messages: traces that wait or run, and those that are over. */
export function TracesPage() {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const { data, error, refetch } = useEndpoint(api.traces.list, {}, { quiet: true, poll: POLL_MS });
  const deeds = useTraceDeeds();
  // Links lead here with the form open and filled in: `?create=clientid:sensor-1`.
  const asked = typeof values.create === 'string' ? values.create : undefined;
  const full = (data?.length ?? 0) >= TRACES_MAX;

  const common = (trace: Trace): RowAction[] => [
    { label: w.view, run: () => navigate(paths.logTrace(trace.name)) },
    {
      label: w.download,
      run: () => deeds.save(trace.name),
      disabledReason: sizeOf(trace) === 0 && w.nothingYet,
    },
  ];
  const parts = [
    {
      id: 'active',
      title: w.active,
      empty: w.noActive,
      rows: data?.filter(({ status }) => status !== 'stopped'),
      actions: (trace: Trace) => [
        ...common(trace),
        { label: w.stop, run: () => deeds.stop(trace.name) } satisfies RowAction,
      ],
    },
    {
      id: 'finished',
      title: w.finished,
      empty: w.noFinished,
      rows: data?.filter(({ status }) => status === 'stopped'),
      actions: (trace: Trace) => [
        ...common(trace),
        { label: w.remove, danger: true, run: () => deeds.remove(trace.name) } satisfies RowAction,
      ],
    },
  ];
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={data ? w.found({ count: data.length }) : undefined}
      actions={
        !error?.absent && (
          <Button
            variant="filled"
            leftSection={<IconPlus size={15} />}
            onClick={() => set({ create: 'clientid:' }, 'replace')}
            disabled={full}
            title={full ? w.full : undefined}
          >
            {w.create}
          </Button>
        )
      }
    >
      {error?.absent && !data ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        parts.map(({ id, title, empty, rows, actions }) => (
          <section key={id} className={styles.part} aria-labelledby={`traces-${id}`}>
            <h2 className={styles.partTitle} id={`traces-${id}`}>
              {title}
              {rows && <span className={styles.count}>{rows.length}</span>}
            </h2>
            <LocalTable
              rows={rows}
              columns={columns}
              rowId={({ name }) => name}
              actions={actions}
              empty={empty}
              label={title}
              name={`traces-${id}`}
              prefix={id}
              error={
                error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined
              }
            />
          </section>
        ))
      )}
      <TraceDrawer
        key={asked ?? 'closed'}
        {...askedFor(asked ?? '')}
        opened={asked !== undefined && !full}
        onClose={() => set({ create: undefined }, 'replace')}
      />
    </Page>
  );
}
