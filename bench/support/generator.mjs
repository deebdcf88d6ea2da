// The load, in a process of its own. It parses nothing: all frames of a flow have one length, so bytes say how many
// messages came. Frames to send lie ready in rings. What it does is asked for by messages, see load.mjs.
import { setTimeout as wait } from 'node:timers/promises';
import { closeClients, openClient, openClients } from './client.mjs';
import * as frames from './frames.mjs';
import { cpuTime } from './processes.mjs';

const PUBACK_BYTES = 4;
const SUBACK_BYTES = 5;
const STALL_MS = 500; // after so long without any delivery, what is on its way counts as lost
let held = [];
let endFlow = () => undefined;

const tasks = { flow, stopFlow, hold, holdOne, release, connects, pingPong, retain, replay };
process.on('message', async ({ id, task, options }) => {
  try {
    process.send({ id, result: await tasks[task](options, (phase) => process.send({ id, phase })) });
  } catch (error) {
    process.send({ id, error: error.stack });
  }
});
process.on('disconnect', () => process.exit(0));

/**
 * Messages from publishers to subscribers in a closed loop: in each lane there are at most `window` deliveries on
 * their way. Answers what came during `measureMs`, and what it cost the process `pid`. With `kept` the subscribers'
 * sessions outlive their connections; with `away` they have left before the first message, and each PUBACK counts.
 */
async function flow(
  {
    port,
    pid,
    transport,
    version,
    lanes: laneCount,
    publishers,
    subscribers,
    qos,
    size,
    window,
    warmUpMs,
    measureMs,
    kept,
    away,
  },
  tell,
) {
  const as = { port, transport, version };
  const run = { delivered: 0, lost: 0, sending: true, failure: null };
  const payload = Buffer.alloc(size, 'x');
  const perPublisher = Math.max(1, Math.ceil(window / subscribers / publishers));
  const width = String(laneCount).length; // topics of one length, so that all frames have it too
  const lanes = [];
  for (let number = 0; number < laneCount; number++) {
    const topic = `bench/lane/${String(number).padStart(width, '0')}`;
    const clients = await openClients(
      Array.from({ length: subscribers }, () => ({ ...as, filters: [topic], qos, kept })).concat(
        Array.from({ length: publishers }, () => as),
      ),
    );
    // Twice what can be on its way: an id is not used again before its PUBACK.
    const ring = frames.publishRing(topic, qos, payload, Math.max(4, 2 * perPublisher), version);
    const present = away ? [] : clients.slice(0, subscribers);
    if (away) await closeClients(clients.slice(0, subscribers));
    lanes.push(new Lane(run, present, clients.slice(subscribers), ring, window, qos));
  }
  let before = -1;
  const stalls = setInterval(() => {
    if (run.delivered === before) for (const lane of lanes) lane.giveUp();
    before = run.delivered;
  }, STALL_MS);
  for (const lane of lanes) lane.topUp();

  await wait(warmUpMs);
  tell('measuring');
  const flowEnded = new Promise((resolve) => {
    endFlow = resolve;
  });
  const start = snapshot(run, pid);
  await Promise.race([wait(measureMs), flowEnded]);
  const end = snapshot(run, pid);
  tell('measured');

  run.sending = false;
  for (
    const patience = Date.now() + 300;
    Date.now() < patience && lanes.some((lane) => lane.outstanding > 0);
  )
    await wait(10);
  clearInterval(stalls);
  await closeClients(lanes.flatMap((lane) => lane.clients));
  if (run.failure) throw run.failure;
  return {
    delivered: end.delivered - start.delivered,
    lost: end.lost,
    wallMs: end.at - start.at,
    brokerCpuMs: end.broker.totalMs - start.broker.totalMs,
    brokerKernelMs: end.broker.kernelMs - start.broker.kernelMs,
    generatorCpuMs: end.generatorCpuMs - start.generatorCpuMs,
  };
}

/** Ends the flow at hand before its time. */
function stopFlow() {
  endFlow();
}

