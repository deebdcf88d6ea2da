import type { stats } from '@mqdeck/contract/metrics';
import type { Core } from '../../core/core.ts';
import type { Handlers } from '../../http/handlers.ts';

export const statsApi = ({ gauges, node }: Core): Handlers<typeof stats> => ({
  list: ({ query: { aggregate } }) => (aggregate ? gauges.all() : [{ ...gauges.all(), node }]),
});
