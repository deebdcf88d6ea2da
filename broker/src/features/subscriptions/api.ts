import type { CheckedRequest } from '@mqdeck/contract/kit/endpoint';
import type { subscriptions } from '@mqdeck/contract/subscriptions';
import { filterMatches, isValidFilter, parseExclusive, parseShared } from '@mqdeck/mqtt/topics';
import type { Client, ClientSubscription } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { pageOf, presented, type Slice } from '../../paging/page.ts';
import type { SortValue } from '../../paging/sort.ts';

type Query = CheckedRequest<typeof subscriptions.list>['query'];

interface Row {
  clientid: string;
  subscription: ClientSubscription;
}

export const subscriptionsApi = (core: Core): Handlers<typeof subscriptions> => ({
  list: async ({ query }) => {
    if (query.node !== undefined && query.node !== core.node) return fail('NODE_DOWN');
    const { sort, order } = query;
    const found = await pageOf<Row>(query, {
      rows: candidates(core, query),
      matches: matching(query),
      counted: query.match_topic === undefined,
      total: isUnfiltered(query) ? core.routes.subscriptionCount : undefined,
      sorting: sort && { by: sort, order, valueIn: SORT_VALUES[sort] },
    });
    return presented(found, (row) => present(core.node, row));
  },
});

const isUnfiltered = ({ clientid, topic, qos, share_group, match_topic }: Query): boolean =>
  [clientid, topic, qos, share_group, match_topic].every((key) => key === undefined);

/** All subscriptions that can match, without a look at more than necessary. */
async function* candidates(core: Core, { clientid, topic }: Query): AsyncGenerator<Slice<Row>> {
  const rowsOf = function* (client: Client): Generator<Row> {
    if (topic === undefined) {
      for (const subscription of client.subscriptions()) yield { clientid: client.clientid, subscription };
      return;
    }
    const subscription = client.subscription(topic);
    if (subscription) yield { clientid: client.clientid, subscription };
  };
  if (topic !== undefined && !core.routes.hasFilter(topic)) return;
  if (clientid !== undefined) {
    const client = core.registry.find(clientid);
    if (client) yield rowsOf(client);
    return;
  }
  for await (const clients of core.registry.slices()) {
    for (const client of clients) {
      const { subscriptionCount: length } = client;
      yield { [Symbol.iterator]: () => rowsOf(client), ...(topic === undefined && { length }) };
    }
  }
}

function matching({ qos, topic, share_group, match_topic }: Query): (row: Row) => boolean {
  // What is no filter matches nothing; it is no error.
  const usable = match_topic === undefined || isValidFilter(match_topic);
  return ({ subscription }) => {
    const { share, filter } = subscription;
    if (qos !== undefined && subscription.qos !== qos) return false;
    if (topic !== undefined && share !== null) return false;
    if (share_group !== undefined && share !== share_group) return false;
    if (match_topic === undefined) return true;
    const plain = share === null ? parseExclusive(filter) : parseShared(filter)?.filter;
    return usable && filterMatches(match_topic, plain ?? filter);
  };
}

const SORT_VALUES: Record<'clientid' | 'topic' | 'qos', (row: Row) => SortValue> = {
  clientid: ({ clientid }) => clientid,
  topic: ({ subscription }) => subscription.filter,
  qos: ({ subscription }) => subscription.qos,
};

const present = (node: string, { clientid, subscription }: Row) => ({
  clientid,
  node,
  topic: subscription.filter,
  qos: subscription.qos,
  nl: subscription.noLocal ? 1 : 0,
  rap: subscription.retainAsPublished ? 1 : 0,
  rh: subscription.retainHandling,
  durable: false,
});
