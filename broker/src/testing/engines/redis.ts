import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Engine, findProgram, freePort, ownFolder, Runner, removeFolder } from './engine.ts';

export const REDIS_PROGRAMS = ['redis-server'] as const;
export const REDIS_PASSWORD = 'canary-redis-9';

export interface RedisEngine extends Engine {
  run(...command: string[]): Promise<unknown>;
}

const common = (port: number, folder: string): string[] => [
  '--port',
  String(port),
  '--bind',
  '127.0.0.1',
  '--save',
  '',
  '--dir',
  folder,
];
const secured = ['--requirepass', REDIS_PASSWORD, '--masterauth', REDIS_PASSWORD];

/** One command over a connection of its own. */
async function once(port: number, command: string[], password: string | null): Promise<unknown> {
  const client = new Redis({ host: '127.0.0.1', port, lazyConnect: true, ...(password && { password }) });
  await client.connect();
  try {
    return await client.call(command[0]!, command.slice(1));
  } finally {
    client.disconnect();
  }
}

async function startServer(more: (port: number) => Promise<string[]>): Promise<RedisEngine> {
  const folder = ownFolder('redis');
  const port = await freePort();
  const runner = new Runner({
    command: findProgram('redis-server')!,
    args: [...common(port, folder), ...secured, ...(await more(port))],
    ready: /Ready to accept connections/,
  });
  await runner.start();
  return {
    port,
    address: `127.0.0.1:${port}`,
    run: (...command) => once(port, command, REDIS_PASSWORD),
    kill: () => runner.kill(),
    start: () => runner.start(),
    close: async () => {
      await runner.kill();
      removeFolder(folder);
    },
  };
}

/** One server with a password. What it holds is gone when it is killed. */
export const startRedis = (): Promise<RedisEngine> => startServer(async () => []);

/** A sentinel that watches one master; `address` is the sentinel's, `run` goes to the master. */
export async function startRedisSentinel(name: string): Promise<RedisEngine> {
  const master = await startRedis();
  const folder = ownFolder('sentinel');
  const port = await freePort();
  const file = join(folder, 'sentinel.conf');
  writeFileSync(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor ${name} 127.0.0.1 ${master.port} 1`,
      `sentinel auth-pass ${name} ${REDIS_PASSWORD}`,
    ].join('\n'),
  );
  const runner = new Runner({
    command: findProgram('redis-server')!,
    args: [file, '--sentinel'],
    ready: /\+monitor master|Sentinel ID is/,
  });
  await runner.start();
  return {
    ...master,
    port,
    address: `127.0.0.1:${port}`,
    close: async () => {
      await runner.kill();
      await master.close();
      removeFolder(folder);
    },
  };
}

/** Two masters that share the keys; `address` names one of them, `run` goes there. */
export async function startRedisCluster(): Promise<RedisEngine & { runOnOther: RedisEngine['run'] }> {
  const node = () =>
    startServer(async () => [
      '--cluster-enabled',
      'yes',
      '--cluster-port',
      String(await freePort()),
      '--cluster-node-timeout',
      '2000',
    ]);
  const [first, second] = await Promise.all([node(), node()]);
  await first.run('CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
  await second.run('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383');
  const bus = /cluster_bus_port|@(\d+)/.exec(String(await second.run('CLUSTER', 'NODES')))?.[1];
  await first.run('CLUSTER', 'MEET', '127.0.0.1', String(second.port), bus!);
  const whole = async () =>
    (await Promise.all([first, second].map((one) => one.run('CLUSTER', 'INFO')))).every((info) =>
      /cluster_state:ok[\s\S]*cluster_slots_ok:16384/.test(String(info)),
    );
  while (!(await whole())) await setTimeout(50);
  return {
    ...first,
    runOnOther: second.run,
    close: async () => {
      await Promise.all([first.close(), second.close()]);
    },
  };
}
