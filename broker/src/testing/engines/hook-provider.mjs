// An exhook server in a process of its own, on the .proto file that authors of such servers get. What it wants and answers
// comes from its parent, who also hears of every call.
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const file = fileURLToPath(new URL('../../features/exhook/exhook.proto', import.meta.url));
const definition = loadSync(file, {
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
  oneofs: true,
});
let hooks = [];
let answers = [];

/** The first answer for this call, of this client, about this topic. */
const answerTo = (call, request) =>
  answers.find(
    (one) =>
      one.call === call &&
      (one.clientid === undefined || one.clientid === request.clientinfo?.clientid) &&
      (one.topic === undefined || one.topic === (request.message?.topic ?? request.topic)),
  );

function valued(request, { type = 'STOP_AND_RETURN', bool_result, message }) {
  if (bool_result !== undefined) return { type, bool_result };
  if (message === undefined) return { type };
  const { payload, ...others } = message;
  const bytes = payload === undefined ? request.message.payload : Buffer.from(payload);
  return { type, message: { ...request.message, ...others, payload: bytes } };
}

const plain = (request) =>
  JSON.parse(
    JSON.stringify(request, (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString() : value,
    ),
  );

function answer(call, request, reply) {
  process.send?.({ call, request: plain(request) });
  if (call === 'OnProviderLoaded') return reply(null, { hooks });
  const found = answerTo(call, request);
  if (found?.silent) return;
  if (found?.error) return reply({ code: grpc.status.INTERNAL, details: found.error });
  reply(null, found ? valued(request, found) : { type: 'IGNORE' });
}

function start({ port, pack, tls }) {
  const server = new grpc.Server();
  const service = Object.fromEntries(
    Object.entries(definition['emqx.exhook.v3.HookProvider']).map(([name, method]) => [
      name,
      { ...method, path: method.path.replace('emqx.exhook.v3', pack) },
    ]),
  );
  const handlers = Object.keys(service).map((name) => [
    name,
    ({ request }, reply) => answer(name, request, reply),
  ]);
  server.addService(service, Object.fromEntries(handlers));
  const credentials = tls
    ? grpc.ServerCredentials.createSsl(
        tls.ca ? Buffer.from(tls.ca) : null,
        [{ private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) }],
        Boolean(tls.ca),
      )
    : grpc.ServerCredentials.createInsecure();
  server.bindAsync(`127.0.0.1:${port}`, credentials, (error) => {
    if (error) throw error;
    process.send({ ready: true });
  });
}

process.on('message', (message) => {
  hooks = message.hooks ?? hooks;
  answers = message.answers ?? answers;
  if (message.start) start(message.start);
  else process.send({ changed: true });
});
process.on('disconnect', () => process.exit());
