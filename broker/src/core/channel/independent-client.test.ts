import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { afterEach, expect, test } from 'vitest';
import { listen } from '../../testing/socket-client.ts';
import { type Core, startCore } from '../core.ts';

const cores: Core[] = [];
const clients: MqttClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
  await Promise.all(cores.splice(0).map((core) => core.close()));
});

async function start(options: IClientOptions, prepare: (client: MqttClient) => void = () => undefined) {
  const core = startCore();
  cores.push(core);
  core.hooks.on('client.enhanced_authenticate', async (_who, { method, data, state }) => {
    if (method !== 'ECHO') return undefined;
    if (state === undefined) return { result: 'continue', data: Buffer.from('say it'), state: 1 };
    if (Buffer.from(data ?? []).toString() === 'said') return { result: 'success', data: null };
    return { result: 'failure', reasonCode: 0x87 };
  });
  const { bind } = await listen(core, 'tcp');
  const client = mqtt.connect(`mqtt://${bind}`, { protocolVersion: 5, reconnectPeriod: 0, ...options });
  clients.push(client);
  prepare(client);
  return { core, client };
}

const connected = (client: MqttClient) =>
  new Promise<number>((resolve, reject) => {
    client.on('connect', ({ reasonCode }) => resolve(reasonCode ?? -1));
    client.on('error', reject);
  });

test('an independent client authenticates in steps over TCP', async () => {
  const answer = (text: string) => (client: MqttClient) => {
    client.handleAuth = (_packet, callback) =>
      callback(undefined, {
        cmd: 'auth',
        reasonCode: 0x18,
        properties: { authenticationMethod: 'ECHO', authenticationData: Buffer.from(text) },
      });
  };
  const properties = { authenticationMethod: 'ECHO' };
  const right = await start({ properties }, answer('said'));
  expect(await connected(right.client)).toBe(0);
  const wrong = await start({ properties }, answer('whispered'));
  await expect(connected(wrong.client)).rejects.toThrow('Not authorized');
});

test('an independent client reads our topic aliases', async () => {
  const { core, client } = await start({ properties: { topicAliasMaximum: 2 } });
  await connected(client);
  await client.subscribeAsync('some/long/#');
  const sent = Array.from({ length: 60 }, (_, i) => `some/long/${i % 3 ? i % 7 : 'often'}`);
  const seen: string[] = [];
  const all = new Promise<void>((resolve) =>
    client.on('message', (topic) => {
      seen.push(topic);
      if (seen.length === sent.length) resolve();
    }),
  );
  for (const topic of sent) await core.publish({ topic, payload: 'x' });
  await all;
  expect(seen).toEqual(sent);
});
