import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { GatewayClient, GatewayName, GatewaySubscription } from '@mqdeck/contract/gateways';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import { useState } from 'react';
import { sentenceInPlace } from '../../../api/report.ts';
import { useAction } from '../../../api/use-action.ts';
import { useEndpoint } from '../../../api/use-endpoint.ts';
import { FormDrawer } from '../../../form/FormDrawer.tsx';
import { Text } from '../../../form/fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { useWords } from '../../../i18n/words.ts';
import { columnsOf } from '../../../table/columns.tsx';
import { LocalTable } from '../../../table/LocalTable.tsx';
import type { RowAction } from '../../../table/RowMenu.tsx';
import { IconPlus } from '../../../ui/icons.tsx';
import { Panel } from '../../../ui/Page.tsx';
import { toast } from '../../../ui/toast.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { CAN_SUBSCRIBE } from '../kinds.ts';
import { CHANGED } from './use-kick-out.ts';
import { connectionWords as words } from './words.ts';

const column = columnsOf<GatewaySubscription>({ topic: words.filter, qos: words.qos, subid: words.subid });
const columns = [column.id('topic', { width: 240, grow: 4 }), column.number('qos', { width: 64 })];
/** STOMP names each subscription. */
const stompColumns = [
  ...columns,
  column.custom('subid', ({ sub_props: { subid } }) => (subid === undefined ? '' : visibleText(subid)), {
    value: ({ sub_props: { subid } }) => subid,
    width: 140,
  }),
];
const rowId = ({ topic }: GatewaySubscription) => topic;

export function ClientSubscriptions({
  name,
  client,
  gone,
  poll,
}: {
  name: GatewayName;
  client: GatewayClient;
  gone: boolean;
  poll: number;
}) {
  const w = useWords(words);
  const { clientid, mountpoint } = client;
  const [adding, setAdding] = useState(false);
  const { data, error, refetch } = useEndpoint(
    api.gateways.subscriptions,
    { params: { name, clientid } },
    { quiet: true, keepPrevious: false, poll, enabled: !gone },
  );
  const unsubscribe = useAction(api.gateways.unsubscribe, {
    confirm: ({ params: { topic } }) => ({
      title: w.unsubscribeAsk({ clientid: visibleText(clientid), topic: visibleText(topic) }),
      text: w.unsubscribeText,
      action: w.unsubscribe,
      danger: true,
    }),
    refresh: CHANGED,
    success: (_, { params: { topic } }) => w.unsubscribed({ topic: visibleText(topic) }),
  });
  const refused = !CAN_SUBSCRIBE.includes(name)
    ? w.cannotSubscribe
    : gone
      ? w.gone({ clientid: visibleText(clientid) })
      : undefined;
  const actions = ({ topic }: GatewaySubscription): RowAction[] => [
    {
      label: w.unsubscribe,
      danger: true,
      disabledReason: refused,
      run: () => unsubscribe({ params: { name, clientid, topic: withoutMountpoint(topic, mountpoint) } }),
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
        rows={gone ? [] : data}
        columns={name === 'stomp' ? stompColumns : columns}
        rowId={rowId}
        actions={actions}
        empty={w.noSubscriptions}
        label={w.subscriptionsOf({ clientid: visibleText(clientid) })}
        name={name === 'stomp' ? 'gateway-subscriptions-stomp' : 'gateway-subscriptions'}
        prefix="sub"
        limit={20}
        error={
          error && !data && !gone ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined
        }
      />
      <AddSubscription
        name={name}
        clientid={clientid}
        used={data?.flatMap(({ sub_props: { subid } }) => subid ?? []) ?? []}
        opened={adding}
        onClose={() => setAdding(false)}
      />
    </Panel>
  );
}

/** Filters are listed with the mountpoint in front, which the broker puts there itself when it is told to unsubscribe. */
const withoutMountpoint = (topic: string, mountpoint: string | null | undefined): string =>
  mountpoint && topic.startsWith(mountpoint) ? topic.slice(mountpoint.length) : topic;

const QOS = [0, 1, 2];

function AddSubscription({
  name,
  clientid,
  used,
  opened,
  onClose,
}: {
  name: GatewayName;
  clientid: string;
  /** Ids of subscriptions that are there. */
  used: readonly string[];
  opened: boolean;
  onClose: () => void;
}) {
  const w = useWords(words);
  const named = name === 'stomp';
  return (
    <FormDrawer
      title={w.subscribe}
      opened={opened}
      onClose={onClose}
      endpoint={api.gateways.subscribe}
      params={{ name, clientid }}
      initial={{ topic: '', qos: 0, sub_props: { subid: named ? freeId(used) : '' } }}
      words={words}
      submitLabel={w.subscribeDone}
      refresh={CHANGED}
      toBody={({ topic, qos, sub_props }) => ({ topic, qos, ...(named ? { sub_props } : {}) })}
      onDone={({ topic }) => toast('good', w.subscribed({ topic: visibleText(topic) }))}
    >
      <Text
        name="topic"
        mono
        required
        placeholder="t/#"
        check={(topic) => (topic === '' || isValidFilter(String(topic)) ? null : w.notAFilter)}
      />
      <Select name="qos" options={QOS} required />
      {named && <Text name="sub_props.subid" hint={w['subid.hint']} mono required />}
    </FormDrawer>
  );
}

/** Proposed for the next one. */
function freeId(used: readonly string[]): string {
  let next = 1;
  while (used.includes(`console-${next}`)) next += 1;
  return `console-${next}`;
}
