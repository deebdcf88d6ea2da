import { expect, test } from 'vitest';
import { Delivery } from './delivery.ts';
import { Inflight } from './inflight.ts';
import { newMessage } from './message.ts';

const message = newMessage('t', 'x', { timestamp: 0 });
const delivery = () => new Delivery(message, null, 0, 1, false, 0);

test('packet ids run through all of their range without meeting one in use [MQTT-2.2.1-4]', () => {
  const inflight = new Inflight(32);
  const stuck = delivery();
  inflight.add(stuck);
  const used = new Set<number>();
  for (let i = 0; i < 70_000; i++) {
    const next = delivery();
    const packetId = inflight.add(next);
    expect(packetId === stuck.packetId || packetId < 1 || packetId > 0xffff).toBe(false);
    expect(inflight.get(packetId)).toBe(next);
    inflight.remove(next);
    used.add(packetId);
  }
  expect(used.size).toBeGreaterThan(60_000);
  expect(inflight.get(stuck.packetId)).toBe(stuck);
});

test('the widest window of all holds every packet id once', () => {
  const inflight = new Inflight(0xffff);
  const all = Array.from({ length: 0xffff }, delivery);
  const ids = new Set(all.map((each) => inflight.add(each)));
  expect([ids.size, inflight.size, ids.has(0)]).toEqual([0xffff, 0xffff, false]);
  expect(all.every((each) => inflight.get(each.packetId) === each)).toBe(true);
});

test('ids from the store are found again', () => {
  const inflight = new Inflight(4);
  for (const packetId of [1, 17, 33, 65_535, 5]) {
    const each = delivery();
    each.packetId = packetId;
    inflight.restore(each);
  }
  expect([1, 17, 33, 65_535, 5].map((packetId) => inflight.get(packetId)?.packetId)).toEqual([
    1, 17, 33, 65_535, 5,
  ]);
  expect(inflight.get(2)).toBeUndefined();
});

test('a window is looked at in the order of sending, some at a time', () => {
  const inflight = new Inflight(4);
  for (const order of [50, 20, 40, 10, 30]) {
    const each = delivery();
    each.order = order;
    inflight.add(each);
  }
  const after = (order: number, limit: number) => inflight.after(order, limit).map((each) => each.order);
  expect([after(0, 2), after(20, 2), after(40, 2), after(50, 2)]).toEqual([[10, 20], [30, 40], [50], []]);
  expect(after(0, 100)).toEqual([10, 20, 30, 40, 50]);
});
