import { decodePacket } from '@mqdeck/mqtt/decode';
import { encodePacket } from '@mqdeck/mqtt/encode';
import { Framer } from '@mqdeck/mqtt/framer';
import { type Packet, PacketType, type Properties, type ProtocolVersion } from '@mqdeck/mqtt/packets';
import type { Surroundings } from './mqtt-client.ts';
import type { SocketEvents } from './socket.ts';

/** The other end of a socket, for tests: it says what the test tells it, and keeps what it heard. */
export class FakeLink {
  readonly heard: Packet[] = [];
  /** Ended by the client. */
  closed = false;
  version: ProtocolVersion = 5;
  readonly #framer = new Framer(1_000_000);
  readonly #events: SocketEvents;

  constructor(events: SocketEvents) {
    this.#events = events;
  }

  receive(bytes: Uint8Array): void {
    this.#framer.push(bytes, (header, buf, start, end) => {
      const packet = decodePacket(header, buf, start, end, this.version, 'server');
      if (packet.type === PacketType.CONNECT) this.version = packet.protocolVersion;
      this.heard.push(packet);
    });
  }

  open(protocol = 'mqtt'): this {
    this.#events.opened(protocol);
    return this;
  }
  accept(properties: Properties = {}, sessionPresent = false): this {
    this.say({ type: PacketType.CONNACK, sessionPresent, reasonCode: 0, properties });
    return this;
  }
  say(packet: Packet): void {
    this.#events.bytes(encodePacket(packet, this.version));
  }
  sayBytes(...bytes: number[]): void {
    this.#events.bytes(Uint8Array.from(bytes));
  }
  sayText(): void {
    this.#events.text();
  }
  end(code = 1006): void {
    this.#events.closed(code);
  }
  last(): Packet | undefined {
    return this.heard.at(-1);
  }
  of<T extends Packet['type']>(type: T): Extract<Packet, { type: T }>[] {
    return this.heard.filter((packet): packet is Extract<Packet, { type: T }> => packet.type === type);
  }
}

export interface FakeServer extends Surroundings {
  links: FakeLink[];
}

/** A page on plain http, whose sockets all lead to the test. */
export function fakeServer(): FakeServer {
  const links: FakeLink[] = [];
  return {
    links,
    openSocket: (_url, events) => {
      const link = new FakeLink(events);
      links.push(link);
      return {
        send: (bytes) => link.receive(bytes),
        close: () => {
          link.closed = true;
        },
      };
    },
    answersHttp: async () => false,
    pageProtocol: () => 'http:',
    random: () => 0.5,
  };
}
