import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Client } from '@mqdeck/contract/clients';
import type { Subscription } from '@mqdeck/contract/subscriptions';
import { useState } from 'react';
import { sentenceInPlace } from '../../api/report.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { columnsOf } from '../../table/columns.tsx';
import { LocalTable } from '../../table/LocalTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { IconPlus } from '../../ui/icons.tsx';
import { Panel } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { AddSubscription } from './AddSubscription.tsx';
import { clientLists, hasPath, isGone } from './address.ts';
import { words } from './words.ts';

const column = columnsOf<Subscription>({
  topic: words.filter,
  qos: words.qos,
  nl: words.nl,
  rap: words.rap,
  rh: words.rh,
});
const inAllVersions = [column.id('topic', { width: 240, grow: 4 }), column.number('qos', { width: 64 })];
const inVersion5 = [
  ...inAllVersions,
  column.flag('nl', { value: ({ nl }) => (nl === undefined ? undefined : nl === 1), width: 110 }),
  column.flag('rap', { value: ({ rap }) => (rap === undefined ? undefined : rap === 1), width: 150 }),
  column.number('rh', { width: 130 }),
];

/** As many as a session holds on any sane broker; the list behind it is cut there for ids that no path can name. */
const LISTED_MAX = 10_000;

export function ClientSubscriptions({
  client,
  gone,
  poll,
}: {
  client: Client;
  gone: boolean;
  poll: number | undefined;
}) {
  const w = useWords(words);
  const { clientid, proto_ver, mountpoint } = client;
  const [adding, setAdding] = useState(false);
  const byPath = hasPath(clientid);
  const options = { poll, quiet: true, keepPrevious: false } as const;
  const direct = useEndpoint(
    api.clients.subscriptions,
    { params: { clientid } },
    { ...options, enabled: byPath && !gone },
  );
  const listed = useEndpoint(
    api.subscriptions.list,
    { query: { clientid, limit: LISTED_MAX } },
    { ...options, enabled: !byPath && !gone },
  );
  const rows = gone ? [] : byPath ? direct.data : listed.data?.data;
  const error = byPath ? direct.error : listed.error;

  const unsubscribe = useAction(api.clients.unsubscribe, {
    confirm: ({ body: { topic } }) => ({
      title: w.unsubscribeAsk({ clientid: visibleText(clientid), topic: visibleText(String(topic)) }),
      text: w.unsubscribeText,
      action: w.unsubscribe,
      danger: true,
    }),
    refresh: clientLists,
    handles: [404],
    success: (_, { body: { topic } }) => w.unsubscribed({ topic: visibleText(String(topic)) }),
  });
  const refused = gone ? w.notExist : byPath ? undefined : w.notByPath;
  const actions = ({ topic }: Subscription): RowAction[] => [
    {
      label: w.unsubscribe,
      danger: true,
      disabledReason: refused,
      run: async () => {
        const body = { topic: withoutMountpoint(topic, mountpoint) };
        const outcome = await unsubscribe({ params: { clientid }, body });
        if (!outcome.done && isGone(outcome.error)) toast('bad', w.notExist);
      },
    },
  ];

  return (
    <Panel
      title={w.subscriptions}
      actions={
        <Button
          leftSection={<IconPlus size={15} />}
          disabled={refused !== undefined}
          {...(refused ? { title: refused } : {})}
          onClick={() => setAdding(true)}
        >
          {w.subscribe}
        </Button>
      }
    >
      <LocalTable
        rows={rows}
        columns={Number(proto_ver) === 5 ? inVersion5 : inAllVersions}
        rowId={({ topic }) => topic}
        actions={actions}
        empty={gone ? w.subscriptionsGone : w.noSubscriptions}
        label={w.subscriptionsOf({ clientid: visibleText(clientid) })}
        name={Number(proto_ver) === 5 ? 'client-subscriptions-v5' : 'client-subscriptions'}
        prefix="sub"
        limit={20}
        error={
          error && !rows && !isGone(error)
            ? {
                text: error.absent ? w.unavailable : sentenceInPlace(error),
                retry: () => void (byPath ? direct : listed).refetch(),
              }
            : undefined
        }
      />
      <AddSubscription client={client} opened={adding} onClose={() => setAdding(false)} />
    </Panel>
  );
}

/** Brokers list filters with the mountpoint in front and put it there themselves when they are told to unsubscribe. */
export const withoutMountpoint = (topic: string, mountpoint: string | null | undefined): string =>
  mountpoint && topic.startsWith(mountpoint) ? topic.slice(mountpoint.length) : topic;
