import { readFile } from 'node:fs/promises';
import compress from '@fastify/compress';
import { startBroker } from '@mqdeck/broker/broker';
import { CertificateError } from '@mqdeck/broker/core/listeners/certificates';
import { StoreError } from '@mqdeck/broker/core/store/check-file';
import { BackupFault } from '@mqdeck/broker/features/data/parts';
import { isIssuerKey } from '@mqdeck/broker/features/license/license-key';
import { SettingsError } from '@mqdeck/broker/settings/settings';
import type { FastifyBaseLogger } from 'fastify';
import { serveApiDocs } from './api-docs.ts';
import type { MqttPorts } from './banner.ts';
import type { Backend } from './http.ts';
import type { Options } from './options.ts';
import { StartFailure } from './start-failure.ts';
import { loggerInto, type Terminal } from './terminal.ts';

export interface Embedded extends Backend {
  ports: MqttPorts;
  /** The file of a certificate that devices have to be given; null when there is none. */
  certificate: string | null;
  /** Whether the password that everybody knows still opens the door. */
  defaultPasswordInForce: boolean;
  /** No authenticator is enabled for MQTT. */
  anybodyConnects: boolean;
  /** Into the broker's own log. */
  log: FastifyBaseLogger;
  close(): Promise<void>;
}

/** The broker of this process as what stands behind the console. */
export async function startEmbedded(
  options: Options,
  dataDir: string,
  version: string,
  terminal: Terminal,
): Promise<Embedded> {
  const {
    host,
    tcp,
    ssl,
    ws,
    wss,
    adminPassword,
    certificate,
    edition,
    importFile,
    importPassphrase,
    outbound,
  } = options;
  const broker = await startBroker({
    dataDir,
    host,
    tcp,
    ssl,
    ws,
    wss,
    certificate,
    adminPassword,
    edition,
    licenseIssuer: await issuerOf(options),
    importFile,
    importPassphrase,
    outbound,
    version,
    console: (line) => terminal.write(line),
  }).catch((error: unknown) => {
    // Files that people edit or damage: they get the sentence, not a stack.
    const known =
      error instanceof SettingsError || error instanceof StoreError || error instanceof CertificateError;
    if (importFile !== null && (error instanceof BackupFault || isUnreadable(error, importFile)))
      throw new StartFailure(`${importFile} was not restored, and nothing was changed. ${error.message}.`, {
        cause: error,
      });
    throw known ? new StartFailure(error.message, { cause: error }) : error;
  });
  return {
    ports: broker.addresses,
    certificate: broker.certificates?.selfSigned ? broker.certificates.current.file : null,
    defaultPasswordInForce: broker.defaultPasswordInForce,
    anybodyConnects: !broker.settings.get('authentication').global.some(({ enable }) => enable),
    log: loggerInto(broker.log),
    register(app) {
      app.register(async (scope) => {
        await scope.register(compress, { encodings: ['gzip'], threshold: 1024 });
        await scope.register(broker.api, { prefix: '/api/v5' });
      });
      serveApiDocs(app, () => broker.apiDocument());
      // Health checks of load balancers know the short address.
      app.get('/status', async (request, reply) => {
        const { statusCode, headers, body } = await app.inject(`/api/v5${request.url}`);
        return reply.code(statusCode).type(String(headers['content-type'])).send(body);
      });
    },
    handleUpgrade: (request, socket, head) => broker.handleUpgrade(request, socket, head),
    close: () => broker.close(),
  };
}

const isUnreadable = (error: unknown, file: string): error is Error =>
  error instanceof Error && 'path' in error && error.path === file;

/** The text of the key; what is wrong with it is told before anything is started. */
async function issuerOf({ licenseIssuer: file }: Options): Promise<string | null> {
  if (file === null) return null;
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new StartFailure(`The file ${file} of --license-issuer cannot be read: ${cause.message}.`, {
      cause,
    });
  });
  if (!isIssuerKey(text))
    throw new StartFailure(`The file ${file} of --license-issuer is no ed25519 public key in PEM form.`);
  return text;
}
