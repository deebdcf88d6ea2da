import { PacketType, type QoS, type SubscriptionOptions } from '@mqdeck/mqtt/packets';
import { filterMatches, parseShared } from '@mqdeck/mqtt/topics';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';

type Wish = SubscriptionOptions & { subscriptionIdentifier: number };

const names = ['a', 'b', 'c'];
const topics = ['t', 't/1', 't/2', 't/1/x', '/t', '$t/1'];
const filters = ['t', 't/1', 't/+', 't/#', '#', '+', '+/1', '/+', '$t/#', '+/+/x'];
const qos = fc.constantFrom<QoS>(0, 1, 2);
const wish = fc.record({
  qos,
  noLocal: fc.boolean(),
  retainAsPublished: fc.boolean(),
  retainHandling: fc.constantFrom<0 | 1 | 2>(0, 1, 2),
  subscriptionIdentifier: fc.constantFrom(0, 1, 200),
});
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ who: fc.nat(2), filter: fc.constantFrom(...filters), wish }) },
  { weight: 1, arbitrary: fc.record({ who: fc.nat(2), unsubscribe: fc.constantFrom(...filters) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      who: fc.nat(2),
      topic: fc.constantFrom(...topics),
      qos,
      retain: fc.boolean(),
      payload: fc.constantFrom('', 'x', 'y'),
    }),
  },
);

test('whatever was subscribed to, each message comes as each subscription says, and so does what is retained [MQTT-3.3.1-9] [MQTT-3.3.1-10] [MQTT-3.3.1-11] [MQTT-3.3.1-12] [MQTT-3.3.1-13] [MQTT-3.3.4-2] [MQTT-3.8.3-3]', async () => {
  const broker = await startTestBroker();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      for (const topic of topics) await broker.core.publish({ topic, payload: '', retain: true });
      const clients: TestClient[] = [];
      for (const name of names) clients.push(await broker.client(name));
      const subscribed = names.map(() => new Map<string, Wish>());
      const retained = new Map<string, { payload: string; qos: QoS; from: number }>();
      const arrived = async (who: number) => {
        await clients[who]!.ping();
        return clients[who]!.packets.splice(0)
          .flatMap((packet) =>
            packet.type === PacketType.PUBLISH
              ? [
                  said(packet.topic, `${Buffer.from(packet.payload)}`, packet.qos, packet.retain, [
                    ...(packet.properties.subscriptionIdentifier ?? []),
                  ]),
                ]
              : [],
          )
          .sort();
      };
      for (const each of steps) {
        const client = clients[each.who]!;
        const expected: string[][] = names.map(() => []);
        if ('filter' in each) {
          const isNew = !subscribed[each.who]!.has(each.filter);
          subscribed[each.who]!.set(each.filter, each.wish);
          await client.subscribe(each.filter, each.wish);
          const { retainHandling, subscriptionIdentifier: id, noLocal } = each.wish;
          if (retainHandling === 0 || (retainHandling === 1 && isNew))
            for (const [topic, kept] of retained) {
              if (!filterMatches(each.filter, topic) || (noLocal && kept.from === each.who)) continue;
              const granted = Math.min(kept.qos, each.wish.qos);
              expected[each.who]!.push(said(topic, kept.payload, granted, true, id === 0 ? [] : [id]));
            }
        } else if ('unsubscribe' in each) {
          const there = subscribed[each.who]!.delete(each.unsubscribe);
          expect(await client.unsubscribe(each.unsubscribe)).toEqual([there ? 0 : 0x11]);
        } else {
          const { topic, payload, retain } = each;
          await client.publish(topic, payload, { qos: each.qos, retain });
          if (retain && payload === '') retained.delete(topic);
          else if (retain) retained.set(topic, { payload, qos: each.qos, from: each.who });
          for (const [who, own] of subscribed.entries())
            for (const [filter, to] of own) {
              if (!filterMatches(filter, topic) || (to.noLocal && who === each.who)) continue;
              const id = to.subscriptionIdentifier;
              expected[who]!.push(
                said(
                  topic,
                  payload,
                  Math.min(each.qos, to.qos),
                  retain && to.retainAsPublished,
                  id === 0 ? [] : [id],
                ),
              );
            }
        }
        for (const who of names.keys()) expect(await arrived(who)).toEqual(expected[who]!.sort());
      }
    }),
    { numRuns: 60 },
  );
  await broker.close();
});

test('whoever shares, one of each group gets each message, and with the QoS granted to it [MQTT-4.8.2-3]', async () => {
  const shared = ['$share/g/t/#', '$share/h/t/#', '$share/g/t/1', '$queue/t/1', 't/1'];
  const move = fc.oneof(
    { weight: 2, arbitrary: fc.record({ who: fc.nat(2), filter: fc.constantFrom(...shared), granted: qos }) },
    { weight: 1, arbitrary: fc.record({ who: fc.nat(2), unsubscribe: fc.constantFrom(...shared) }) },
    { weight: 4, arbitrary: fc.record({ topic: fc.constantFrom('t/1', 't/2'), qos }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 40 }), async (moves) => {
      const broker = startTestCore();
      const clients: TestClient[] = [];
      for (const name of names) clients.push(await broker.client(name));
      const groups = new Map<string, Map<number, QoS>>(shared.map((filter) => [filter, new Map()]));
      for (const each of moves) {
        if ('filter' in each) {
          groups.get(each.filter)!.set(each.who, each.granted);
          await clients[each.who]!.subscribe(each.filter, {
            qos: each.granted,
            subscriptionIdentifier: 1 + shared.indexOf(each.filter),
          });
        } else if ('unsubscribe' in each) {
          groups.get(each.unsubscribe)!.delete(each.who);
          await clients[each.who]!.unsubscribe(each.unsubscribe);
        } else {
          await broker.core.publish({ topic: each.topic, payload: 'x', qos: each.qos });
          const copies = new Map<string, number>();
          for (const [who, client] of clients.entries()) {
            await client.ping();
            for (const packet of client.packets.splice(0)) {
              if (packet.type !== PacketType.PUBLISH) continue;
              const filter = shared[packet.properties.subscriptionIdentifier![0]! - 1]!;
              copies.set(filter, (copies.get(filter) ?? 0) + 1);
              expect(packet.qos).toBe(Math.min(each.qos, groups.get(filter)!.get(who)!));
            }
          }
          for (const filter of shared) {
            const parts = parseShared(filter);
            const members = groups.get(filter)!.size;
            const matches = filterMatches(parts?.filter ?? filter, each.topic);
            expect(copies.get(filter) ?? 0).toBe(matches ? Math.min(members, parts ? 1 : members) : 0);
          }
        }
      }
    }),
    { numRuns: 60 },
  );
});

const said = (topic: string, payload: string, granted: number, retain: boolean, ids: number[]) =>
  `${topic} "${payload}" qos ${granted}${retain ? ' retained' : ''} by ${ids.join() || 'none'}`;