function snapshot({ delivered, lost }, pid) {
  const { user, system } = process.cpuUsage();
  const generatorCpuMs = (user + system) / 1000;
  return { at: performance.now(), delivered, lost, broker: cpuTime(pid), generatorCpuMs };
}

/** Publishers and the subscribers who get all that they send. */
class Lane {
  constructor(run, subscribers, publishers, ring, window, qos) {
    this.run = run;
    this.ring = ring;
    this.window = window;
    this.subscriberCount = Math.max(1, subscribers.length);
    this.outstanding = 0;
    this.publishers = publishers.map((client) => ({ client, next: 0 }));
    // Sending every single message that fits would undo the batches which a busy publisher makes.
    this.batch = Math.max(1, Math.floor(window / 4 / this.subscriberCount / publishers.length));
    this.clients = subscribers.concat(publishers);
    for (const client of subscribers)
      client.onBytes = qos === 2 ? this.exactReader(client) : this.reader(client);
    const onPuback = subscribers.length === 0 ? this.counter() : () => undefined;
    for (const client of publishers) client.onBytes = qos === 2 ? releaser(client) : onPuback;
  }

  topUp() {
    if (!this.run.sending) return;
    const room = Math.floor((this.window - this.outstanding) / this.subscriberCount);
    const each = Math.floor(room / this.publishers.length);
    if (each < this.batch) return;
    this.outstanding += each * this.publishers.length * this.subscriberCount;
    for (const publisher of this.publishers) this.send(publisher, each);
  }

  send(publisher, count) {
    const { ring, frameBytes, count: inRing } = this.ring;
    for (let left = count; left > 0; ) {
      const run = Math.min(left, inRing - publisher.next);
      publisher.client.write(ring.subarray(publisher.next * frameBytes, (publisher.next + run) * frameBytes));
      publisher.next = (publisher.next + run) % inRing;
      left -= run;
    }
  }

  arrived(count) {
    this.run.delivered += count;
    this.outstanding = Math.max(0, this.outstanding - count);
    this.topUp();
  }

  giveUp() {
    this.run.lost += this.outstanding;
    this.outstanding = 0;
    this.topUp();
  }

  /** Nobody receives: a message has arrived when the broker has acknowledged it. */
  counter() {
    let bytes = 0;
    return (_, count) => {
      bytes += count;
      const complete = Math.floor(bytes / PUBACK_BYTES);
      bytes -= complete * PUBACK_BYTES;
      if (complete > 0) this.arrived(complete);
    };
  }

  /** QoS 2: what follows a PUBLISH has another length, so each packet is looked at. */
  exactReader(client) {
    const { packetIdAt } = this.ring;
    const answers = new Answers(client);
    return packetReader(
      (bytes, at, start) => {
        const type = bytes[at] >> 4;
        if (type === 3) answers.add(0x50, bytes, at + packetIdAt);
        else if (type === 6) answers.add(0x70, bytes, start);
        return type === 3 ? 1 : 0;
      },
      (deliveries) => {
        answers.send();
        if (deliveries > 0) this.arrived(deliveries);
      },
    );
  }

  reader(client) {
    const { frameBytes, packetIdAt, ring } = this.ring;
    const type = ring[0];
    let have = 0; // bytes of the unfinished frame
    const idBytes = [0, 0]; // of its packet id
    return (input, count) => {
      const first = have === 0 ? 0 : frameBytes - have;
      if (first < count && input[first] !== type)
        this.run.failure = new Error(`0x${input[first].toString(16)} where a PUBLISH should begin`);
      const complete = Math.floor((have + count) / frameBytes);
      if (packetIdAt >= 0) this.acknowledge(client, input, have, count, complete, idBytes);
      have = (have + count) % frameBytes;
      if (complete > 0) this.arrived(complete);
    };
  }

