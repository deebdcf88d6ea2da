import { MqttError } from '@mqdeck/mqtt/reason-codes';
import type { Link, LinkEvents } from '../protocol.ts';
import { decode, decodeEncapsulated } from './decode.ts';
import { encode, encodeEncapsulated } from './encode.ts';
import type { Encapsulated } from './packets.ts';
import { Peer } from './peer.ts';
import type { Shared } from './shared.ts';

const NODES_MAX = 1024; // behind one forwarder

/** One address that datagrams come from. Keeps the device there, or those behind the forwarder there. */
export class Wire implements LinkEvents {
  private readonly shared: Shared;
  private readonly link: Link;
  private readonly own: Peer;
  private readonly nodes = new Map<string, Peer>(); // by the node's id in hex

  constructor(shared: Shared, link: Link) {
    this.shared = shared;
    this.link = link;
    this.own = new Peer(shared, link, (packet) => this.write(encode(packet)));
  }

  onBytes(datagram: Buffer): void {
    try {
      const forwarded = decodeEncapsulated(datagram);
      const packet = decode(forwarded?.message ?? datagram);
      this.peerOf(forwarded)?.receive(packet, datagram.length);
    } catch (error) {
      if (!(error instanceof MqttError)) throw error;
      const { address, port } = this.link;
      this.shared.gateway.log.debug({ address, port, reason: error.message }, 'mqttsn_malformed_datagram');
    }
  }

  onClose(): void {
    this.own.close();
    for (const peer of this.nodes.values()) peer.close();
    this.nodes.clear();
  }

  private peerOf(forwarded: Encapsulated | null): Peer | undefined {
    if (forwarded === null) return this.own;
    const key = Buffer.from(forwarded.node).toString('hex');
    const known = this.nodes.get(key);
    if (known !== undefined) return known;
    if (this.nodes.size >= NODES_MAX) this.forgetIdle();
    if (this.nodes.size >= NODES_MAX) return undefined;
    const { node, radius } = forwarded;
    const peer = new Peer(this.shared, this.link, (packet) =>
      this.write(encodeEncapsulated({ radius, node, message: encode(packet) })),
    );
    this.nodes.set(key, peer);
    return peer;
  }

  private write(datagram: Uint8Array): number {
    this.link.send(datagram);
    return datagram.length;
  }

  private forgetIdle(): void {
    for (const [key, peer] of this.nodes) if (peer.idle) this.nodes.delete(key);
  }
}
