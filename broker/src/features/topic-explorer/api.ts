import type { ExploredNode, topicExplorer } from '@mqdeck/contract/topic-explorer';
import type { Handlers } from '../../http/handlers.ts';
import { Turn } from '../../paging/turn.ts';
import type { Gathering, TopicExplorer } from './topic-explorer.ts';
import type { Node } from './tree.ts';

/** Whether the broker keeps a message of a topic. */
type IsRetained = (topic: string) => boolean;

type Sort = 'name' | 'messages' | 'rate' | 'last_at';

export function topicExplorerApi(
  explorer: TopicExplorer,
  isRetained: IsRetained,
  now: () => number = Date.now,
): Handlers<typeof topicExplorer> {
  const present = (gathering: Gathering, topic: string, node: Node): ExploredNode => {
    const { own } = node;
    return {
      name: node.name,
      topic,
      children: node.children?.size ?? 0,
      topics: node.topics,
      messages: node.messages,
      bytes: node.bytes,
      rate: node.rate(now()),
      ...(node.lastAt > 0 && { last_at: node.lastAt }),
      ...(own && {
        own: {
          messages: own.messages,
          at: own.at,
          bytes: own.bytes,
          qos: own.qos,
          retained: isRetained(topic),
          subscribers: gathering.subscribersOf(topic),
          preview: Buffer.from(own.value ?? []).toString('base64'),
        },
      }),
    };
  };
  return {
    tree: async ({ query: { parent, search, limit, sort } }) => {
      const gathering = explorer.look();
      const found = search === undefined ? below(gathering, parent) : containing(gathering, search);
      const { rows, more } = await firstOf(found, limit, orders(now())[sort]);
      return {
        data: rows.map(({ topic, node }) => present(gathering, topic, node)),
        hasnext: more,
        status: gathering.status,
      };
    },
    topic: ({ query: { topic, after = 0 } }) => {
      const gathering = explorer.look();
      const node = gathering.tree.get(topic);
      const values = gathering.values(topic);
      const retained = isRetained(topic);
      return {
        topic,
        messages: node?.own?.messages ?? 0,
        rate: node?.rate(now()) ?? 0,
        retained,
        subscribers: gathering.subscribersOf(topic),
        values: values.filter(({ at }) => at > after),
      };
    },
    forget: () => explorer.forget(),
  };
}

interface Found {
  topic: string;
  node: Node;
}

function* below({ tree }: Gathering, parent: string | undefined): Generator<Found> {
  for (const node of tree.find(parent)?.children?.values() ?? [])
    yield { topic: parent === undefined ? node.name : `${parent}/${node.name}`, node };
}

/** What does not fit is passed over as null, so that the search can pause there too. */
function* containing({ tree }: Gathering, search: string): Generator<Found | null> {
  const wanted = search.toLowerCase();
  for (const [topic, node] of tree.entries())
    yield topic.toLowerCase().includes(wanted) ? { topic, node } : null;
}

const orders = (now: number): Record<Sort, (a: Found, b: Found) => number> => ({
  name: (a, b) => (a.topic < b.topic ? -1 : 1),
  messages: (a, b) => b.node.messages - a.node.messages,
  rate: (a, b) => b.node.rate(now) - a.node.rate(now),
  last_at: (a, b) => b.node.lastAt - a.node.lastAt,
});

/** The first so many in an order, without sorting all there are in one turn. */
async function firstOf(
  found: Iterable<Found | null>,
  limit: number,
  order: (a: Found, b: Found) => number,
): Promise<{ rows: Found[]; more: boolean }> {
  const turn = new Turn();
  let rows: Found[] = [];
  let more = false;
  const prune = () => {
    rows.sort(order);
    more ||= rows.length > limit;
    rows = rows.slice(0, limit);
  };
  for (const one of found) {
    if (one !== null) rows.push(one);
    if (rows.length >= 2 * limit + 100) prune();
    if (turn.over) await turn.next();
  }
  prune();
  return { rows, more };
}
