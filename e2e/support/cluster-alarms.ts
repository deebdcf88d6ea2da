import { startFakeCluster } from './fake-cluster.ts';
import { type RunningServer, startServer } from './server.ts';

/** An active alarm, as clusters tell it. */
export const ALARM = {
  node: 'n1@127.0.0.1',
  name: 'high_cpu_usage',
  message: '98.90% cpu usage',
  details: { usage: '98.90%', high_watermark: 80 },
  duration: 61_000,
  activate_at: '2026-01-02T03:04:05.678+00:00',
};
const over = {
  ...ALARM,
  name: 'partition',
  message: '<b>was</b> split',
  deactivate_at: '2026-01-02T03:05:06.678+00:00',
};

/** A server in front of a cluster with one active alarm and one in its history, which can be cleared. */
export async function startBeforeAlarms(): Promise<RunningServer> {
  const cluster = await startFakeCluster();
  const history = [over];
  cluster.on('GET /alarms', ({ query }) => {
    const data = query.get('activated') === 'false' ? history : [ALARM];
    return { body: { data, meta: { page: 1, limit: 100, count: data.length, hasnext: false } } };
  });
  cluster.on('DELETE /alarms', () => {
    history.length = 0;
    return { status: 204 };
  });
  const server = await startServer({ args: ['--upstream', cluster.url] });
  return { ...server, stop: () => server.stop().finally(cluster.stop) };
}
