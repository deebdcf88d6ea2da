// The REST API of ours while many clients are connected and messages run: how long each GET takes, and how long the
// event loop stood still. 19,500 clients, about as many as a process of 20,000 open files can have, with a million subscriptions.
import { main } from '../scripts/run.mjs';
import { withBrokers } from './support/brokers.mjs';
import { withGenerator } from './support/load.mjs';
import { needLinux } from './support/processes.mjs';
import { printTable, readOptions, save, say } from './support/report.mjs';

const PER_GENERATOR = 10_000; // sockets in one process
/** About 20,000 messages per second come from as many on their way; what is really delivered is said. */
const TRAFFIC = { lanes: 20, publishers: 1, subscribers: 1, qos: 0, size: 64 };

const calls = [
  'nodes',
  'stats',
  'stats?aggregate=true',
  'metrics',
  'monitor_current',
  'monitor?latest=3600',
  'alarms',
  'clients?limit=100',
  'clients?limit=100&page=150',
  'clients?limit=1000',
  'clients?like_clientid=-77&limit=100',
  'clients?like_clientid=nobody&limit=100',
  'clients?limit=100&sort=mqueue_len&order=desc',
  'clients/{clientid}',
  'clients/{clientid}/subscriptions',
  'subscriptions?limit=100',
  'subscriptions?limit=100&page=5000',
  'subscriptions?clientid={clientid}&limit=100',
  'subscriptions?match_topic=bench/idle/777/7&limit=100',
  'subscriptions?limit=100&sort=topic',
  'topics?limit=100',
  'topics?limit=100&page=5000',
  'mqtt/retainer/messages?limit=100',
];

main(import.meta.url, async (args) => {
  needLinux();
  const defaults = { clients: 19_500, subscriptions: 1_000_000, messages: 20_000, calls: 40 };
  const options = readOptions(args, defaults, { clients: 4000, subscriptions: 100_000, calls: 15 });
  const results = await withBrokers(['mqdeck'], { http: 0 }, (broker) =>
    withClients(broker, options, async (clientid) => {
      const token = await signIn(broker);
      const all = [];
      for (const call of calls) {
        const path = call.replace('{clientid}', clientid);
        all.push({ path: call, ...(await measure(broker, token, path, options.calls)) });
      }
      return all;
    }),
  );
  console.log(
    `\nGET with ${options.clients} clients, ${options.subscriptions} subscriptions; budget: p95 below 100 ms, event loop below 50 ms`,
  );
  printTable(
    ['GET', 'p50 ms', 'p95 ms', 'max ms', 'KB', 'loop max ms'],
    results.map(({ path, p50, p95, max, kilobytes, loopMaxMs }) => [
      path,
      say(p50, 1),
      say(p95, 1),
      say(max, 1),
      say(kilobytes, 0),
      say(loopMaxMs, 0),
    ]),
  );
  save('rest', options, results);
});

/** Fills the broker, keeps messages running, and does the work. */
async function withClients({ port, pid }, { clients, subscriptions, messages }, work) {
  const filtersEach = Math.round(subscriptions / clients);
  const fill = async (left, then) => {
    if (left <= 0) return then();
    return withGenerator(async (generator) => {
      await generator.run('hold', { port, count: Math.min(left, PER_GENERATOR), qos: 1, filtersEach });
      return fill(left - PER_GENERATOR, then);
    });
  };
  return fill(clients, () =>
    withGenerator(async (generator) => {
      const flow = { ...TRAFFIC, window: Math.max(1, Math.round(messages / 5000)), port, pid };
      let over = null;
      await new Promise((resolve) => {
        over = generator.run('flow', { ...flow, warmUpMs: 1000, measureMs: 600_000 }, resolve);
      });
      const clientid = await generator.run('holdOne', { port });
      const answer = await work(clientid);
      await generator.run('stopFlow');
      const { delivered, wallMs } = await over;
      console.log(`${Math.round((delivered * 1000) / wallMs)} messages per second ran meanwhile.`);
      return answer;
    }),
  );
}

async function signIn({ http }) {
  const response = await fetch(`http://127.0.0.1:${http}/api/v5/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'public' }),
  });
  return (await response.json()).token;
}

async function measure({ http, ask }, token, path, count) {
  const took = [];
  let bytes = 0;
  await ask('watchLoop');
  for (let i = 0; i < count; i++) {
    const at = performance.now();
    const response = await fetch(`http://127.0.0.1:${http}/api/v5/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    bytes = (await response.arrayBuffer()).byteLength;
    if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}`);
    took.push(performance.now() - at);
  }
  const { maxMs } = await ask('loopSeen');
  took.sort((a, b) => a - b);
  const at = (share) => took[Math.min(count - 1, Math.floor(share * count))];
  return { p50: at(0.5), p95: at(0.95), max: took[count - 1], kilobytes: bytes / 1024, loopMaxMs: maxMs };
}
