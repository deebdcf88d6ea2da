import { connect, type Socket } from 'node:net';
import { encodePacket } from '@mqdeck/mqtt/encode';
import { PacketType, type ProtocolVersion } from '@mqdeck/mqtt/packets';
import { afterEach, expect, test } from 'vitest';
import { closed, listen } from '../../testing/socket-client.ts';
import { type Core, startCore } from '../core.ts';
import type { PortListener } from '../listeners/listener.ts';

let core: Core;
const sockets: Socket[] = [];
let clients = 0;
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await core.close();
});

const none = { connections: null, messages: null, bytes: null };

function connectPacket(version: ProtocolVersion): Buffer {
  const packet = encodePacket(
    {
      type: PacketType.CONNECT,
      protocolVersion: version,
      bridge: false,
      cleanStart: true,
      keepAlive: 0,
      clientid: `c${clients++}`,
      username: null,
      password: null,
      will: null,
      properties: {},
    },
    version,
  );
  return Buffer.from(packet);
}

/** Connects, says that, and answers with all it hears until the connection is closed; hears no more after `enough`. */
function say({ port }: PortListener, bytes: Buffer, enough = Number.POSITIVE_INFINITY): Promise<number[]> {
  const socket = connect({ host: '127.0.0.1', port });
  sockets.push(socket);
  const heard: number[] = [];
  return new Promise((resolve) => {
    socket.on('error', () => undefined); // a reset is an answer too
    socket.on('data', (chunk: Buffer) => {
      heard.push(...chunk);
      if (heard.length >= enough) resolve(heard);
    });
    socket.on('close', () => resolve(heard));
    socket.write(bytes);
  });
}

test('one connection too many hears why in its own version, and is closed', async () => {
  core = startCore();
  const listener = await listen(core, 'tcp');
  core.entrance('tcp:default').rates = { ...none, connections: { count: 1, perMs: 3_600_000 } };
  expect((await say(listener, connectPacket(5), 4)).slice(0, 1)).toEqual([0x20]);
  expect(core.registry.connectedCount).toBe(1);
  expect(await say(listener, connectPacket(5))).toEqual([0x20, 3, 0, 0x9f, 0]);
  expect(await say(listener, connectPacket(4))).toEqual([0x20, 2, 0, 3]);
  expect(await say(listener, connectPacket(3))).toEqual([0x20, 2, 0, 3]);
  expect(await say(listener, Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toEqual([]);
  expect(await say(listener, Buffer.from([0x10]))).toEqual([]);
  expect(core.registry.connectedCount).toBe(1);
  expect(core.limiter.tally.misses('connection', 'listener')).toBe(5);
});

test('of a flood only a few are answered, and who is connected notices nothing', async () => {
  core = startCore();
  const listener = await listen(core, 'tcp');
  const { port } = listener;
  const neighbour = connect({ host: '127.0.0.1', port });
  sockets.push(neighbour);
  const heard: number[] = [];
  neighbour.on('data', (chunk: Buffer) => heard.push(...chunk));
  neighbour.write(connectPacket(4));
  await new Promise((resolve) => neighbour.once('data', resolve));
  core.entrance('tcp:default').rates = { ...none, connections: { count: 1, perMs: 3_600_000 } };
  await say(listener, connectPacket(5), 4);

  const silent = Array.from({ length: 300 }, () => connect({ host: '127.0.0.1', port }));
  sockets.push(...silent);
  let ended = 0;
  await new Promise<void>((resolve) => {
    for (const socket of silent)
      void closed(socket).then(() => {
        if (++ended === 250) resolve(); // the other fifty are still asked who they are
      });
  });
  heard.length = 0;
  const ping = new Promise((resolve) => neighbour.once('data', resolve));
  neighbour.write(Buffer.from([0xc0, 0]));
  await ping;
  expect(heard).toEqual([0xd0, 0]);
  expect(core.registry.connectedCount).toBe(2);
  expect(core.limiter.tally.misses('connection', 'listener')).toBe(300);
});

test('those over TLS and WebSocket are closed before anything is spent on them', async () => {
  core = startCore();
  for (const kind of ['ssl', 'ws', 'wss'] as const) {
    const listener = await listen(core, kind);
    core.entrance(`${kind}:default`).rates = { ...none, connections: { count: 1, perMs: 3_600_000 } };
    core.limiter.admitsConnection(core.entrance(`${kind}:default`), '127.0.0.1');
    expect(await say(listener, connectPacket(5))).toEqual([]);
    expect(listener.failedHandshakes).toBe(0);
  }
});
