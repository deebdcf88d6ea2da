import type { metrics } from '@mqdeck/contract/metrics';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';

export const metricsApi = ({ counters, node }: Core): Handlers<typeof metrics> => ({
  list: ({ query: { aggregate, node: wanted } }) => {
    if (wanted !== undefined && wanted !== node) return fail('NOT_FOUND', `Node not found: ${wanted}`);
    return aggregate ? counters.all() : [{ ...counters.all(), node }];
  },
});