  /** One PUBACK for each frame that is complete now; a packet id may be cut in two by the end of the read. */
  acknowledge(client, input, have, count, complete, idBytes) {
    const { frameBytes, packetIdAt } = this.ring;
    const acks = Buffer.allocUnsafe(4 * complete);
    let idAt = packetIdAt - have;
    for (let i = 0; i < complete; i++, idAt += frameBytes) {
      acks[4 * i] = 0x40;
      acks[4 * i + 1] = 2;
      acks[4 * i + 2] = idAt >= 0 ? input[idAt] : idBytes[0];
      acks[4 * i + 3] = idAt + 1 >= 0 ? input[idAt + 1] : idBytes[1];
    }
    if (idAt >= 0 && idAt < count) idBytes[0] = input[idAt];
    if (idAt + 1 >= 0 && idAt + 1 < count) idBytes[1] = input[idAt + 1];
    if (complete > 0) client.write(acks);
  }
}

/**
 * Takes packets apart as they come: `onPacket(bytes, start)` says how many deliveries one is, `onDone(deliveries)`
 * hears the sum of a read, after the answers to it were sent.
 */
function packetReader(onPacket, onDone) {
  let rest = Buffer.alloc(0);
  return (input, count) => {
    const bytes =
      rest.length > 0 ? Buffer.concat([rest, input.subarray(0, count)]) : input.subarray(0, count);
    let at = 0;
    let deliveries = 0;
    for (let read = frames.readHeader(bytes, at); read && read.end <= bytes.length; ) {
      deliveries += onPacket(bytes, at, read.start);
      at = read.end;
      read = frames.readHeader(bytes, at);
    }
    rest = Buffer.from(bytes.subarray(at));
    onDone(deliveries);
  };
}

/** Answers of two bytes, a packet id, gathered and sent at once. */
class Answers {
  constructor(client) {
    this.client = client;
    this.bytes = Buffer.allocUnsafe(64 * 1024);
    this.used = 0;
  }

  add(header, from, idAt) {
    if (this.used + 4 > this.bytes.length) this.send();
    this.bytes[this.used++] = header;
    this.bytes[this.used++] = 2;
    this.bytes[this.used++] = from[idAt];
    this.bytes[this.used++] = from[idAt + 1];
  }

  send() {
    if (this.used > 0) this.client.write(Buffer.from(this.bytes.subarray(0, this.used)));
    this.used = 0;
  }
}

/** A publisher with QoS 2: PUBREL after each PUBREC. */
function releaser(client) {
  const answers = new Answers(client);
  return packetReader(
    (bytes, at, start) => {
      if (bytes[at] === 0x50) answers.add(0x62, bytes, start);
      return 0;
    },
    () => answers.send(),
  );
}

/** One message on its way at a time: how long each needs from the publisher's write to the subscriber's read, in µs. */
async function pingPong({ port, qos, size, count }) {
  const topic = `bench/latency/${qos}`;
  const [subscriber, publisher] = await openClients([{ port, filters: [topic], qos }, { port }]);
  const { ring, frameBytes } = frames.publishRing(topic, qos, Buffer.alloc(size, 'x'), 4);
  const answers = new Answers(subscriber);
  const { packetIdAt } = frames.publishRing(topic, qos, Buffer.alloc(size), 1);
  let arrived = null;
  subscriber.onBytes = packetReader(
    (bytes, at) => {
      if (bytes[at] >> 4 !== 3) return 0;
      if (qos > 0) answers.add(0x40, bytes, at + packetIdAt);
      return 1;
    },
    (deliveries) => {
      answers.send();
      if (deliveries > 0) arrived();
    },
  );
  publisher.onBytes = () => undefined;
  const took = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const at = performance.now();
    await new Promise((resolve) => {
      arrived = resolve;
      publisher.write(ring.subarray((i % 4) * frameBytes, ((i % 4) + 1) * frameBytes));
    });
    took[i] = (performance.now() - at) * 1000;
  }
  await closeClients([subscriber, publisher]);
  took.sort();
  const at = (share) => took[Math.min(count - 1, Math.floor(share * count))];
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: took[count - 1] };
}

