import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import { banner, type MqttPorts, type Ports } from './banner.ts';
import { openDataFolder } from './data-folder.ts';
import { startFleet } from './demo/fleet.ts';
import { startEmbedded } from './embedded.ts';
import { type Backend, createHttp } from './http.ts';
import type { Options } from './options.ts';
import { StartFailure } from './start-failure.ts';
import type { Terminal } from './terminal.ts';

export interface Running {
  ports: Ports;
  banner: string;
  /** Ends everything in the reverse order of its start; connected clients are told. */
  close(): Promise<void>;
}

type End = () => Promise<unknown>;

/** Starts what the options ask for. What was started before a failure is ended again. */
export async function start(options: Options, version: string, terminal: Terminal): Promise<Running> {
  const ends: End[] = [];
  const close = async () => {
    const failures: unknown[] = [];
    for (const end of ends.splice(0).reverse()) await end().catch((error) => failures.push(error)); // the store must be closed
    if (failures.length > 0) throw failures[0];
  };
  try {
    const data = await openDataFolder(options.data);
    ends.push(() => data.release());
    const {
      backend,
      ports: mqttPorts,
      certificate,
      defaultPasswordInForce,
      anybodyConnects,
      log,
    } = await startBackend(options, data.path, version, terminal, ends);
    const http =
      options.http === 'off' ? null : await listen(options, options.http, backend, version, log, ends);
    const ports = { http, ...mqttPorts };
    if (options.demo && ports.tcp !== null) {
      const fleet = startFleet({ host: reachable(options.host), port: ports.tcp });
      ends.push(() => fleet.stop());
    }
    await data.announce({ host: options.host, ...ports, base: options.base, version });
    return {
      ports,
      banner: banner(options, {
        version,
        ports,
        dataFolder: data.path,
        certificate,
        defaultPasswordInForce,
        anybodyConnects,
      }),
      close,
    };
  } catch (error) {
    await close();
    throw inUse(error, options) ?? error;
  }
}

async function startBackend(
  options: Options,
  dataDir: string,
  version: string,
  terminal: Terminal,
  ends: End[],
): Promise<{
  backend: Backend;
  ports: MqttPorts;
  certificate: string | null;
  defaultPasswordInForce: boolean;
  anybodyConnects: boolean;
  log: FastifyBaseLogger;
}> {
  const { upstream, upstreamWs } = options;
  if (upstream) {
    const { createUpstream } = await import('./upstream.ts'); // no broker needs its HTTP client
    const backend = createUpstream({ upstream, ws: upstreamWs });
    ends.push(() => backend.close());
    const ports = { tcp: null, ssl: null, ws: null, wss: null };
    return {
      backend,
      ports,
      certificate: null,
      defaultPasswordInForce: false,
      anybodyConnects: false,
      log: terminal.log,
    };
  }
  const backend = await startEmbedded(options, dataDir, version, terminal);
  ends.push(() => backend.close());
  const { ports, certificate, defaultPasswordInForce, anybodyConnects, log } = backend;
  return { backend, ports, certificate, defaultPasswordInForce, anybodyConnects, log };
}

async function listen(
  options: Options,
  port: number,
  backend: Backend,
  version: string,
  log: FastifyBaseLogger,
  ends: End[],
): Promise<number> {
  const { allowHost, base, edition, host, upstream } = options;
  const app = createHttp({
    backend,
    // The same two steps up from src/ and from dist/.
    consoleFolder: path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../console/dist'),
    facts: {
      mode: upstream ? 'upstream' : 'embedded',
      upstream: upstream?.name ?? null,
      version,
      base,
      edition: upstream ? null : edition,
    },
    host,
    allowHost,
    log,
  });
  // The two close together: HTTP ends when the last websocket does, and those are the backend's to end.
  const endBackend = ends.pop()!;
  ends.push(() => Promise.all([app.close(), endBackend()]));
  await app.listen({ host, port });
  return (app.server.address() as AddressInfo).port;
}

/** An address to connect to for one to listen on: "every address" is none. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Turns what the system says about an address into a sentence that names the option to change. */
function inUse(error: unknown, options: Options): StartFailure | null {
  if (!(error instanceof Error)) return null;
  if (error.cause instanceof Error) return inUse(error.cause, options); // the broker says which listener it was
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  const flag = (['http', 'tcp', 'ssl', 'ws', 'wss'] as const).find(
    (name) => options[name] === port && port !== 0,
  );
  const choose = flag ? `Choose another port with --${flag}.` : 'Choose another port.';
  if (code === 'EADDRINUSE')
    return new StartFailure(`Port ${port} of ${address} is already in use. ${choose}`);
  if (code === 'EACCES' && port !== undefined) {
    return new StartFailure(`This user may not listen on port ${port}. ${choose}`);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartFailure(`This machine has no address ${options.host}. Choose another with --host.`);
  }
  return null;
}
