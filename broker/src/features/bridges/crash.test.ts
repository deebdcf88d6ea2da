import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type CrashBroker, crashBroker } from '../../testing/crash-harness.ts';
import { freePort } from '../../testing/engines/engine.ts';
import { isFull } from '../../testing/extent.ts';

const ROUNDS = isFull ? 200 : 2;
const TIMEOUT_MS = 30_000 + ROUNDS * 10_000;

let broker: CrashBroker;
beforeAll(async () => {
  broker = await crashBroker();
}, 120_000);
afterAll(() => broker.remove());

test(
  'what was acknowledged into a disk buffer survives kill -9, in order, without loss',
  async () => {
    const port = await freePort();
    writeFileSync(
      join(broker.folder, 'settings.json'),
      JSON.stringify({
        version: 1,
        bridges: {
          'webhook:hook': {
            enable: true,
            url: `http://127.0.0.1:${port}/in`,
            body: '${payload}',
            resource_opts: {
              worker_pool_size: 1,
              request_ttl: 'infinity',
              buffer_mode: 'disk',
              auto_restart_interval: '300ms',
            },
          },
        },
        rule_engine: {
          rules: {
            r: {
              sql: 'SELECT * FROM "t"',
              actions: ['webhook:hook'],
              created_at: 1,
              last_modified_at: 1,
            },
          },
        },
      }),
    );
    const acknowledged: number[] = [];
    let next = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${await broker.start()}`, {
        clientId: 'sensor',
        reconnectPeriod: 0,
      });
      client.on('error', () => undefined); // it is killed
      const before = acknowledged.length;
      for (let i = 0; i < 200; i++) {
        const n = next++;
        client.publish('t', String(n), { qos: 1 }, (error) => {
          if (!error) acknowledged.push(n);
        });
      }
      const killedAfter = 20 + 20 * (round % 8);
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + killedAfter), 20_000);
      await broker.kill();
      await client.endAsync(true);
    }
    const got: number[] = [];
    const arrived = new Set<number>();
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        got.push(Number(body));
        arrived.add(Number(body));
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await broker.start();
    await vi.waitFor(() => expect(acknowledged.filter((n) => !arrived.has(n))).toEqual([]), {
      timeout: 30_000,
      interval: 100,
    });
    expect(got).toEqual([...got].sort((a, b) => a - b));
    expect(arrived.size).toBe(got.length); // the target was away all the time: nothing can have come twice
    server.closeAllConnections();
    server.close();
  },
  TIMEOUT_MS,
);
