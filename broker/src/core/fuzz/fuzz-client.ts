import { encodePacket } from '@mqdeck/mqtt/encode';
import { type Packet, PacketType, type ProtocolVersion, type PublishPacket } from '@mqdeck/mqtt/packets';
import { filterMatches, parseShared } from '@mqdeck/mqtt/topics';
import { concat, type Dice } from '../../testing/fuzz.ts';
import { Generator } from './generator.ts';
import { type End, Model, replyText, UNKNOWN_ID, type World } from './model.ts';
import { type Dial, Peer, traffic } from './peer.ts';

const FAULTY_CONNECT = 'a faulty CONNECT';
const MAX_PACKETS_OF_BATCH = 20;
const MAX_INFLIGHT = 0xffff;

/**
 * A client that mostly keeps to the protocol. After each batch of packets it compares: it has got exactly the answers
 * that the model expects, or the end of its connection with the right reason.
 */
export class FuzzClient extends Peer {
  private readonly world: World;
  private readonly dice: Dice;
  private readonly clientid: string;
  private readonly model: Model;
  private readonly generator: Generator;
  private receiveMaximum = MAX_INFLIGHT;
  private readonly outstanding = new Set<number>(); // of the broker's QoS 1 and 2 messages
  private owed: (() => void)[] = [];
  private readonly replies: string[] = [];
  private disconnectReason: number | null = null;
  private story: string[] = [];

  constructor(world: World, dice: Dice, clientid: string, version: ProtocolVersion, dial: Dial) {
    super(version, dial);
    this.world = world;
    this.dice = dice;
    this.clientid = clientid;
    this.model = new Model(world);
    this.generator = new Generator(dice, version, this.model, () => {
      const text = `${clientid} ${++world.count} `;
      return Buffer.from(dice.chance(0.02) ? text.padEnd(20_000, 'x') : text);
    });
  }

  /** One batch of packets; connects first where there is no connection. */
  async step(): Promise<void> {
    const { dice, model } = this;
    const parts: Uint8Array[] = [];
    if (this.ended) {
      await this.begin();
      parts.push(dice.chance(0.05) ? this.faultyConnect() : this.connect(dice.chance(0.5), dice.chance(0.5)));
      // The rest may come in the same breath, before CONNACK
      if (model.end !== null || dice.chance(0.5)) await this.deliver(parts.splice(0));
      if (model.end !== null) return;
    }
    // What cannot be cut into packets may be found before CONNECT is answered, and refuses it
    const opening = parts.length > 0;
    const size = 1 + dice.upTo(MAX_PACKETS_OF_BATCH);
    for (let i = 0; i < size && !(opening && model.end !== null); i++) parts.push(...this.next(opening));
    await this.deliver(parts);
    if (model.end === null && dice.chance(0.05)) await this.lose();
  }

  /** Leaves nothing behind: acknowledges all, ends the session. */
  async leave(): Promise<void> {
    const { registry } = this.world.core;
    if (!this.ended) {
      const facts = () => registry.find(this.clientid)!.facts();
      do {
        this.acknowledge(this.owed.length);
        await this.deliver([]);
      } while (this.owed.length + facts().inflight_cnt + facts().mqueue_len > 0);
      await this.lose();
    }
    await this.begin();
    await this.deliver([this.connect(true, false)]);
    await this.deliver([this.packet({ type: PacketType.DISCONNECT, reasonCode: 0, properties: {} })]);
    if (registry.find(this.clientid)) this.fail('its session is left');
  }

  // --- packets out

  private async begin(): Promise<void> {
    this.model.begin();
    this.replies.length = 0;
    this.disconnectReason = null;
    this.outstanding.clear();
    this.owed = [];
    this.story = [];
    await this.open();
  }

  private connect(cleanStart: boolean, lasting: boolean): Uint8Array {
    const connect = this.generator.connect(this.clientid, cleanStart, lasting);
    traffic.packets++;
    this.note(connect);
    this.model.connect(connect);
    this.receiveMaximum = connect.properties.receiveMaximum ?? MAX_INFLIGHT;
    return encodePacket(connect, this.version);
  }

  private faultyConnect(): Uint8Array {
    traffic.packets++;
    for (;;) {
      const bytes = this.generator.faultyConnect(this.generator.connect(this.clientid, true, false));
      if (bytes === null) continue;
      this.note(`${FAULTY_CONNECT} ${Buffer.from(bytes).toString('hex')}`);
      this.model.finish(FAULTY_CONNECT, null);
      return bytes;
    }
  }

  /** The next packets, already known to the model. */
  private next(faultless: boolean): Uint8Array[] {
    const { dice, model } = this;
    if (model.end !== null) return dice.chance(0.3) ? [dice.bytes(dice.upTo(20))] : []; // nobody reads these
    const kind = dice.random();
    if (kind < 0.02 && !faultless) return [this.violate()];
    if (kind < 0.06 && !faultless) return [this.change()];
    if (kind > 0.3) return [this.packet(this.generator.packet())];
    this.acknowledge(1 + dice.upTo(8));
    return [];
  }

  private packet(packet: Packet): Uint8Array {
    traffic.packets++;
    this.note(packet);
    this.model.apply(packet);
    return encodePacket(packet, this.version);
  }

  private violate(): Uint8Array {
    const { name, bytes, reasons } = this.generator.violation();
    traffic.packets++;
    this.note(name);
    this.model.finish(name, reasons);
    return Uint8Array.from(bytes(this.version));
  }

