import { PacketType, type ProtocolVersion } from '@mqdeck/mqtt/packets';
import { expect, test } from 'vitest';
import { type Dice, fuzz, heapBytes } from '../../testing/fuzz.ts';
import { MemoryConnection } from '../../testing/memory-connection.ts';
import { listen, openStream } from '../../testing/socket-client.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import type { Core } from '../core.ts';
import type { PortListener } from '../listeners/listener.ts';
import { FuzzClient } from './fuzz-client.ts';
import type { World } from './model.ts';
import { type Dial, traffic, Watcher } from './peer.ts';
import { violations } from './violations.ts';

const VERSIONS: readonly ProtocolVersion[] = [3, 4, 5, 5];
const STEPS = 30;
const WARM_UP_ROUNDS = 2000;
const HEAP_GROWTH_MAX_BYTES = 8 * 1024 * 1024;
const FULL_TIMEOUT_MS = 30 * 60_000;

const inMemory =
  (core: Core): Dial =>
  (receive, ended) => {
    const connection = new MemoryConnection(40_000, receive, ended);
    connection.connect(core.accept(connection, 'tcp:default'));
    return { send: (bytes) => connection.send(bytes), close: () => connection.break() };
  };

const overSocket =
  (listener: PortListener): Dial =>
  async (receive, ended) => {
    const { stream, socket } = await openStream(listener);
    socket.setNoDelay(true); // small pieces do not wait for each other's acknowledgement
    stream.on('data', receive);
    stream.on('error', () => undefined); // it ends as any other
    stream.on('close', ended);
    stream.on('end', ended);
    return { send: (bytes) => stream.write(bytes), close: () => stream.destroy() };
  };

/** Three clients in turn, and two subscribers of everything. */
async function round(core: Core, dice: Dice, dial: Dial, dialOfWatchers: Dial): Promise<void> {
  const world: World = { core, published: [], count: 0 };
  const watchers = [new Watcher('watcher 5', 5, dialOfWatchers), new Watcher('watcher 4', 4, dialOfWatchers)];
  for (const watcher of watchers) await watcher.start();
  const clients = [0, 1, 2].map((i) => new FuzzClient(world, dice, `fuzz ${i}`, dice.pick(VERSIONS), dial));
  for (let step = 0; step < STEPS; step++) {
    await dice.pick(clients).step();
    for (const watcher of watchers) await watcher.settle(world.published.length);
  }
  for (const client of clients) await client.leave();
  for (const watcher of watchers) {
    await watcher.settle(world.published.length);
    expect(watcher.got).toEqual(world.published);
  }
  expect([core.registry.size, core.routes.subscriptionCount]).toEqual([2, 2]);
  for (const watcher of watchers)
    watcher.send({ type: PacketType.DISCONNECT, reasonCode: 0, properties: {} });
  for (const watcher of watchers)
    await watcher.until(
      () => watcher.ended,
      () => 'the end of a watcher',
    );
}

const reportRate = (what: string, before: number, since: number): void => {
  const packets = traffic.packets - before;
  console.info(
    `${what}: ${packets} packets, ${Math.round((packets / (Date.now() - since)) * 1000)} per second`,
  );
};

test(
  'sequences of packets with single faults are answered as the specification says, and harm nobody else',
  async () => {
    const errors: unknown[] = [];
    const { core, close } = startTestCore();
    core.log.error = (facts) => errors.push(facts);
    const before = traffic.packets;
    const since = Date.now();
    let rounds = 0;
    let warm = 0;
    await fuzz({ short: 40, full: 21_000 }, async (dice) => {
      await round(core, dice, inMemory(core), inMemory(core));
      if (++rounds === WARM_UP_ROUNDS) warm = heapBytes();
    });
    expect(errors).toEqual([]);
    expect([core.registry.size, core.routes.filterCount]).toEqual([0, 0]);
    if (rounds > WARM_UP_ROUNDS) expect(heapBytes() - warm).toBeLessThan(HEAP_GROWTH_MAX_BYTES);
    reportRate('in memory', before, since);
    await close();
  },
  FULL_TIMEOUT_MS,
);

test.each(['tcp', 'ws'] as const)('the same over a socket: %s', async (kind) => {
  const errors: unknown[] = [];
  const { core, close } = startTestCore();
  core.log.error = (facts) => errors.push(facts);
  const listener = await listen(core, kind);
  const before = traffic.packets;
  const since = Date.now();
  await fuzz({ short: 3, full: 300 }, (dice) => round(core, dice, overSocket(listener), inMemory(core)));
  expect(errors).toEqual([]);
  expect(core.registry.size).toBe(0);
  reportRate(kind, before, since);
  await close();
});

test('each violation is one in every version that it names', () => {
  expect(new Set(violations.map(({ name }) => name)).size).toBe(violations.length);
});
