import { api } from '@mqdeck/contract/api';
import type { Topic } from '@mqdeck/contract/subscriptions';
import { useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { columnsOf } from '../../table/columns.tsx';
import { choiceFilter, textFilter } from '../../table/filters.ts';
import { QueryTable } from '../../table/QueryTable.tsx';
import { Page } from '../../ui/Page.tsx';
import { subscribersOf } from './links.ts';
import styles from './subscriptions.module.css';
import { words } from './words.ts';

const column = columnsOf<Topic>({
  topic: words.topic,
  node: words.node,
  subscribers: words.subscribers,
});

const columns = [
  column.id('topic', { width: 300, grow: 3 }),
  column.text('node', { sort: false, width: 180 }),
  column.custom('subscribers', ({ topic }) => <Subscribers of={topic} />, {
    value: () => undefined,
    fields: ['topic'],
    width: 150,
    grow: 0.5,
  }),
];

const filters = [
  textFilter('topic', words.topicIs),
  choiceFilter('node', words.node, async (ask) =>
    (await ask(api.nodes.list, {})).map(({ node }) => ({ value: node })),
  ),
];

const rowId = ({ topic, node }: Topic) => `${topic} ${node}`;
const open = ({ topic }: Topic) => navigate(subscribersOf(topic));

export function TopicsPage() {
  const w = useWords(words);
  const [count, setCount] = useState<number>();
  return (
    <Page
      title={w.topics}
      purpose={w.topicsPurpose}
      facts={count === undefined ? undefined : w.foundTopics({ count })}
    >
      <QueryTable<Topic>
        query={api.topics.list}
        columns={columns}
        rowId={rowId}
        filters={filters}
        onOpen={open}
        onCount={setCount}
        empty={w.emptyTopics}
        label={w.topics}
        name="topics"
      />
    </Page>
  );
}

function Subscribers({ of }: { of: string }) {
  const w = useWords(words);
  return (
    <Link to={subscribersOf(of)} className={styles.link}>
      {w.showSubscribers}
    </Link>
  );
}
