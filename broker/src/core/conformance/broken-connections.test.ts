import { type AckPacket, PacketType, type ProtocolVersion, type QoS } from '@mqdeck/mqtt/packets';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { memoryStore } from '../store/memory-store.ts';

type Ack = AckPacket['type'];
const unlimited = { maxMqueueLength: Number.POSITIVE_INFINITY, maxAwaitingRel: Number.POSITIVE_INFINITY };
const send = (client: TestClient, type: Ack, packetId: number) =>
  client.send({ type, packetId, reasonCode: 0, properties: {} });

const versions = fc.constantFrom<ProtocolVersion>(3, 4, 5);
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ publish: fc.constantFrom<QoS>(0, 1, 2) }) },
    { weight: 4, arbitrary: fc.record({ answer: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 2, arbitrary: fc.record({ back: fc.integer({ min: 1, max: 6 }), version: versions }) },
    { weight: 1, arbitrary: fc.constant({ gone: true }) },
  ),
  { maxLength: 60 },
);

/** A careful receiver whose connections break: its memory is what a session is for the client. */
class Receiver {
  readonly got: Record<QoS, string[]> = { 0: [], 1: [], 2: [] };
  private readonly broker: TestCore;
  private client: TestClient | null = null;
  private readonly received = new Set<number>(); // QoS 2, not released
  private owed: [Ack, number][] = [];
  private window = new Set<number>();
  private windowMax = 0xffff;

  constructor(broker: TestCore) {
    this.broker = broker;
  }

  async connect(version: ProtocolVersion, receiveMaximum: number): Promise<void> {
    this.break();
    this.client = await this.broker.client('a', {
      version,
      cleanStart: false,
      acknowledge: false,
      properties: version === 5 ? { sessionExpiryInterval: 600, receiveMaximum } : {},
    });
    this.windowMax = version === 5 ? receiveMaximum : 0xffff;
    await this.take();
  }

  subscribe = () => this.client!.subscribe('t', { qos: 2 });

  break(): void {
    this.client?.close();
    this.client = null;
    this.owed = [];
    this.window = new Set();
  }

  /** Looks at what has come. */
  async take(): Promise<void> {
    if (!this.client) return;
    await this.client.ping();
    for (const packet of this.client.packets.splice(0)) {
      if (packet.type === PacketType.PUBREL) {
        this.received.delete(packet.packetId);
        this.owed.push([PacketType.PUBCOMP, packet.packetId]);
      }
      if (packet.type !== PacketType.PUBLISH) continue;
      const { qos, packetId, dup } = packet;
      const text = Buffer.from(packet.payload).toString();
      if (qos > 0) {
        expect(this.window.has(packetId)).toBe(false);
        this.window.add(packetId);
        expect(this.window.size).toBeLessThanOrEqual(this.windowMax); // [MQTT-3.3.4-9]
        this.owed.push([qos === 1 ? PacketType.PUBACK : PacketType.PUBREC, packetId]);
      }
      if (qos === 2 && this.received.has(packetId)) expect(dup).toBe(true);
      else if (qos === 1 && this.got[1].includes(text)) expect(dup).toBe(true);
      else this.got[qos].push(text);
      if (qos === 2) this.received.add(packetId);
    }
  }

  async answer(most: number): Promise<boolean> {
    const answers = this.client ? this.owed.splice(0, most) : [];
    for (const [type, packetId] of answers) {
      if (type !== PacketType.PUBREC) this.window.delete(packetId);
      send(this.client!, type, packetId);
    }
    await this.take();
    return answers.length > 0;
  }
}

