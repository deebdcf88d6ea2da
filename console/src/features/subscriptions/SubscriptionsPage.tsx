import { api } from '@mqdeck/contract/api';
import type { Subscription } from '@mqdeck/contract/subscriptions';
import { useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import { choiceFilter, textFilter } from '../../table/filters.ts';
import { QueryTable } from '../../table/QueryTable.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { Page } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { shareGroupOf } from './links.ts';
import { words } from './words.ts';

const column = columnsOf<Subscription>({
  clientid: words.clientid,
  topic: words.filter,
  qos: words.qos,
  nl: words.nl,
  rap: words.rap,
  rh: words.rh,
  share: words.share,
  node: words.node,
});

const columns = [
  column.link('clientid', paths.client),
  column.id('topic', { width: 260, grow: 3 }),
  column.number('qos', { width: 64, grow: 0.3 }),
  column.flag('nl', { value: ({ nl }) => yesNo(nl), sort: false, width: 96 }),
  column.flag('rap', { value: ({ rap }) => yesNo(rap), sort: false, width: 150 }),
  column.number('rh', { sort: false, width: 124 }),
  column.custom('share', ({ topic }) => shareGroupOf(topic) ?? '', {
    value: ({ topic }) => shareGroupOf(topic),
    width: 110,
  }),
  column.text('node', { sort: false, width: 150 }),
];

const filters = [
  textFilter('clientid', words.clientid),
  textFilter('match_topic', words.matches, { example: 'sensor/+/#' }),
  choiceFilter('qos', words.qos, ['0', '1', '2'], { pinned: true }),
  textFilter('share_group', words.share),
  textFilter('topic', words.filterIs, { pinned: false }),
  choiceFilter('node', words.node, async (ask) =>
    (await ask(api.nodes.list, {})).map(({ node }) => ({ value: node })),
  ),
];

const rowId = ({ clientid, topic }: Subscription) => `${clientid} ${topic}`;

export function SubscriptionsPage() {
  const w = useWords(words);
  const [count, setCount] = useState<number>();
  const copy = async (text: string) => {
    const done = await copyText(text);
    toast(done ? 'good' : 'bad', done ? w.copied : w.copyFailed);
  };
  const actions = ({ clientid, topic }: Subscription) => [
    { label: w.openClient, run: () => navigate(paths.client(clientid)) },
    { label: w.copyFilter, run: () => copy(topic) },
    {
      label: w.whyNot,
      run: () => navigate(paths.delivery({ subscriber: clientid, ...(!/[+#]/.test(topic) && { topic }) })),
    },
  ];
  return (
    <Page title={w.subscriptions} facts={count === undefined ? undefined : w.found({ count })}>
      <QueryTable<Subscription>
        query={api.subscriptions.list}
        columns={columns}
        rowId={rowId}
        filters={filters}
        actions={actions}
        onCount={setCount}
        empty={w.empty}
        label={w.subscriptions}
        name="subscriptions"
      />
    </Page>
  );
}

/** The API writes switches as 0 and 1; brokers leave them out for clients before MQTT 5. */
function yesNo(bit: number | undefined): boolean | undefined {
  return bit === undefined ? undefined : bit === 1;
}
