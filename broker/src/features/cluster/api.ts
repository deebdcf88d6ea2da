import type { cluster } from '@mqdeck/contract/nodes';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';

/** One node is a cluster too. */
export const clusterApi = ({ node }: Core): Handlers<typeof cluster> => ({
  get: () => ({ name: 'mqdeck', nodes: [node], self: node }),
  invite: ({ params }) =>
    fail(
      'BAD_REQUEST',
      params.node === node ? 'A node cannot invite itself' : 'This broker runs as one node',
    ),
  forceLeave: ({ params }) =>
    fail('BAD_REQUEST', params.node === node ? 'A node cannot remove itself' : 'node_not_in_cluster'),
  topology: () => [{ core_node: node, replicant_nodes: [] }],
});
