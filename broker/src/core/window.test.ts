import { PacketType, type PublishPacket } from '@mqdeck/mqtt/packets';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestCore } from '../testing/start-test-core.ts';
import type { TestClient } from '../testing/test-client.ts';

const deed = fc.oneof(
  { weight: 4, arbitrary: fc.record({ publish: fc.constantFrom(0, 1, 2) }) },
  { weight: 4, arbitrary: fc.record({ answer: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ reconnect: fc.integer({ min: 1, max: 4 }) }) },
);

/** What a careful client knows of its own session. */
class Receiver {
  client: TestClient;
  /** Of this connection: neither acknowledged nor released. */
  private readonly unanswered = new Map<number, PublishPacket>();
  private readonly window: number;
  /** Of all connections. */
  private readonly memory: { arrived: string[]; received: Set<number> };

  constructor(client: TestClient, window: number, memory: Receiver['memory']) {
    this.client = client;
    this.window = window;
    this.memory = memory;
  }

  /** False when nothing came. */
  async look(): Promise<boolean> {
    await this.client.ping();
    const { arrived, received } = this.memory;
    const packets = this.client.packets.splice(0);
    for (const packet of packets) {
      if (packet.type === PacketType.PUBREL) {
        received.delete(packet.packetId);
        this.unanswered.delete(packet.packetId);
        this.send(PacketType.PUBCOMP, packet.packetId);
      }
      if (packet.type !== PacketType.PUBLISH) continue;
      const payload = Buffer.from(packet.payload).toString();
      if (packet.qos === 0) continue; // may be lost with a connection
      expect(this.unanswered.has(packet.packetId)).toBe(false);
      this.unanswered.set(packet.packetId, packet);
      expect(this.unanswered.size).toBeLessThanOrEqual(this.window);
      if (packet.qos === 2 && received.has(packet.packetId)) continue;
      if (packet.qos === 2) received.add(packet.packetId);
      if (packet.qos === 2) expect(arrived).not.toContain(payload);
      if (!arrived.includes(payload)) arrived.push(payload);
    }
    return packets.length > 0;
  }

  /** False when there is nothing to answer. */
  answer(which: number): boolean {
    const [packetId, packet] = [...this.unanswered][which % Math.max(1, this.unanswered.size)] ?? [0, null];
    if (packet === null) return false;
    if (packet.qos === 1) this.unanswered.delete(packetId);
    this.send(packet.qos === 1 ? PacketType.PUBACK : PacketType.PUBREC, packetId);
    return true;
  }

  private send(type: 4 | 5 | 7, packetId: number): void {
    this.client.send({ type, packetId, reasonCode: 0, properties: {} });
  }
}

test('whatever breaks, the window holds, all that is promised arrives in order, QoS 2 once [MQTT-3.3.4-9] [MQTT-4.6.0-6]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 60 }), async (deeds) => {
      const broker = startTestCore({ settings: { maxInflight: 3 } });
      const memory = { arrived: [] as string[], received: new Set<number>() };
      const connect = async (receiveMaximum: number) => {
        const properties = { sessionExpiryInterval: 600, receiveMaximum };
        const client = await broker.client('a', { cleanStart: false, acknowledge: false, properties });
        return new Receiver(client, Math.min(receiveMaximum, 3), memory);
      };
      let receiver = await connect(2);
      await receiver.client.subscribe('t', { qos: 2 });
      const promised: string[] = [];
      for (const [i, what] of deeds.entries()) {
        if ('publish' in what) {
          const qos = what.publish as 0 | 1 | 2;
          if (qos > 0) promised.push(`${i}`);
          await broker.core.publish({ topic: 't', payload: `${i}`, qos });
        } else if ('answer' in what) receiver.answer(what.answer);
        else {
          receiver.client.close();
          receiver = await connect(what.reconnect);
        }
        await receiver.look();
      }
      while ((await receiver.look()) || receiver.answer(0));
      expect(memory.arrived).toEqual(promised);
      expect(broker.core.registry.find('a')?.facts()).toMatchObject({ inflight_cnt: 0, mqueue_len: 0 });
    }),
    { numRuns: 150 },
  );
});
