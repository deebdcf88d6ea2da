import { randomInt } from 'node:crypto';
import type { QoS } from '@mqdeck/mqtt/packets';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CrashDevice, type Sent } from '../../testing/crash-device.ts';
import { type CrashBroker, crashBroker } from '../../testing/crash-harness.ts';
import { isFull } from '../../testing/extent.ts';
import { seededRandom } from '../../testing/seeded-random.ts';

/**
 * A fleet goes about its work while the broker is killed again and again, at moments counted in packets. How many
 * times: MQDECK_CRASH_ROUNDS; which: MQDECK_CRASH_SEED, which a failure names.
 */
const rounds = Number(process.env.MQDECK_CRASH_ROUNDS ?? (isFull ? 200 : 2));
const seed = Number(process.env.MQDECK_CRASH_SEED ?? randomInt(2 ** 31));
const PATIENCE_MS = 20_000;
const WINDOW = 16;
const ROUNDS_BETWEEN_LOOKS = 5;

let broker: CrashBroker;
beforeAll(async () => {
  broker = await crashBroker();
}, 60_000);
afterAll(() => broker.remove());

const random = seededRandom(seed);
const upTo = (most: number) => Math.floor(random() * most);

/** What happens in the fleet, for those who wait for something. */
let packets = 0;
let watch: (() => void) | null = null;
const onPacket = () => {
  packets++;
  watch?.();
};

/** Settles when `done` says so, asked after every packet. */
function until(done: () => boolean, what: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`seed ${seed}: waited in vain for ${what()}`)),
      PATIENCE_MS,
    );
    watch = () => {
      if (!done()) return;
      watch = null;
      clearTimeout(late);
      resolve();
    };
    watch();
  });
}

const publishers = [
  new CrashDevice('p5', { onPacket }),
  new CrashDevice('p4', { version: 4, onPacket }),
  new CrashDevice('p3', { version: 3, onPacket }),
];
const watchers: [CrashDevice, QoS][] = [
  [new CrashDevice('w2', { onPacket }), 2],
  [new CrashDevice('w1', { version: 4, onPacket }), 1],
];
const members = ['g0', 'g1', 'g2'].map((clientid) => new CrashDevice(clientid, { onPacket }));
const changer = new CrashDevice('changer', { onPacket });
const subscribers = [...watchers.map(([device]) => device), ...members, changer];
const devices = [...publishers, ...subscribers];
const changing = Array.from({ length: 8 }, (_, i) => `c/${i}`);
/** Topic → everything sent there with RETAIN, in order. */
const retained = new Map<string, string[]>();
let count = 0;

async function connectAll(port: number): Promise<void> {
  for (const device of devices) device.connect(port);
  await until(
    () => devices.every(({ connected }) => connected),
    () => 'CONNACK',
  );
}

async function subscribeAll(): Promise<void> {
  for (const [device, qos] of watchers) device.subscribe('t/#', qos);
  for (const member of members) member.subscribe('$share/group/s/#', 2);
  for (const device of subscribers) device.subscribe(`m/${device.clientid}`, 2);
  await until(
    () => subscribers.every(({ subscribed }) => [...subscribed.values()].every(Boolean)),
    () => 'SUBACK',
  );
}

/** `p5/17/2` is publisher, number and QoS. */
function publishSomething(device: CrashDevice): void {
  const qos = upTo(3) as QoS;
  const { clientid } = device;
  const payload = `${clientid}/${++count}/${qos}`;
  const kind = upTo(4);
  if (kind === 0) device.publish({ topic: `s/${upTo(3)}`, payload, qos, retain: false });
  else if (kind < 3) device.publish({ topic: `t/${clientid}`, payload, qos, retain: false });
  else {
    // One QoS for a topic: QoS 1 may come once more behind a later QoS 2, which does not
    const surely = (1 + upTo(2)) as QoS;
    const topic = `r/${clientid}/${surely}`;
    const sent = upTo(5) === 0 ? '' : payload;
    const history = retained.get(topic) ?? [];
    retained.set(topic, history);
    history.push(sent);
    device.publish({ topic, payload: sent, qos: surely, retain: true });
  }
}

/** Everybody works until `most` packets have come, connections break now and then, and the broker is killed. */
async function work(port: number, most: number): Promise<void> {
  const end = packets + most;
  for (const device of devices) device.connect(port);
  await until(
    () => {
      for (const device of publishers)
        while (device.connected && device.outgoing.size < WINDOW) publishSomething(device);
      if (changer.connected) change();
      if (upTo(200) === 0) devices[upTo(devices.length)]!.connect(port);
      return packets >= end;
    },
    () => `${most} packets`,
  );
  await broker.kill();
  for (const device of devices) device.break();
}

function change(): void {
  const filter = changing[upTo(changing.length)]!;
  if (changer.inQuestion >= 4) return;
  if (upTo(2) === 0) changer.subscribe(filter, 1);
  else changer.unsubscribe(filter);
}