/** Clients that do nothing, until they are released. */
async function hold({ port, transport, count, qos, filtersEach = 1 }) {
  const first = held.length;
  const wanted = Array.from({ length: count }, (_, i) => ({
    port,
    transport,
    qos,
    filters: Array.from({ length: filtersEach }, (__, nr) =>
      filtersEach === 1 ? `bench/idle/${first + i}` : `bench/idle/${first + i}/${nr}`,
    ),
  }));
  const clients = await openClients(wanted);
  for (const client of clients) client.onBytes = () => undefined;
  held = held.concat(clients);
  return held.length;
}

/** One more with some subscriptions; answers its client id. */
async function holdOne({ port }) {
  const clientid = `bench-one-${process.pid}`;
  const filters = Array.from({ length: 20 }, (_, nr) => `bench/one/${nr}`);
  held.push(await openClient({ port, clientid, filters, qos: 1 }));
  held.at(-1).onBytes = () => undefined;
  return clientid;
}

async function release() {
  const clients = held;
  held = [];
  await closeClients(clients);
}

/** Clients that come and go: CONNECT, CONNACK, DISCONNECT, so many at a time. */
async function connects({ port, transport, pid, atOnce, warmUpMs, measureMs }) {
  const run = { delivered: 0, lost: 0 };
  let going = true;
  let failure = null;
  const comeAndGo = async () => {
    while (going) {
      const client = await openClient({ port, transport });
      run.delivered += 1;
      client.end(frames.disconnect);
      await client.closed;
    }
  };
  const all = Promise.all(Array.from({ length: atOnce }, comeAndGo)).catch((error) => {
    failure = error;
  });
  await wait(warmUpMs);
  const start = snapshot(run, pid);
  await wait(measureMs);
  const end = snapshot(run, pid);
  going = false;
  await all;
  if (failure) throw failure;
  return {
    connects: end.delivered - start.delivered,
    wallMs: end.at - start.at,
    brokerCpuMs: end.broker.totalMs - start.broker.totalMs,
    brokerKernelMs: end.broker.kernelMs - start.broker.kernelMs,
  };
}

const retainedTopic = (number) =>
  `bench/retained/${String(number % 1000).padStart(3, '0')}/${String(number).padStart(8, '0')}`;
const retainedFrame = (number, size) => {
  const { bytes, packetIdAt } = frames.publish(retainedTopic(number), 1, Buffer.alloc(size, 'x'));
  bytes[0] |= 1;
  bytes.writeUInt16BE(1 + (number % 0xffff), packetIdAt);
  return bytes;
};

/** Publishes so many messages to be retained, each on a topic of its own, some at a time. */
async function retain({ port, messages, size }) {
  const client = await openClient({ port });
  for (let next = 0; next < messages; ) {
    const some = Math.min(500, messages - next);
    let missing = PUBACK_BYTES * some;
    const acknowledged = new Promise((resolve) => {
      client.onBytes = (_, count) => {
        missing -= count;
        if (missing === 0) resolve();
      };
    });
    client.write(Buffer.concat(Array.from({ length: some }, (_, i) => retainedFrame(next + i, size))));
    next += some;
    await acknowledged;
  }
  await closeClients([client]);
}

/** A new subscriber of all of them; ends when the last one has come. */
async function replay({ port, pid, messages, size }) {
  const { bytes } = frames.publish(retainedTopic(0), 0, Buffer.alloc(size, 'x'));
  const client = await openClient({ port });
  const run = { delivered: 0, lost: 0 };
  let missing = SUBACK_BYTES + bytes.length * messages;
  const start = snapshot(run, pid);
  await new Promise((resolve, reject) => {
    client.onBytes = (_, count) => {
      missing -= count;
      if (missing === 0) resolve();
      else if (missing < 0) reject(new Error(`${-missing} bytes too many came`));
    };
    client.write(frames.subscribe(['bench/retained/#'], 0));
  });
  const end = snapshot(run, pid);
  await closeClients([client]);
  return {
    wallMs: end.at - start.at,
    brokerCpuMs: end.broker.totalMs - start.broker.totalMs,
    brokerKernelMs: end.broker.kernelMs - start.broker.kernelMs,
  };
}
