import { once } from 'node:events';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { decodePacket } from '@mqdeck/mqtt/decode';
import { encodePacket } from '@mqdeck/mqtt/encode';
import { Framer } from '@mqdeck/mqtt/framer';
import { type Packet, PacketType, type ProtocolVersion } from '@mqdeck/mqtt/packets';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Device } from './device.ts';

/** The other end: hands over the packets it reads in turn, and sends what it is told. */
class Peer {
  readonly #socket: Socket;
  readonly #version: ProtocolVersion;
  readonly #packets: Packet[] = [];
  #waiting: ((packet: Packet) => void) | null = null;

  constructor(socket: Socket, version: ProtocolVersion) {
    this.#socket = socket;
    this.#version = version;
    const framer = new Framer(1_000_000);
    socket.on('data', (chunk) =>
      framer.push(chunk, (header, buf, from, to) => {
        const packet = decodePacket(header, buf, from, to, version, 'server');
        if (this.#waiting) this.#waiting(packet);
        else this.#packets.push(packet);
        this.#waiting = null;
      }),
    );
  }

  next(): Promise<Packet> {
    const packet = this.#packets.shift();
    if (packet) return Promise.resolve(packet);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  send(packet: Packet): void {
    this.#socket.write(encodePacket(packet, this.#version));
  }

  end(): void {
    this.#socket.destroy();
  }
}

let server: Server;
beforeEach(async () => {
  server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
});

const connack = { type: PacketType.CONNACK, sessionPresent: false, reasonCode: 0, properties: {} } as const;
const publish = { type: PacketType.PUBLISH, topic: 't', retain: false, dup: false, properties: {} } as const;

async function connect(protocolVersion: ProtocolVersion, ackDelayMs = 0) {
  const events = { connected: vi.fn(), closed: vi.fn() };
  const accepted = once(server, 'connection');
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const device = new Device(address, { clientid: 'd', protocolVersion }, ackDelayMs, events);
  const peer = new Peer((await accepted)[0] as Socket, protocolVersion);
  const hello = await peer.next();
  peer.send(connack);
  await vi.waitFor(() => expect(events.connected).toHaveBeenCalledOnce());
  return { device, peer, events, hello };
}

test.each([3, 4, 5] as const)(
  'a device of protocol level %d connects, publishes and leaves politely',
  async (version) => {
    const { device, events, hello, peer } = await connect(version);
    expect(hello).toMatchObject({
      type: PacketType.CONNECT,
      clientid: 'd',
      protocolVersion: version,
      cleanStart: true,
    });
    device.publish('room/1', '21.5', 0);
    expect(await peer.next()).toMatchObject({
      topic: 'room/1',
      qos: 0,
      payload: new Uint8Array(Buffer.from('21.5')),
    });
    device.subscribe(['a/+', 'b'], 1);
    expect(await peer.next()).toMatchObject({
      subscriptions: [
        { filter: 'a/+', qos: 1 },
        { filter: 'b', qos: 1 },
      ],
    });
    device.disconnect();
    expect(await peer.next()).toMatchObject({ type: PacketType.DISCONNECT });
    peer.end();
    await vi.waitFor(() => expect(events.closed).toHaveBeenCalledOnce());
  },
);

test('it keeps its side of QoS 1 and 2, as receiver and as sender', async () => {
  const { device, peer } = await connect(5);
  const payload = new Uint8Array();
  peer.send({ ...publish, payload, qos: 1, packetId: 7 });
  expect(await peer.next()).toMatchObject({ type: PacketType.PUBACK, packetId: 7 });
  peer.send({ ...publish, payload, qos: 2, packetId: 8 });
  expect(await peer.next()).toMatchObject({ type: PacketType.PUBREC, packetId: 8 });
  peer.send({ type: PacketType.PUBREL, packetId: 8, reasonCode: 0, properties: {} });
  expect(await peer.next()).toMatchObject({ type: PacketType.PUBCOMP, packetId: 8 });
  device.publish('x', '', 2);
  const sent = await peer.next();
  const packetId = 'packetId' in sent ? sent.packetId : 0;
  peer.send({ type: PacketType.PUBREC, packetId, reasonCode: 0, properties: {} });
  expect(await peer.next()).toMatchObject({ type: PacketType.PUBREL, packetId });
  device.drop();
});

test('a connection that the broker refuses or breaks is told once', async () => {
  const { events, peer } = await connect(4);
  peer.end();
  await vi.waitFor(() => expect(events.closed).toHaveBeenCalledOnce());
});

test('a broker that is not there is a closed connection, not a crash', async () => {
  const closed = vi.fn();
  new Device({ host: '127.0.0.1', port: 1 }, { clientid: 'd', protocolVersion: 4 }, 0, {
    connected: vi.fn(),
    closed,
  });
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
});
