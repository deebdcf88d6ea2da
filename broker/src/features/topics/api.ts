import type { topics } from '@mqdeck/contract/subscriptions';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { pageOf, presented } from '../../paging/page.ts';

export function topicsApi({ routes, node }: Core): Handlers<typeof topics> {
  return {
    list: async ({ query }) => {
      const { topic, sort, order } = query;
      const here = query.node === undefined || query.node === node;
      const found = await pageOf<string>(query, {
        rows: here ? [topic === undefined ? routes.subscribedFilters() : routes.formsOf(topic)] : [],
        matches: () => true,
        counted: true,
        // Without shared subscriptions every filter stands for itself, so nobody has to count them.
        total:
          here && topic === undefined && routes.sharedSubscriptionCount === 0
            ? routes.filterCount
            : undefined,
        sorting: sort && { by: sort, order, valueIn: (filter) => filter },
      });
      return presented(found, (filter) => ({ topic: filter, node }));
    },
    get: ({ params: { topic } }) => {
      const rows = [...routes.formsOf(topic)].map((filter) => ({ topic: filter, node }));
      return rows.length > 0 ? rows : fail('TOPIC_NOT_FOUND');
    },
  };
}
