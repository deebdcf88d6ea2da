// One MQTT client of the load, over TCP, TLS or WebSocket. It parses no more than the load needs, so that the
// generator stays cheaper than the brokers.
import net from 'node:net';
import tls from 'node:tls';
import * as frames from './frames.mjs';

const READ_BYTES = 256 * 1024;
// Every read is looked at before the next one, so one buffer does for all sockets.
const input = Buffer.allocUnsafe(READ_BYTES);
const plain = Buffer.allocUnsafe(READ_BYTES);
const CONNECTING_MAX = 64;
let clientCount = 0;

/**
 * A client that is connected, and subscribed when `filters` are given. `onBytes(buffer, count)` gets what comes from
 * then on; the buffer holds it until the call returns.
 */
class Client {
  constructor(socket, framed) {
    this.socket = socket;
    this.framed = framed; // WebSocket frames around everything
    this.onBytes = null;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  write(bytes) {
    if (!this.framed) {
      this.socket.write(bytes);
      return;
    }
    this.socket.cork();
    this.socket.write(frames.webSocketHeader(bytes.length));
    this.socket.write(bytes);
    this.socket.uncork();
  }

  end(bytes) {
    this.write(bytes);
    this.socket.end();
  }

  /** Gone without a word. */
  destroy() {
    this.socket.destroy();
  }
}

/**
 * `transport` is tcp, tls or ws, `version` 4 (3.1.1) or 5; with `kept` its session is to outlive the connection. Rejects
 * when the broker refuses or closes.
 */
export function openClient({
  port,
  transport = 'tcp',
  version = 4,
  filters = [],
  qos = 0,
  clientid,
  kept = false,
}) {
  return new Promise((resolve, reject) => {
    clientCount += 1;
    const name = clientid ?? `bench-${process.pid}-${clientCount}`;
    const hello = [frames.connect(name, version, kept)];
    if (filters.length > 0) hello.push(frames.subscribe(filters, qos, version));
    let greeting = Buffer.alloc(0);
    let upgraded = transport !== 'ws';
    const greet = (bytes, count) => {
      greeting = Buffer.concat([greeting, bytes.subarray(0, count)]);
      let answer;
      try {
        answer = frames.readGreeting(greeting, filters.length > 0, qos, version);
      } catch (error) {
        reject(error);
        return;
      }
      if (answer) resolve(client);
    };
    const onPlain = (bytes, count) => {
      if (client.onBytes) client.onBytes(bytes, count);
      else greet(bytes, count);
    };
    const unframe = transport === 'ws' ? unframer(onPlain) : null;
    const onData = (bytes, count) => {
      if (upgraded) {
        if (unframe) unframe(bytes, count);
        else onPlain(bytes, count);
        return;
      }
      const text = bytes.toString('latin1', 0, count);
      const end = text.indexOf('\r\n\r\n');
      if (!text.startsWith('HTTP/1.1 101') || end === -1) {
        reject(new Error(`the upgrade was answered by ${text.slice(0, 60)}`));
        return;
      }
      upgraded = true;
      for (const frame of hello) client.write(frame);
    };
    const socket = connect(transport, port, onData);
    const client = new Client(socket, transport === 'ws');
    if (transport === 'ws') socket.write(frames.upgrade(port));
    else client.write(Buffer.concat(hello));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the broker closed the connection')));
  });
}

function connect(transport, port, onData) {
  const to = { host: '127.0.0.1', port, noDelay: true };
  if (transport !== 'tls') {
    const callback = (count) => {
      onData(input, count);
      return true;
    };
    return net.connect({ ...to, onread: { buffer: input, callback } });
  }
  // The brokers' certificates are made for this run; whom they name is not what is measured
  const socket = tls.connect({ ...to, rejectUnauthorized: false });
  socket.on('data', (bytes) => onData(bytes, bytes.length));
  return socket;
}

/** Takes WebSocket frames apart as they come; hands on what was in them, a read at a time. */
function unframer(onPlain) {
  let header = Buffer.alloc(0);
  let left = 0; // of the frame at hand
  let content = true;
  return (bytes, count) => {
    let from = 0;
    let used = 0;
    while (from < count) {
      if (left === 0) {
        header = Buffer.concat([header, bytes.subarray(from, from + 1)]);
        from += 1;
        const length = frames.webSocketLength(header);
        if (length === null) continue;
        content = (header[0] & 0x0f) < 8; // else a ping, or the close at the end
        left = length;
        header = Buffer.alloc(0);
        continue;
      }
      const run = Math.min(left, count - from);
      if (content) used += bytes.copy(plain, used, from, from + run);
      from += run;
      left -= run;
    }
    if (used > 0) onPlain(plain, used);
  };
}

/** Opens clients, some at a time: a broker's backlog is finite. */
export async function openClients(wanted) {
  const clients = new Array(wanted.length);
  let next = 0;
  const open = async () => {
    while (next < wanted.length) {
      const at = next++;
      clients[at] = await openClient(wanted[at]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONNECTING_MAX, wanted.length) }, open));
  return clients;
}

export async function closeClients(clients) {
  await Promise.all(
    clients.map((client) => {
      client.end(frames.disconnect);
      const patience = setTimeout(() => client.destroy(), 1000);
      return client.closed.then(() => clearTimeout(patience));
    }),
  );
}
