import { ALARM } from '../support/cluster-alarms.ts';
import { ABSENT, type FakeCluster, startFakeCluster } from '../support/fake-cluster.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import type { FeatureViews, Viewer } from './view.ts';

/** A server in front of another one; both stop together. */
async function inFrontOf(url: string, stopCluster: () => Promise<void>): Promise<RunningServer> {
  const server = await startServer({ args: ['--upstream', `plant-1=${url}`] });
  return {
    ...server,
    async stop(options) {
      await server.stop(options);
      await stopCluster();
    },
  };
}

/** A console in front of a real cluster. */
export const upstream: FeatureViews = {
  feature: 'upstream',
  async start() {
    const cluster = await startServer();
    return inFrontOf(`http://127.0.0.1:${cluster.ports.http}`, () => cluster.stop());
  },
  views: [
    {
      name: 'the overview',
      path: '/dashboard/overview',
      async show({ page }) {
        await page.getByTitle(/plant-1/).waitFor();
        await page.locator('canvas').first().waitFor();
      },
    },
  ],
};

let cluster: FakeCluster;

const unavailable = ({ page, say }: Viewer) =>
  page.getByText(say('Not available on this broker', '此 Broker 不支持该功能')).first().waitFor();
const clients = (...ids: string[]) => ({
  body: {
    data: ids.map((clientid) => ({ clientid, connected: true, node: 'emqx@10.0.0.5', proto_ver: 5 })),
    meta: { page: 1, limit: 50, count: ids.length, hasnext: false },
  },
});
const node = {
  node: 'emqx@10.0.0.5',
  node_status: 'running',
  role: 'core',
  version: '5.8.9',
  otp_release: '26',
  uptime: 60_000,
  connections: 0,
  live_connections: 0,
  memory_used: '1G',
  memory_total: '4G',
  process_used: 1,
  process_available: 9,
  max_fds: 9,
  load1: 0,
  load5: 0,
  load15: 0,
};

/** A console in front of a cluster that has hardly anything. */
export const leanUpstream: FeatureViews = {
  feature: 'lean-upstream',
  async start() {
    cluster = await startFakeCluster();
    return inFrontOf(cluster.url, () => cluster.stop());
  },
  views: [
    {
      name: 'users where the cluster has none',
      path: '/users',
      async show(viewer) {
        await unavailable(viewer);
      },
    },
    {
      name: "the overview where a proxy's page says what is missing",
      path: '/login',
      async show(viewer) {
        cluster.absent = ABSENT.html;
        await viewer.page.goto(`${viewer.server.url}/dashboard/overview`);
        await unavailable(viewer);
      },
    },
    {
      name: "a proxy's error in place of a list",
      path: '/help',
      async show({ page, server, say }) {
        cluster.on('GET /clients', () => ({
          status: 502,
          type: 'text/html',
          body: '<h1>Bad <b>Gateway</b></h1>',
        }));
        await page.goto(`${server.url}/connections`);
        await page.getByRole('button', { name: say('Try again', '重试') }).waitFor();
      },
    },
    {
      name: 'a list that is not sorted',
      path: '/help',
      async show({ page, server, say }) {
        cluster.on('GET /clients', () => clients('m', 'z', 'a'));
        await page.goto(`${server.url}/connections`);
        await page.getByRole('button', { name: say('Client ID', '客户端 ID'), exact: true }).click();
        await page
          .getByText(say('This broker does not sort lists', '此 Broker 不支持列表排序'), { exact: false })
          .waitFor();
      },
    },
    {
      name: 'the count of alarms',
      path: '/help',
      async show({ page, server, say }) {
        cluster.on('GET /alarms', () => ({
          body: { data: [ALARM], meta: { page: 1, limit: 100, count: 117 } },
        }));
        await page.goto(`${server.url}/settings`);
        await page.getByRole('link', { name: say('117 alarms', '117 条告警'), exact: true }).waitFor();
      },
    },
    {
      name: 'the form to invite a node, with an error',
      path: '/help',
      async show({ page, server, say }) {
        cluster.on('GET /nodes', () => ({ body: [node] }));
        await page.goto(`${server.url}/dashboard/nodes`);
        const invite = say('Invite a node', '邀请节点');
        await page.getByRole('button', { name: invite }).click();
        const form = page.getByRole('dialog');
        await form.getByRole('button', { name: invite }).click();
        await form.getByText(say('Node name is required', '请输入节点名称')).waitFor();
      },
    },
  ],
};
