import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { ExhookDetail } from '@mqdeck/contract/exhooks';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { OrderedTable } from '../../table/reorder/OrderedTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { formatRate, NOTHING } from '../../ui/format.ts';
import { IconPlus } from '../../ui/icons.tsx';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { nodesOf, worstOf } from './servers.ts';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

const POLL_MS = 5000;

const column = columnsOf<ExhookDetail>(words);
const columns = [
  column.custom('name', ({ name }) => <Link to={paths.exhook(name)}>{visibleText(name)}</Link>, {
    width: 160,
    grow: 2,
  }),
  column.custom('status', (server) => <Status server={server} />, {
    value: worstOf,
    lead: true,
    width: 150,
    grow: 1.2,
  }),
  column.number('hooks', { value: ({ hooks }) => hooks.length, sort: false, width: 80 }),
  column.number('succeed', { value: ({ metrics }) => metrics.succeed, sort: false, width: 100 }),
  column.number('failed', { value: ({ metrics }) => metrics.failed, sort: false, width: 80 }),
  column.custom('rate', ({ metrics }) => <Rate rate={metrics.rate} />, {
    value: ({ metrics }) => metrics.rate,
    align: 'end',
    width: 80,
    grow: 0.6,
  }),
  column.custom('enable', (server) => <Enable server={server} />, {
    value: ({ enable }) => enable,
    brief: true,
    width: 90,
    grow: 0.6,
  }),
];

const rowName = ({ name }: ExhookDetail): string => visibleText(name);

export function ExhooksPage() {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.exhooks.list, {}, { quiet: true, poll: POLL_MS });
  const { move, remove } = useDeeds();
  const actions = (server: ExhookDetail): RowAction[] => [
    { label: w.hooks, run: () => navigate(`${paths.exhook(server.name)}?tab=hooks`) },
    { label: w.settings, run: () => navigate(`${paths.exhook(server.name)}?tab=settings`) },
    { label: w.remove, danger: true, run: () => void remove(server) },
  ];
  const absent = error?.absent && !data;
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={data ? w.found({ count: data.length }) : undefined}
      actions={
        absent ? undefined : (
          <Button
            variant="filled"
            leftSection={<IconPlus size={15} />}
            onClick={() => navigate(paths.exhookCreate())}
          >
            {w.add}
          </Button>
        )
      }
    >
      {absent ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        <OrderedTable
          rows={data}
          columns={columns}
          rowId={({ name }) => name}
          rowName={rowName}
          move={move}
          actions={actions}
          label={w.title}
          error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
          empty={
            <EmptyState
              title={w.emptyTitle}
              text={w.emptyText}
              action={<Link to={paths.exhookCreate()}>{w.add}</Link>}
            />
          }
        />
      )}
    </Page>
  );
}

function Status({ server }: { server: ExhookDetail }) {
  const is = worstOf(server);
  if (is === undefined) return NOTHING;
  return <NodeStates is={is} nodes={server.enable ? nodesOf(server) : []} name={visibleText(server.name)} />;
}

function Rate({ rate }: { rate: number }) {
  const w = useWords(words);
  const language = useLanguage();
  return w.perSecond({ rate: formatRate(rate, language) });
}

function Enable({ server }: { server: ExhookDetail }) {
  const w = useWords(words);
  const { turn } = useDeeds();
  return (
    <EnableSwitch
      on={server.enable}
      label={w.enableOf({ name: visibleText(server.name) })}
      onChange={(on) => turn(server, on)}
    />
  );
}
