import type { Node, nodes } from '@mqdeck/contract/nodes';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { machine, openFilesMax } from './machine.ts';

export interface NodeFacts {
  version: string;
  edition: 'opensource' | 'enterprise';
  dataDir: string | null;
}

export function nodesApi(core: Core, facts: NodeFacts): Handlers<typeof nodes> {
  const maxFds = openFilesMax();
  const check = (name: string) => {
    if (name !== core.node) fail('NOT_FOUND', `Node not found: ${name}`);
  };
  const self = (): Node => ({
    node: core.node,
    node_status: 'running',
    role: 'core',
    version: facts.version,
    edition: facts.edition === 'enterprise' ? 'Enterprise' : 'Opensource',
    uptime: Date.now() - core.startedAt,
    connections: core.gauges.get('connections'),
    live_connections: core.gauges.get('live_connections'),
    cluster_sessions: core.gauges.get('cluster_sessions'),
    ...machine(),
    // The real broker counts its processes here; ours are the listeners and one per client.
    process_used: core.listeners.length + core.registry.size,
    process_available: typeof maxFds === 'number' ? maxFds : core.registry.size,
    max_fds: maxFds,
    otp_release: `Node.js ${process.version}`,
    sys_path: facts.dataDir ?? 'in memory',
    log_path: 'The log is written to the standard error output',
  });
  return {
    list: () => [self()],
    get: ({ params }) => {
      check(params.node);
      return self();
    },
    metrics: ({ params }) => {
      check(params.node);
      return core.counters.all();
    },
    stats: ({ params }) => {
      check(params.node);
      return core.gauges.all();
    },
    upgrades: () => [
      {
        node: core.node,
        role: 'core',
        status: 'idle',
        current_vsn: facts.version,
        live_connections: core.gauges.get('live_connections'),
        upgrade_history: [],
      },
    ],
  };
}