/** Lets the fleet come to rest, and compares what was promised with what is there. */
async function look(port: number): Promise<void> {
  await connectAll(port);
  await until(
    () => publishers.every(({ outgoing }) => outgoing.size === 0),
    () => 'the rest of the acknowledgements',
  );
  // A subscription that was asked for when the broker died may be there or not
  const sure = changing.filter((filter) => changer.subscribed.get(filter) !== undefined);
  const [publisher] = publishers;
  const mark = `${++count}`;
  for (const filter of sure)
    publisher!.publish({ topic: filter, payload: `${mark}${filter}`, qos: 1, retain: false });
  await until(
    () => publisher!.outgoing.size === 0,
    () => 'PUBACK',
  );
  // In each queue a last message, behind all others
  for (const { clientid } of subscribers)
    publisher!.publish({ topic: `m/${clientid}`, payload: `mark ${mark}`, qos: 2, retain: false });
  await until(
    () => subscribers.every(({ got, incoming }) => got.has(`mark ${mark}`) && incoming.size === 0),
    () =>
      `the last message of ${subscribers.filter(({ got }) => !got.has(`mark ${mark}`)).map(({ clientid }) => clientid)}`,
  );
  const reader = new CrashDevice(`reader ${mark}`, { onPacket });
  reader.connect(port);
  await until(
    () => reader.connected,
    () => 'CONNACK',
  );
  // The walk through retained messages ends with the topic that came last
  publisher!.publish({ topic: 'r/end', payload: 'end', qos: 1, retain: true });
  await until(
    () => publisher!.outgoing.size === 0,
    () => 'PUBACK',
  );
  reader.subscribe('r/#', 1);
  await until(
    () => reader.got.has('end'),
    () => 'retained messages',
  );
  publisher!.publish({ topic: 'r/end', payload: '', qos: 1, retain: true });
  await until(
    () => publisher!.outgoing.size === 0,
    () => 'PUBACK',
  );
  reader.break();

  const broken = devices.flatMap((device) => device.broken);
  for (const { acknowledged } of publishers) for (const sent of acknowledged) broken.push(...missing(sent));
  broken.push(...publishers.flatMap(({ acknowledged }) => lostRetained(acknowledged, reader)));
  for (const filter of sure)
    if (changer.got.has(`${mark}${filter}`) !== changer.subscribed.get(filter))
      broken.push(`${filter}: subscribed is ${changer.subscribed.get(filter)}, but it is not`);
  for (const payload of new Set(members.flatMap(({ got }) => [...got.keys()]))) {
    const times = members.reduce((sum, { got }) => sum + (got.get(payload) ?? 0), 0);
    if (payload.endsWith('/2') && times > 1) broken.push(`${payload} came ${times} times to the group`);
  }
  const { got } = watchers[0]![0];
  for (const [payload, times] of got)
    if (payload.endsWith('/2') && times > 1) broken.push(`${payload} came ${times} times`);
  for (const [{ clientid, arrivals }] of watchers)
    for (const order of arrivals) broken.push(...disorder(clientid, order)); // [MQTT-4.6.0-5]
  expect(broken, `seed ${seed}`).toEqual([]);
  await broker.kill();
  for (const device of devices) device.break();
}

function missing({ topic, payload, retain }: Sent): string[] {
  if (retain) return [];
  if (topic.startsWith('t/'))
    return watchers
      .filter(([{ got }]) => !got.has(payload))
      .map(([{ clientid }]) => `${payload} was acknowledged and did not come to ${clientid}`);
  if (topic.startsWith('s/') && !members.some(({ got }) => got.has(payload)))
    return [`${payload} was acknowledged and came to nobody of the group`];
  return [];
}

/** What is retained is the last that was acknowledged, or one after it. */
function lostRetained(acknowledged: Sent[], reader: CrashDevice): string[] {
  const latest = new Map<string, number>();
  for (const { topic, retain } of acknowledged)
    if (retain && retained.has(topic)) latest.set(topic, (latest.get(topic) ?? 0) + 1);
  return [...latest].flatMap(([topic, many]) => {
    const may = retained.get(topic)!.slice(many - 1);
    const there = [...reader.got.keys()].find((payload) => retained.get(topic)!.includes(payload)) ?? '';
    return may.includes(there) ? [] : [`${topic} has "${there}", not one of ${may.join(' ')}`];
  });
}

function disorder(clientid: string, order: string[]): string[] {
  const last = new Map<string, number>();
  return order
    .filter((payload) => payload.includes('/'))
    .flatMap((payload) => {
      const [publisher, number, qos] = payload.split('/');
      const flow = `${publisher}/${qos}`;
      const before = last.get(flow) ?? 0;
      last.set(flow, Number(number));
      return before < Number(number) ? [] : [`${clientid}: ${payload} came after ${before}`];
    });
}

test(
  `nothing acknowledged is lost and no QoS 2 message is doubled, whenever the broker is killed`,
  async () => {
    console.info(`MQDECK_CRASH_SEED=${seed}`);
    await connectAll(await broker.start());
    await subscribeAll();
    await broker.kill();
    for (const device of devices) device.break();
    for (let round = 1; round <= rounds; round++) {
      // Many of them early: while connections are made and sessions go on
      await work(await broker.start(), 1 + Math.floor(random() ** 2 * 1500));
      if (round === rounds || round % ROUNDS_BETWEEN_LOOKS === 0) await look(await broker.start());
    }
    const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
    const acknowledged = sum(publishers.map((device) => device.acknowledged.length));
    expect(acknowledged).toBeGreaterThan(0);
    console.info(
      `${rounds} kills, ${acknowledged} messages acknowledged, ${sum(subscribers.map(({ got }) => got.size))} received`,
    );
  },
  20_000 + rounds * 10_000,
);
