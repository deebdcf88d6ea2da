import { once } from 'node:events';
import { connect as dial, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as dialTls } from 'node:tls';
import { encodePacket } from '@mqdeck/mqtt/encode';
import { PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  closed,
  type Kind,
  kinds,
  listen,
  openStream,
  socketClient,
  testCertificates,
} from '../../testing/socket-client.ts';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import { BUDGET_BYTES, CONNECT_BYTES_MAX, FREE_BYTES } from '../connect-budget.ts';
import type { PortListener } from './listener.ts';
import { SHARE_BYTES } from './network-connection.ts';

const patience = { timeout: 10_000 }; // of a busy machine
const cores: TestCore[] = [];
const streams: Duplex[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const stream of streams.splice(0)) stream.destroy();
  await Promise.all(cores.splice(0).map((core) => core.close()));
});

async function start(kind: Kind): Promise<TestCore & { listener: PortListener }> {
  const broker = startTestCore();
  cores.push(broker);
  return { ...broker, listener: await listen(broker.core, kind) };
}

function keep<T extends Duplex>(stream: T): T {
  stream.on('error', () => undefined); // a connection that the broker ends may be reset
  streams.push(stream);
  return stream;
}

/** A socket without a word of TLS or MQTT yet. */
async function knock({ port }: PortListener): Promise<Socket> {
  const socket = keep(dial(port, '127.0.0.1'));
  await once(socket, 'connect');
  return socket;
}

/** Lets the event loop turn: what sockets have to say comes through. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const publish = (topic: string, payload: Uint8Array): Buffer =>
  Buffer.from(
    encodePacket(
      {
        type: PacketType.PUBLISH,
        topic,
        payload,
        qos: 0,
        retain: false,
        dup: false,
        packetId: 0,
        properties: {},
      },
      4,
    ),
  );
const times = (count: number, frame: Buffer): Buffer => Buffer.alloc(count * frame.length, frame); // the frame again and again

describe('a connection that does not come as far as CONNECT ends after the idle timeout', () => {
  /** `step` is what the connection, the only one, does twice in its fifteen seconds. */
  async function expectEnd(
    { pass, listener }: TestCore & { listener: PortListener },
    step: () => unknown = () => undefined,
  ): Promise<void> {
    for (let turn = 0; turn < 2; turn++) {
      step();
      pass(7000);
      // Another one comes and goes: whatever was to happen has happened
      const { client } = await socketClient(listener, 'passer-by');
      await client.disconnect();
      await vi.waitFor(() => expect(listener.currentConnections).toBe(1), patience);
    }
    pass(1000);
    await vi.waitFor(() => expect(listener.currentConnections).toBe(0), patience);
  }

  test.each(kinds)('that says nothing, %s', async (kind) => {
    const broker = await start(kind);
    await knock(broker.listener);
    await expectEnd(broker);
  });

  test.each(['ssl', 'wss'] as const)('that trickles a TLS handshake, %s', async (kind) => {
    const broker = await start(kind);
    const socket = await knock(broker.listener);
    // A handshake record that announces 512 bytes, and of them a few
    socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
    await expectEnd(broker, () => socket.write(Buffer.alloc(1)));
    expect(broker.listener.failedHandshakes).toBe(1);
  });

  test.each(['ws', 'wss'] as const)('that trickles an upgrade, %s', async (kind) => {
    const broker = await start(kind);
    const socket = kind === 'ws' ? await knock(broker.listener) : await secured(broker.listener);
    socket.write('GET /mqtt HTTP/1.1\r\nHost: localhost\r\n');
    await expectEnd(broker, () => socket.write('X-Patience: 1\r\n'));
  });

  test.each(['ws', 'wss'] as const)(
    'that never asks for an upgrade, or stays after a refusal, %s',
    async (kind) => {
      const broker = await start(kind);
      const { port } = broker.listener;
      const address = { port, host: '127.0.0.1', allowHalfOpen: true };
      const ca = testCertificates.current.cert;
      const socket = keep(kind === 'ws' ? dial(address) : dialTls({ ...address, ca }));
      await once(socket, kind === 'ws' ? 'connect' : 'secureConnect');
      const answer = once(socket, 'data');
      socket.write(
        'GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      );
      expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 404 /);
      await expectEnd(broker);
    },
  );

  test.each(kinds)('that is open for MQTT, and then sends half a CONNECT, %s', async (kind) => {
    const broker = await start(kind);
    const { stream } = await openStream(broker.listener);
    keep(stream).write(Buffer.from([0x10, 100, 0, 4]));
    await vi.waitFor(() => expect(broker.core.counters.get('bytes.received')).toBe(4), patience);
    await expectEnd(broker);
  });

  async function secured({ port }: PortListener): Promise<Duplex> {
    const socket = keep(dialTls({ port, host: '127.0.0.1', ca: testCertificates.current.cert }));
    await once(socket, 'secureConnect');
    return socket;
  }
});

