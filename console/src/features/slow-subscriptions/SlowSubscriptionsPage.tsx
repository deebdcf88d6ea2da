import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { SlowSubscription } from '@mqdeck/contract/slow-subscriptions';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import { LocalTable } from '../../table/LocalTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { IconSlow } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { words } from './words.ts';

const POLL_MS = 5000;

const column = columnsOf<SlowSubscription>(words);
const columns = [
  column.link('clientid', paths.client, { width: 200 }),
  column.id('topic', { width: 240, grow: 3 }),
  column.duration('timespan', { unit: 'ms', width: 120 }),
  column.text('node', { width: 180, hidden: true }),
  column.time('last_update_time', { width: 140 }),
];

export function SlowSubscriptionsPage() {
  const w = useWords(words);
  const settings = useEndpoint(api.slowSubscriptions.get, {}, { quiet: true });
  const on = settings.data?.enable === true;
  const { data, error, refetch } = useEndpoint(
    api.slowSubscriptions.list,
    {},
    { quiet: true, poll: POLL_MS, enabled: on },
  );
  const clear = useAction(api.slowSubscriptions.clear, {
    confirm: { title: w.clearAsk, text: w.clearText, action: w.clear, danger: true },
    refresh: [api.slowSubscriptions.list],
    success: w.cleared,
  });
  const rows = data?.data;
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={on && rows ? w.found({ count: rows.length }) : undefined}
      actions={
        on && (
          <>
            <Link to={paths.slowSubscriptionsConfig()}>{w.settings}</Link>
            <Button
              color="red"
              variant="light"
              disabled={!rows || rows.length === 0}
              onClick={() => void clear({} as never)}
            >
              {w.clear}
            </Button>
          </>
        )
      }
    >
      {settings.error?.absent && !settings.data ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : settings.data?.enable === false ? (
        <Panel>
          <EmptyState
            icon={<IconSlow size={28} />}
            title={w.off}
            text={w.offText}
            action={
              <Button
                variant="filled"
                onClick={() => navigate(`${paths.slowSubscriptionsConfig()}?enable=true`)}
              >
                {w.enableNow}
              </Button>
            }
          />
        </Panel>
      ) : (
        <LocalTable
          rows={rows}
          columns={columns}
          rowId={({ clientid, topic, node }) => `${node} ${clientid} ${topic}`}
          empty={w.empty}
          label={w.title}
          name="slow-subscriptions"
          error={
            (error ?? settings.error) && !rows
              ? { text: sentenceInPlace((error ?? settings.error)!), retry: () => void refetch() }
              : undefined
          }
        />
      )}
    </Page>
  );
}
