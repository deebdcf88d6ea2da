import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { ExprotoConfig } from '@mqdeck/contract/gateways';
import { bindText, parseBind } from '@mqdeck/contract/listeners';
import type { QoS } from '@mqdeck/mqtt/packets';
import { MqttError } from '@mqdeck/mqtt/reason-codes';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import type { Core } from '../../../core/core.ts';
import { CertificateError } from '../../../core/listeners/certificates.ts';
import { ListenError } from '../../../core/listeners/listener.ts';
import { readMaterial } from '../../../listening/tls-material.ts';
import { type Device, done, failed, gone } from './device.ts';
import { type AdapterRequest, type CodeResponse, exprotoService } from './messages.ts';

const LOCAL = '127.0.0.1';
const CALL_BYTES_MIN = 4 * 1024 * 1024;

type Find = (conn: string) => Device | undefined;
type Answer = (request: AdapterRequest) => CodeResponse | Promise<CodeResponse>;

/** Where handlers reach the broker: a gRPC server that listens. Without a host in `bind`, on this machine alone. */
export async function startAdapter(
  config: ExprotoConfig['server'],
  core: Core,
  find: Find,
): Promise<() => void> {
  const bind = parseBind(config.bind);
  if (typeof bind === 'string') throw new ListenError(`server.bind is no address: ${config.bind}`);
  const where = bindText({ host: bind.host ?? LOCAL, port: bind.port });
  const server = new Server({
    'grpc.max_receive_message_length': Math.max(CALL_BYTES_MIN, core.settings.maxPacketBytes + 65_536),
  });
  server.addService(exprotoService('ConnectionAdapter'), implementation(core, find));
  const credentials = await credentialsOf(config.ssl_options, core);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(where, credentials, (error) => {
      if (error)
        reject(
          new ListenError(`The gRPC server cannot listen on ${where}: ${error.message}`, { cause: error }),
        );
      else resolve();
    });
  });
  return () => server.forceShutdown();
}

async function credentialsOf(
  ssl: ExprotoConfig['server']['ssl_options'],
  { log }: Core,
): Promise<ServerCredentials> {
  if (ssl === undefined) return ServerCredentials.createInsecure();
  const { certificates, policy } = await readMaterial(ssl, {
    log,
    folder: '.',
    shared: () => Promise.reject(new CertificateError('server.ssl_options needs certfile and keyfile')),
  });
  const { cert, key, passphrase } = certificates.current;
  certificates.close();
  if (passphrase !== undefined)
    throw new CertificateError('The key of the gRPC server must not be encrypted: gRPC takes no password.');
  const { peers } = policy;
  return ServerCredentials.createSsl(
    peers === null ? null : Buffer.from(peers.ca),
    [{ private_key: Buffer.from(key), cert_chain: Buffer.from(cert) }],
    peers?.required === true,
  );
}

function implementation(core: Core, find: Find): UntypedServiceImplementation {
  /** Of a connection, with what the call cannot do without. */
  const of =
    (
      needs: (request: AdapterRequest) => unknown,
      act: (device: Device, request: AdapterRequest) => ReturnType<Answer>,
    ): Answer =>
    (request) => {
      if (request.conn === '' || !needs(request))
        return failed('REQUIRED_PARAMS_MISSED', 'the call lacks what it needs');
      const device = find(request.conn);
      return device === undefined ? gone : act(device, request);
    };
  const answers: Record<string, Answer> = {
    Send: of(
      ({ bytes }) => bytes.length > 0,
      (device, { bytes }) => device.send(bytes),
    ),
    Close: of(always, (device) => {
      device.end('normal');
      return done;
    }),
    Authenticate: of(
      ({ clientinfo }) => clientinfo?.clientid && clientinfo.proto_name && clientinfo.proto_ver,
      (device, { clientinfo, password }) => device.authenticate(clientinfo!, password),
    ),
    StartTimer: of(always, (device, { interval }) => device.startTimer(interval)),
    Publish: of(
      ({ topic }) => topic,
      (device, { topic, qos, payload }) => device.publish(topic, qos, payload),
    ),
    Subscribe: of(
      ({ topic }) => topic,
      (device, { topic, qos }) => device.subscribe(topic, qos),
    ),
    Unsubscribe: of(
      ({ topic }) => topic,
      (device, { topic }) => device.unsubscribe(topic),
    ),
    RawPublish: (request) => rawPublish(core, request),
  };
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [name, answering(core, name, answer)]),
  );
}

const always = (): boolean => true;

async function rawPublish(core: Core, { topic, qos, payload }: AdapterRequest): Promise<CodeResponse> {
  if (topic === '') return failed('REQUIRED_PARAMS_MISSED', 'there is no topic');
  if (qos > 2) return failed('PARAMS_TYPE_ERROR', 'the QoS is 0, 1 or 2');
  if (!isValidTopic(topic)) return failed('PARAMS_TYPE_ERROR', 'nothing can be published to this topic');
  try {
    await core.publish({ topic, payload, qos: qos as QoS });
    if (qos > 0) await core.flushed();
  } catch (cause) {
    if (cause instanceof MqttError) return failed('PARAMS_TYPE_ERROR', cause.message);
    throw cause;
  }
  return done;
}

const answering =
  ({ log }: Core, call: string, answer: Answer) =>
  ({ request }: ServerUnaryCall<AdapterRequest, CodeResponse>, reply: sendUnaryData<CodeResponse>): void => {
    Promise.resolve()
      .then(() => answer(request))
      .then(
        (response) => reply(null, response),
        (err: unknown) => {
          log.error({ err, call }, 'a call of an ExProto handler failed');
          reply(null, failed('UNKNOWN', 'it failed; the log of the broker says more'));
        },
      );
  };