describe.each(kinds)('over %s', (kind) => {
  test('a reader that stops reading is sent a bounded part, loses the oldest of the rest, and slows nobody', async () => {
    const { core, listener } = await start(kind);
    const slow = await socketClient(listener, 'slow');
    await slow.client.subscribe('load');
    const reader = await socketClient(listener, 'reader');
    await reader.client.subscribe('load');
    const publisher = await socketClient(listener, 'publisher', { version: 4 });
    const neighbour = await socketClient(listener, 'neighbour');
    slow.stream.pause();

    const rounds = 100;
    const batch = times(1000, publish('load', Buffer.alloc(500)));
    let received = 0;
    reader.stream.removeAllListeners('data');
    reader.stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    for (let round = 0; round < rounds; round++) {
      publisher.client.sendRaw(batch);
      await Promise.all([publisher.client.ping(), neighbour.client.ping()]);
    }
    await vi.waitFor(() => expect(received).toBe(rounds * (batch.length + 1000)), patience); // 5.0: a byte more each
    const facts = core.registry.find('slow')!.facts();
    expect(facts.mqueue_len).toBe(1000);
    expect(facts['send_msg.dropped.queue_full']).toBe(rounds * 1000 - 1000 - facts.send_msg);
    expect(facts.send_oct).toBeLessThan(20_000_000); // the kernel's buffers and ours, of 50 million bytes

    slow.stream.resume();
    expect(await slow.client.expectMessages(facts.send_msg + 1000)).toHaveLength(facts.send_msg + 1000);
    await slow.client.ping();
    expect(core.registry.find('slow')!.facts()).toMatchObject({ mqueue_len: 0 });
  });

  test.each(['FIN', 'its good-bye'])(
    'one that sends %s without reading is gone, and its socket soon',
    async (how) => {
      const { core, listener } = await start(kind);
      const { client, stream, socket } = await socketClient(listener, 'slow');
      await client.subscribe('load');
      stream.pause();
      socket.pause();
      const payload = Buffer.alloc(100_000);
      for (let sent = 0; sent < 200; sent++) await core.publish({ topic: 'load', payload });
      await vi.waitFor(
        () => expect(core.registry.find('slow')!.facts().mqueue_len).toBeGreaterThan(0),
        patience,
      );
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      if (how === 'FIN') socket.end();
      else stream.end();
      await turns(20);
      if (how === 'FIN') expect(core.registry.find('slow')).toBeUndefined();
      expect(listener.currentConnections).toBe(1);
      vi.advanceTimersByTime(5000);
      vi.useRealTimers();
      await vi.waitFor(() => expect(listener.currentConnections).toBe(0), patience);
      expect(core.registry.find('slow')).toBeUndefined();
    },
  );

  test('a flood has its share of each turn, and a neighbour its answer in the next', async () => {
    const { core, listener } = await start(kind);
    const flood = await socketClient(listener, 'flood', { version: 4 });
    const { client: neighbour } = await socketClient(listener, 'neighbour');
    const frame = publish('t', Buffer.alloc(0));
    const megabyte = times(200_000, frame); // a WebSocket hands it over in one piece
    for (let sent = 0; sent < 15; sent++) flood.client.sendRaw(megabyte);
    const handled = () => core.counters.get('packets.publish.received');
    await vi.waitFor(() => expect(handled()).toBeGreaterThan(200_000), { ...patience, interval: 1 });
    const meanwhile: number[] = [];
    while (handled() < 2_000_000) {
      const before = handled();
      await neighbour.ping();
      meanwhile.push(handled() - before);
    }
    const share = Math.ceil(SHARE_BYTES / frame.length);
    // PINGREQ goes out, is read and answered, and the answer is read: four turns at most
    expect(Math.max(...meanwhile)).toBeLessThanOrEqual(4 * share);
    flood.client.close();
  });
});