  private change(): Uint8Array {
    const changed = this.generator.changed();
    traffic.packets++;
    this.note(`changed: ${Buffer.from(changed.bytes).toString('hex')}`);
    if (changed.packet === null) this.model.finish('a changed packet', changed.reasons);
    else this.model.apply(changed.packet);
    return changed.bytes;
  }

  private acknowledge(most: number): void {
    for (const answer of this.owed.splice(0, most)) answer();
  }

  private async lose(): Promise<void> {
    this.break();
    this.model.finish('the network breaks', null);
    await this.gone();
  }

  // --- packets in

  protected override onFrame(header: number, buf: Uint8Array, start: number, end: number): void {
    if (this.model.end?.why !== FAULTY_CONNECT) super.onFrame(header, buf, start, end);
    // The version that its changed bytes name may be another
    else if (header !== PacketType.CONNACK << 4 || buf[start + 1] === 0)
      throw new Error(this.told(`answered with ${buf.subarray(start, end)}`));
  }

  protected onPacket(packet: Packet): void {
    if (packet.type === PacketType.PUBLISH) this.onMessage(packet);
    else if (packet.type === PacketType.DISCONNECT) this.disconnectReason = packet.reasonCode;
    else if (packet.type === PacketType.PUBREL && packet.packetId < UNKNOWN_ID)
      this.owed.push(() => {
        this.outstanding.delete(packet.packetId);
        this.sendAck(PacketType.PUBCOMP, packet.packetId);
      });
    else this.replies.push(replyText(packet));
  }

  private onMessage({ topic, qos, packetId }: PublishPacket): void {
    const wanted = (filter: string) => filterMatches(parseShared(filter)?.filter ?? filter, topic);
    // One that came by an alias has no topic here
    if (topic !== '' && ![...this.model.everSubscribed].some(wanted))
      throw new Error(`${this.clientid} never subscribed to ${topic}`);
    if (qos === 0) return;
    if (this.outstanding.has(packetId)) throw new Error(`packet id ${packetId} is in use`); // [MQTT-2.2.1-4]
    this.outstanding.add(packetId);
    if (this.outstanding.size > this.receiveMaximum) throw new Error('more than Receive Maximum'); // [MQTT-3.3.4-9]
    this.owed.push(() => {
      const refuses = this.version === 5 && qos === 2 && this.dice.chance(0.05);
      if (qos === 1 || refuses) this.outstanding.delete(packetId);
      this.sendAck(qos === 1 ? PacketType.PUBACK : PacketType.PUBREC, packetId, refuses ? 0x83 : 0);
    });
  }

  // --- comparing

  /** Sends the parts, waits until the broker has dealt with all, and compares. */
  private async deliver(parts: Uint8Array[]): Promise<void> {
    const { model, replies } = this;
    const { end } = model;
    if (end === null) parts.push(this.packet({ type: PacketType.PINGREQ })); // its answer comes behind the others
    for (const piece of this.dice.pieces(concat(...parts))) this.write(piece);
    const { expected } = model;
    await this.until(
      () => this.ended || (end === null && replies.length >= expected.length),
      () => this.told(end === null ? expected.slice(replies.length).join(', ') : `the end after ${end.why}`),
    );
    if (end?.why === FAULTY_CONNECT) return;
    const wrong = replies.findIndex((reply, i) => !expected[i]?.includes(reply));
    if (wrong !== -1 || replies.length !== expected.length)
      this.fail(
        `expected ${expected[wrong === -1 ? replies.length : wrong]}, got ${replies[wrong] ?? 'nothing'}`,
      );
    model.expected = [];
    replies.length = 0;
    if (end !== null) await this.checkEnd(end);
    else if (this.ended) this.fail('the connection ended');
    else this.checkSession();
  }

  private checkSession(): void {
    const { subscriptions, awaiting } = this.model;
    const facts = this.world.core.registry.find(this.clientid)?.facts();
    const is = [facts?.subscriptions_cnt, facts?.awaiting_rel_cnt];
    const should = [subscriptions.size, awaiting.size];
    if (is.join() !== should.join()) this.fail(`${is} subscriptions and QoS 2 messages, not ${should}`);
  }

  private async checkEnd({ reasons, why }: End): Promise<void> {
    const said = this.disconnectReason;
    const silent = this.version < 5 || reasons === null;
    const right = silent ? said === null : said !== null && reasons.includes(said);
    if (!right) this.fail(`after ${why} the broker gave ${said ?? 'no reason'}, not ${reasons ?? 'none'}`);
    await this.gone();
  }

  /** The broker knows that the connection has ended, and has kept the session only if it should. */
  private async gone(): Promise<void> {
    const { registry } = this.world.core;
    while (registry.find(this.clientid)?.connected) await new Promise((resolve) => setImmediate(resolve));
    if (Boolean(registry.find(this.clientid)) !== this.model.kept)
      this.fail(this.model.kept ? 'its session is gone' : 'its session is left');
  }

  private note(what: Packet | string): void {
    this.story.push(typeof what === 'string' ? what : describe(what));
  }

  private told(what: string): string {
    const story = this.story.slice(-12).map((line) => line.slice(0, 300));
    return [`${what} (MQTT ${this.version})`, ...story].join('\n');
  }

  private fail(what: string): never {
    throw new Error(this.told(what));
  }
}

const describe = (packet: Packet): string =>
  JSON.stringify(packet, (_key, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  );
