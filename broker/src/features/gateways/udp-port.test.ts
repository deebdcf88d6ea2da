import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogBook } from '../../testing/log-book.ts';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import type { OpenLink } from './links.ts';
import type { LinkEvents } from './protocol.ts';
import { type UdpOptions, UdpPort } from './udp-port.ts';

const log = new LogBook();
let fixture: TestCore;
let port: UdpPort;
const used = new Set<OpenLink>();
const closed: OpenLink[] = [];
const ends: (() => unknown)[] = [];

beforeEach(() => {
  fixture = startTestCore({ log });
  used.clear();
  closed.length = 0;
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await port.stop();
  await fixture.close();
});

const options: UdpOptions = {
  host: '127.0.0.1',
  port: 0,
  maxConnections: Number.POSITIVE_INFINITY,
  admits: null,
  recvBytes: null,
  sendBytes: null,
  healthCheck: null,
};

/** Answers everybody what he said. */
const echo = (link: OpenLink): LinkEvents => ({
  onBytes: (bytes) => link.send(bytes),
  onClose: () => closed.push(link),
});

async function open(more: Partial<UdpOptions> = {}, welcome = echo): Promise<void> {
  const { core } = fixture;
  port = new UdpPort(
    { core, id: 'test:udp:default', welcome, isUsed: (link) => used.has(link) },
    { ...options, ...more },
  );
  await port.start();
}

async function peer(): Promise<{ socket: Socket; ask: (text: string) => Promise<string> }> {
  const socket = createSocket('udp4');
  ends.push(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    socket,
    ask: async (text) => {
      const answer = once(socket, 'message');
      socket.send(text, port.port, '127.0.0.1');
      return String((await answer)[0]);
    },
  };
}

describe('a port of datagrams', () => {
  test('has a link for each address and port that was heard of', async () => {
    await open();
    const [one, two] = [await peer(), await peer()];
    expect(await one.ask('a')).toBe('a');
    expect(await two.ask('b')).toBe('b');
    expect(await one.ask('c')).toBe('c');
    expect(port.currentConnections).toBe(2);
  });

  test('forgets who was not heard of, unless somebody has come in by it', async () => {
    const links: OpenLink[] = [];
    await open({}, (link) => {
      links.push(link);
      return echo(link);
    });
    const [one, two] = [await peer(), await peer()];
    await one.ask('a');
    await two.ask('a');
    used.add(links[0]!);
    fixture.pass(29_000);
    port.sweep(30_000);
    expect(port.currentConnections).toBe(2);
    fixture.pass(2000);
    port.sweep(30_000);
    await Promise.resolve();
    expect(closed).toEqual([links[1]]);
    expect(await two.ask('again')).toBe('again'); // another link
    expect(links).toHaveLength(3);
  });

  test('keeps no more than it may, of a thousand peers, and makes room for those who come later', async () => {
    await open({ maxConnections: 100 });
    const keeper = await peer();
    expect(await keeper.ask('first')).toBe('first');
    const heap = process.memoryUsage().heapUsed;
    for (let batch = 0; batch < 10; batch++) {
      const sockets = await Promise.all(Array.from({ length: 100 }, peer));
      for (const { socket } of sockets) socket.send('x', port.port, '127.0.0.1');
      expect(await keeper.ask(`batch ${batch}`)).toBe(`batch ${batch}`);
      expect(port.currentConnections).toBeLessThanOrEqual(100);
    }
    expect(port.currentConnections).toBe(100);
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(50 * 1024 * 1024);
    const late = await peer();
    late.socket.send('x', port.port, '127.0.0.1');
    await keeper.ask('still here');
    expect(port.currentConnections).toBe(100);
    fixture.pass(6000);
    expect(await late.ask('now')).toBe('now'); // the invented ones were not heard of for a while
  });

  test('takes none from where it may not, and answers a health check by itself', async () => {
    const healthCheck = { request: Buffer.from('ping?'), reply: Buffer.from('pong!') };
    await open({ admits: () => false, healthCheck });
    const one = await peer();
    one.socket.send('x', port.port, '127.0.0.1');
    expect(await one.ask('ping?')).toBe('pong!');
    expect(port.currentConnections).toBe(0);
  });

  test('cannot be had twice', async () => {
    await open();
    const other = new UdpPort(
      { core: fixture.core, id: 'test:udp:other', welcome: echo, isUsed: () => false },
      { ...options, port: port.port },
    );
    await expect(other.start()).rejects.toThrow('another program uses this port');
    expect(other.running).toBe(false);
    await expect(port.change({ ...options, host: '192.0.2.1' })).rejects.toThrow('no such address');
    expect(await (await peer()).ask('still')).toBe('still');
  });

  test('a protocol that throws loses that link, and nothing else', async () => {
    let greeted = 0;
    await open({}, (link) => {
      greeted++;
      if (greeted === 1) throw new Error('at the door');
      return {
        onBytes: (bytes) => {
          if (String(bytes) === 'throw') throw new Error('inside');
          link.send(bytes);
        },
        onClose: () => {
          throw new Error('at the end');
        },
      };
    });
    const [one, two, three] = [await peer(), await peer(), await peer()];
    one.socket.send('x', port.port, '127.0.0.1');
    expect(await two.ask('a')).toBe('a');
    expect(await three.ask('a')).toBe('a');
    two.socket.send('throw', port.port, '127.0.0.1');
    expect(await three.ask('b')).toBe('b');
    expect(port.currentConnections).toBe(1);
    const causes = log.lines.map(({ facts }) => String((facts.err as Error | undefined)?.message));
    expect(causes).toEqual(expect.arrayContaining(['at the door', 'inside', 'at the end']));
  });
});
