// A handler of the ExProto gateway in a process of its own, on the .proto file that authors of handlers get. Its devices
// speak lines: HELLO clientid [username password], KEEP seconds, SUB filter, UNSUB filter, PUB topic text, RAW topic text,
// BYE. They hear OK, NO with a reason, and MSG topic text.
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const file = fileURLToPath(new URL('../../features/gateways/exproto/exproto.proto', import.meta.url));
const definition = grpc.loadPackageDefinition(
  loadSync(file, { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true }),
);
const { ConnectionAdapter, ConnectionHandler, ConnectionUnaryHandler } = definition.emqx.exproto.v1;
const connections = new Map();
let adapter;
let silent = false;

const call = (name, request) =>
  new Promise((resolve, reject) =>
    adapter[name](request, (error, answer) => (error ? reject(error) : resolve(answer))),
  );

const say = (conn, text) => call('Send', { conn, bytes: Buffer.from(`${text}\n`) });

async function act(conn, line) {
  const [word, first = '', ...rest] = line.split(' ');
  const text = rest.join(' ');
  const answerTo = {
    HELLO: () => {
      const [username = '', password = ''] = rest;
      const clientinfo = { proto_name: 'LINES', proto_ver: '1', clientid: first, username };
      return call('Authenticate', { conn, clientinfo, password });
    },
    KEEP: () => call('StartTimer', { conn, type: 'KEEPALIVE', interval: Number(first) }),
    SUB: () => call('Subscribe', { conn, topic: first, qos: 1 }),
    UNSUB: () => call('Unsubscribe', { conn, topic: first }),
    PUB: () => call('Publish', { conn, topic: first, qos: 1, payload: Buffer.from(text) }),
    RAW: () => call('RawPublish', { topic: first, qos: 0, payload: Buffer.from(text) }),
    BYE: () => call('Close', { conn }),
  }[word];
  const { code, message } = answerTo ? await answerTo() : { code: 'UNKNOWN', message: 'what?' };
  if (word !== 'BYE') await say(conn, code === 'SUCCESS' ? 'OK' : `NO ${code} ${message}`);
}

const on = {
  OnSocketCreated: ({ conn, conninfo }) =>
    connections.set(conn, { rest: '', socktype: conninfo.socktype, turn: Promise.resolve() }),
  OnSocketClosed: ({ conn }) => connections.delete(conn),
  OnReceivedBytes: ({ conn, bytes }) => {
    const known = connections.get(conn) ?? { rest: '', socktype: 'TCP', turn: Promise.resolve() };
    connections.set(conn, known);
    const lines = `${known.rest}${bytes}`.split('\n');
    known.rest = known.socktype === 'UDP' ? '' : lines.pop();
    for (const line of lines.filter(Boolean)) known.turn = known.turn.then(() => act(conn, line));
    return known.turn;
  },
  OnTimerTimeout: () => undefined,
  OnReceivedMessages: async ({ conn, messages }) => {
    for (const { topic, payload } of messages) await say(conn, `MSG ${topic} ${payload}`);
  },
};

const plain = (request) =>
  JSON.parse(
    JSON.stringify(request, (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString() : value,
    ),
  );

function heard(event, request) {
  process.send?.({ event, request: plain(request) });
  return on[event](request);
}

const unary =
  (event) =>
  async ({ request }, reply) => {
    if (silent && event === 'OnReceivedBytes') return;
    await heard(event, request);
    reply(null, {});
  };
const streamed = (event) => (stream, reply) => {
  stream.on('data', (request) => void heard(event, request));
  stream.on('end', () => reply(null, {}));
};

function start({ port, adapterAddress, service, tls }) {
  adapter = new ConnectionAdapter(
    adapterAddress,
    tls ? grpc.credentials.createSsl(Buffer.from(tls.ca), null, null) : grpc.credentials.createInsecure(),
    tls ? { 'grpc.ssl_target_name_override': tls.name } : {},
  );
  const server = new grpc.Server();
  const [kind, make] =
    service === 'ConnectionHandler' ? [ConnectionHandler, streamed] : [ConnectionUnaryHandler, unary];
  server.addService(kind.service, Object.fromEntries(Object.keys(on).map((event) => [event, make(event)])));
  server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error) => {
    if (error) throw error;
    process.send({ ready: true });
  });
}

process.on('message', (message) => {
  if (message.start) start(message.start);
  if (message.silent !== undefined) {
    silent = message.silent;
    process.send({ changed: true });
  }
});
process.on('disconnect', () => process.exit());