test.each([
  ['without a store', () => ({})],
  ['with a store', () => ({ store: memoryStore() })],
])(
  'however its connections break, a receiver gets each QoS 2 message once, each QoS 1 at least once, all in order, %s [MQTT-4.4.0-1] [MQTT-4.3.3-6]',
  async (_name, options) => {
    await fc.assert(
      fc.asyncProperty(steps, versions, async (todo, last) => {
        const broker = startTestCore({ settings: unlimited, ...options() });
        const receiver = new Receiver(broker);
        await receiver.connect(5, 20);
        await receiver.subscribe();
        const sent: Record<QoS, string[]> = { 0: [], 1: [], 2: [] };
        let n = 0;
        for (const step of todo) {
          if ('publish' in step) {
            const payload = `${n++}`;
            sent[step.publish].push(payload);
            await broker.core.publish({ topic: 't', payload, qos: step.publish });
          } else if ('answer' in step) await receiver.answer(step.answer);
          else if ('back' in step) await receiver.connect(step.version, step.back);
          else receiver.break();
        }
        await receiver.connect(last, 3);
        const session = broker.core.registry.find('a')!;
        const left = () => session.facts().inflight_cnt + session.facts().mqueue_len;
        while ((await receiver.answer(4)) || left() > 0); // a store makes the broker's answers late
        expect([receiver.got[1], receiver.got[2]]).toEqual([sent[1], sent[2]]);
        expect(sent[0].filter((text) => receiver.got[0].includes(text))).toEqual(receiver.got[0]);
        const facts = broker.core.registry.find('a')!.facts();
        expect([facts.inflight_cnt, facts.mqueue_len]).toEqual([0, 0]);
        await broker.close();
      }),
      { numRuns: 100 },
    );
  },
);

/** A careful sender of QoS 2 messages, whose connections break. */
class Sender {
  private readonly broker: TestCore;
  private client: TestClient | null = null;
  private readonly published = new Map<number, string>(); // not received, as far as it knows
  private readonly released = new Set<number>();
  private nextId = 0;

  constructor(broker: TestCore) {
    this.broker = broker;
  }

  get busy(): boolean {
    return this.published.size + this.released.size > 0;
  }

  async connect(version: ProtocolVersion): Promise<void> {
    this.break();
    const properties = version === 5 ? { sessionExpiryInterval: 600 } : {};
    this.client = await this.broker.client('sensor', { version, cleanStart: false, properties });
    for (const [packetId, text] of this.published)
      this.client.sendPublish('t', text, { qos: 2, packetId, dup: true });
    for (const packetId of this.released) send(this.client, PacketType.PUBREL, packetId);
  }

  publish(text: string): boolean {
    if (!this.client) return false;
    // Ids come again soon, so that one remembered too long is found out
    do this.nextId = (this.nextId % 6) + 1;
    while (this.published.has(this.nextId) || this.released.has(this.nextId));
    this.published.set(this.nextId, text);
    this.client.sendPublish('t', text, { qos: 2, packetId: this.nextId });
    return true;
  }

  get full(): boolean {
    return this.published.size + this.released.size >= 6;
  }

  break(): void {
    this.client?.close();
    this.client = null;
  }

  async handle(most: number): Promise<void> {
    if (!this.client) return;
    await this.client.ping();
    for (const packet of this.client.packets.splice(0, most)) {
      if (packet.type === PacketType.PUBREC) {
        this.published.delete(packet.packetId);
        this.released.add(packet.packetId);
        send(this.client, PacketType.PUBREL, packet.packetId);
      } else if (packet.type === PacketType.PUBCOMP) this.released.delete(packet.packetId);
    }
  }
}

test.each([
  ['without a store', () => ({})],
  ['with a store', () => ({ store: memoryStore() })],
])(
  "however its connections break, each of a sender's QoS 2 messages arrives once, in order, %s [MQTT-4.3.3-10] [MQTT-4.3.3-12]",
  async (_name, options) => {
    await fc.assert(
      fc.asyncProperty(steps, async (todo) => {
        const broker = startTestCore({ settings: unlimited, ...options() });
        const screen = await broker.client('screen', {
          cleanStart: false,
          properties: { sessionExpiryInterval: 60 },
        });
        await screen.subscribe('t', { qos: 2 });
        const sender = new Sender(broker);
        await sender.connect(5);
        const sent: string[] = [];
        for (const step of todo) {
          if ('publish' in step) {
            if (!sender.full && sender.publish(`${sent.length}`)) sent.push(`${sent.length}`);
          } else if ('answer' in step) await sender.handle(step.answer);
          else if ('back' in step) await sender.connect(step.version);
          else sender.break();
        }
        await sender.connect(4);
        while (sender.busy) await sender.handle(9);
        await screen.ping();
        const got = screen.packets.flatMap((packet) =>
          packet.type === PacketType.PUBLISH ? [Buffer.from(packet.payload).toString()] : [],
        );
        expect(got).toEqual(sent);
        expect(broker.core.registry.find('sensor')!.facts().awaiting_rel_cnt).toBe(0);
        await broker.close();
      }),
      { numRuns: 100 },
    );
  },
);
