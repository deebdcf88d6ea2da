import type { status } from '@mqdeck/contract/status';
import { type Handlers, withStatus } from '../../http/handlers.ts';

export interface StatusFacts {
  node: string;
  version: string;
  /** False as soon as the broker begins to close. */
  isRunning: () => boolean;
}

export const statusApi = ({ node, version, isRunning }: StatusFacts): Handlers<typeof status> => ({
  get: ({ query: { format } }) => {
    const running = isRunning();
    const broker = running ? 'started' : 'stopped';
    const app = running ? 'running' : 'not_running';
    return withStatus(
      running ? 200 : 503,
      format === 'json'
        ? { node_name: node, rel_vsn: `v${version}`, broker_status: broker, app_status: app }
        : `Node ${node} is ${broker}\nmqdeck is ${app}`,
    );
  },
});
