// The load, in a process of its own. It parses nothing: all frames of a flow have one length, so bytes say how many
// messages came. Frames to send lie ready in rings. What it does is asked for by messages, see load.mjs.
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import * as frames from './frames.mjs';
import { cpuTime } from './processes.mjs';

const CONNACK_BYTES = 4;
const SUBACK_BYTES = 5;
const CONNECTING_MAX = 64;
const STALL_MS = 500; // after so long without any delivery, what is on its way counts as lost

// Every read is looked at before the next one, so one buffer does for all sockets.
const input = Buffer.allocUnsafe(256 * 1024);
let clientCount = 0;
let held = [];

const tasks = { flow, hold, release, connects };
process.on('message', async ({ id, task, options }) => {
  try {
    process.send({ id, result: await tasks[task](options, (phase) => process.send({ id, phase })) });
  } catch (error) {
    process.send({ id, error: error.stack });
  }
});
process.on('disconnect', () => process.exit(0));

/** A connected client, subscribed when `filter` is given. What it receives from then on goes to `onBytes`. */
function openClient(port, { filter, qos = 0 } = {}) {
  return new Promise((resolve, reject) => {
    const client = { socket: null, onBytes: null };
    let greeting = Buffer.alloc(0);
    const greetingBytes = CONNACK_BYTES + (filter ? SUBACK_BYTES : 0);
    const onGreeting = (count) => {
      greeting = Buffer.concat([greeting, input.subarray(0, count)]);
      if (greeting.length < greetingBytes) return;
      const refused = greeting[3] !== 0 || (filter && greeting[8] !== qos);
      if (greeting.length > greetingBytes || refused)
        reject(new Error(`greeted with ${greeting.toString('hex')}`));
      else resolve(client);
    };
    client.socket = net.connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer: input,
        callback(count) {
          if (client.onBytes) client.onBytes(count);
          else onGreeting(count);
          return true;
        },
      },
    });
    clientCount += 1;
    const connect = frames.connect(`bench-${process.pid}-${clientCount}`);
    client.socket.write(filter ? Buffer.concat([connect, frames.subscribe(filter, qos)]) : connect);
    client.socket.once('error', reject);
    client.socket.once('close', () => reject(new Error('the broker closed the connection')));
  });
}

/** Opens clients, some at a time: a broker's backlog is finite. */
async function openClients(port, wanted) {
  const clients = new Array(wanted.length);
  let next = 0;
  const open = async () => {
    while (next < wanted.length) {
      const at = next++;
      clients[at] = await openClient(port, wanted[at]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONNECTING_MAX, wanted.length) }, open));
  return clients;
}

async function closeClients(clients) {
  await Promise.all(
    clients.map(({ socket }) => {
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.end(frames.disconnect);
      return Promise.race([closed, wait(1000).then(() => socket.destroy())]);
    }),
  );
}

/**
 * Messages from publishers to subscribers in a closed loop: in each lane there are at most `window` deliveries on
 * their way. Answers what came during `measureMs`, and what it cost the process `pid`.
 */
async function flow(
  { port, pid, lanes: laneCount, publishers, subscribers, qos, size, window, warmUpMs, measureMs },
  tell,
) {
  const run = { delivered: 0, lost: 0, sending: true, failure: null };
  const payload = Buffer.alloc(size, 'x');
  const perPublisher = Math.max(1, Math.ceil(window / subscribers / publishers));
  const width = String(laneCount).length; // topics of one length, so that all frames have it too
  const lanes = [];
  for (let number = 0; number < laneCount; number++) {
    const topic = `bench/lane/${String(number).padStart(width, '0')}`;
    const clients = await openClients(
      port,
      Array.from({ length: subscribers }, () => ({ filter: topic, qos })).concat(
        Array.from({ length: publishers }, () => ({})),
      ),
    );
    // Twice what can be on its way: an id is not used again before its PUBACK.
    const ring = frames.publishRing(topic, qos, payload, Math.max(4, 2 * perPublisher));
    lanes.push(new Lane(run, clients.slice(0, subscribers), clients.slice(subscribers), ring, window));
  }
  let before = -1;
  const stalls = setInterval(() => {
    if (run.delivered === before) for (const lane of lanes) lane.giveUp();
    before = run.delivered;
  }, STALL_MS);
  for (const lane of lanes) lane.topUp();

  await wait(warmUpMs);
  tell('measuring');
  const start = snapshot(run, pid);
  await wait(measureMs);
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

function snapshot({ delivered, lost }, pid) {
  const { user, system } = process.cpuUsage();
  const generatorCpuMs = (user + system) / 1000;
  return { at: performance.now(), delivered, lost, broker: cpuTime(pid), generatorCpuMs };
}

/** Publishers and the subscribers who get all that they send. */
class Lane {
  constructor(run, subscribers, publishers, ring, window) {
    this.run = run;
    this.ring = ring;
    this.window = window;
    this.subscriberCount = subscribers.length;
    this.outstanding = 0;
    this.publishers = publishers.map(({ socket }) => ({ socket, next: 0 }));
    // Sending every single message that fits would undo the batches which a busy publisher makes.
    this.batch = Math.max(1, Math.floor(window / 4 / this.subscriberCount / publishers.length));
    this.clients = subscribers.concat(publishers);
    for (const client of subscribers) client.onBytes = this.reader(client);
    for (const client of publishers) client.onBytes = () => undefined; // PUBACKs
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
      publisher.socket.write(ring.subarray(publisher.next * frameBytes, (publisher.next + run) * frameBytes));
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

  reader({ socket }) {
    const { frameBytes, packetIdAt, ring } = this.ring;
    const type = ring[0];
    let have = 0; // bytes of the unfinished frame
    const idBytes = [0, 0]; // of its packet id
    return (count) => {
      const first = have === 0 ? 0 : frameBytes - have;
      if (first < count && input[first] !== type)
        this.run.failure = new Error(`0x${input[first].toString(16)} where a PUBLISH should begin`);
      const complete = Math.floor((have + count) / frameBytes);
      if (packetIdAt >= 0) this.acknowledge(socket, have, count, complete, idBytes);
      have = (have + count) % frameBytes;
      if (complete > 0) this.arrived(complete);
    };
  }

  /** One PUBACK for each frame that is complete now; a packet id may be cut in two by the end of the read. */
  acknowledge(socket, have, count, complete, idBytes) {
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
    if (complete > 0) socket.write(acks);
  }
}

/** Clients that do nothing, until they are released. */
async function hold({ port, count, qos }) {
  const first = held.length;
  const wanted = Array.from({ length: count }, (_, i) => ({ filter: `bench/idle/${first + i}`, qos }));
  held = held.concat(await openClients(port, wanted));
  return held.length;
}

async function release() {
  const clients = held;
  held = [];
  await closeClients(clients);
}

/** Clients that come and go: CONNECT, CONNACK, DISCONNECT, so many at a time. */
async function connects({ port, pid, atOnce, warmUpMs, measureMs }) {
  const run = { delivered: 0, lost: 0 };
  let going = true;
  let failure = null;
  const comeAndGo = async () => {
    while (going) {
      const client = await openClient(port);
      run.delivered += 1;
      const closed = new Promise((resolve) => client.socket.once('close', resolve));
      client.socket.end(frames.disconnect);
      await closed;
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