describe('a WebSocket', () => {
  /** What a peer sends, masked with nothing. */
  const frame = (first: number, payload: Buffer, announced = payload.length): Buffer => {
    const length = Buffer.alloc(announced < 126 ? 2 : 10);
    length[0] = first;
    length[1] = 0x80 | (announced < 126 ? announced : 127);
    if (announced >= 126) length.writeBigUInt64BE(BigInt(announced), 2);
    return Buffer.concat([length, Buffer.alloc(4), payload]);
  };
  const one = Buffer.from([0x10]);

  test.each<[string, Buffer]>([
    ['without a mask', Buffer.from([0x82, 1, 0x10])],
    ['compressed, which was not agreed', frame(0xc2, one)],
    ['that goes on with nothing', frame(0x80, one)],
    ['of a kind that there is not', frame(0x83, one)],
    ['larger than any packet', frame(0x82, one, 0x7fff_ffff)],
    ['in more pieces than anybody needs', Buffer.concat([frame(0x02, one), times(20_000, frame(0x00, one))])],
    ['that only knocks, and listens to no answer', times(200_000, frame(0x89, Buffer.alloc(125)))],
  ])('with a frame %s ends, and nobody else feels it', async (_what, bytes) => {
    const { listener } = await start('ws');
    const { client: neighbour } = await socketClient(listener, 'neighbour');
    const socket = await knock(listener);
    socket.on('error', () => undefined); // a reset is as good as an end
    socket.write(
      'GET /mqtt HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n',
    );
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 101 /);
    if (bytes.length > 1_000_000) socket.pause();
    else socket.resume();
    socket.write(bytes);
    await neighbour.ping();
    await vi.waitFor(() => expect(listener.currentConnections).toBe(1), patience);
    await neighbour.ping();
  });
});

describe.each(['ws', 'wss'] as const)('a message over WebSocket that begins before CONNECT, %s', (kind) => {
  /** Its header, which promises a megabyte, and so many bytes of it. */
  async function begin({ listener }: { listener: PortListener }, bytes: number): Promise<Duplex> {
    const { port } = listener;
    const address = { port, host: '127.0.0.1' };
    const socket = keep(
      kind === 'ws' ? dial(address) : dialTls({ ...address, ca: testCertificates.current.cert }),
    );
    await once(socket, kind === 'ws' ? 'connect' : 'secureConnect');
    const upgraded = once(socket, 'data');
    socket.write(
      'GET /mqtt HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n',
    );
    await upgraded;
    socket.resume();
    socket.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]));
    socket.write(Buffer.alloc(bytes));
    return socket;
  }

  test('ends the connection when it is longer than a CONNECT may be', async () => {
    const broker = await start(kind);
    await closed(await begin(broker, 2 * CONNECT_BYTES_MAX));
    await vi.waitFor(() => expect(broker.listener.currentConnections).toBe(0), patience);
  });

  test('counts in what all of them may hold, and honest clients connect', async () => {
    const broker = await start(kind);
    const many = Math.ceil(BUDGET_BYTES / (CONNECT_BYTES_MAX - FREE_BYTES));
    for (let i = 0; i < many + 5; i++) await begin(broker, CONNECT_BYTES_MAX);
    await vi.waitFor(() => expect(broker.listener.currentConnections).toBeLessThanOrEqual(many), patience);
    expect(broker.listener.currentConnections).toBeGreaterThan(many - 5);
    const { client } = await socketClient(broker.listener, 'honest');
    const watcher = await socketClient(broker.listener, 'watcher');
    await watcher.client.subscribe('t');
    await client.publish('t', Buffer.alloc(5 * CONNECT_BYTES_MAX)); // which was let in
    expect((await watcher.client.expectMessage()).payload).toHaveLength(5 * CONNECT_BYTES_MAX);
  });
});

test.each(['tcp', 'ssl'] as const)(
  'a connection that is refused and goes on sending is not read to its end, %s',
  async (kind) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] }); // so that nobody runs out of patience
    const broker = await start(kind);
    const address = { port: broker.listener.port, host: '127.0.0.1', allowHalfOpen: true };
    const ca = testCertificates.current.cert;
    const socket = keep(kind === 'tcp' ? dial(address) : dialTls({ ...address, ca }));
    await once(socket, kind === 'tcp' ? 'connect' : 'secureConnect');
    socket.write(Buffer.from([0x10, 0xff, 0xff, 0x7f, 0, 4, ...Buffer.from('MQTT'), 5]));
    const [answer] = await once(socket, 'data');
    expect([answer[0], answer[3]]).toEqual([0x20, ReasonCode.PacketTooLarge]);
    socket.write(Buffer.alloc(500_000));
    while (broker.listener.currentConnections > 0) await turns(1);
  },
);
