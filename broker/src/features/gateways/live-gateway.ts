import type {
  GatewayConfigs,
  GatewayListenerConfig,
  GatewayListenerType,
  GatewayName,
} from '@mqdeck/contract/gateways';
import { parseBytes, parseDuration } from '@mqdeck/contract/kit/values';
import type { OutboundPolicy } from '../../backends/outbound.ts';
import type { Core } from '../../core/core.ts';
import type { Guest, GuestIntroduction } from '../../core/guest.ts';
import type { GuestBook } from '../../core/guest-book.ts';
import type { Certificates } from '../../core/listeners/certificates.ts';
import { PortListener } from '../../core/listeners/listener.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import { type DtlsMaterial, readDtlsMaterial } from '../../listening/dtls-material.ts';
import { hasTexts, PemFiles } from '../../listening/pem-files.ts';
import { accessOf, bindOf, portOptions } from '../../listening/port-options.ts';
import { readMaterial, type TlsMaterial } from '../../listening/tls-material.ts';
import { type OpenLink, StreamLink } from './links.ts';
import { overridden } from './override.ts';
import type { Port } from './port.ts';
import type { GuestRefused, GuestRequest, LinkEvents, Protocol, StartProtocol } from './protocol.ts';
import { streamPort } from './stream-port.ts';
import { type UdpOptions, UdpPort } from './udp-port.ts';

/** What a gateway needs to listen. */
export interface Surroundings {
  core: Core;
  /** Where a listener listens that does not say so. */
  host: string;
  /** Null: texts of certificates stay in memory, with the settings. */
  dataDir: string | null;
  outbound: OutboundPolicy;
  sharedCertificates: () => Promise<Certificates>;
  /** A listener that shall be open and is not, and why; null when all is well. */
  onTrouble: (listener: string, reason: string | null) => void;
}

export interface Entry {
  readonly id: string; // `stomp:tcp:default`
  readonly type: GatewayListenerType;
  readonly name: string;
  config: GatewayListenerConfig;
  readonly port: Port;
  tls: Material | null;
  /** Why it does not listen although it shall. */
  failure: string | null;
}

type Config = GatewayConfigs[GatewayName];
type Material = TlsMaterial | DtlsMaterial;

const nothing = (): void => undefined;
const DEAF: LinkEvents = { onBytes: nothing, onClose: nothing };

/** One gateway that is loaded: keeps its listeners, and while it runs its protocol and who is there. */
export class LiveGateway {
  readonly name: GatewayName;
  config: Config;
  readonly listeners = new Map<string, Entry>();
  readonly createdAt: string;
  startedAt: number | null = null; // epoch ms
  stoppedAt: number | null = null;
  /** Why it does not run although it shall. */
  failure: string | null = null;
  private readonly around: Surroundings;
  private readonly startProtocol: StartProtocol<Config>;
  private readonly files: PemFiles | null;
  private protocol: Protocol | null = null;
  private book: GuestBook | null = null;
  private sweeping: Timer | null = null;

  constructor(
    name: GatewayName,
    config: Config,
    createdAt: string,
    startProtocol: StartProtocol<Config>,
    around: Surroundings,
  ) {
    this.name = name;
    this.config = config;
    this.createdAt = createdAt;
    this.startProtocol = startProtocol;
    this.around = around;
    this.files = around.dataDir === null ? null : new PemFiles(around.dataDir);
  }

  get running(): boolean {
    return this.protocol !== null;
  }

  get guests(): ReadonlyMap<string, Guest> {
    return this.book?.guests ?? NOBODY;
  }

  // --- the whole

  /** With `strict` all its listeners open, or it does not start and throws. */
  async start(strict: boolean): Promise<void> {
    if (this.running) return;
    await this.speak();
    for (const entry of this.listeners.values()) {
      try {
        await this.open(entry, entry.config);
      } catch (cause) {
        if (strict) {
          await this.stop();
          throw cause;
        }
        this.fail(entry, cause);
      }
    }
    this.failure = null;
    this.startedAt = Date.now();
    this.stoppedAt = null;
  }

  async stop(): Promise<void> {
    const wasRunning = this.running;
    await this.fallSilent();
    for (const entry of this.listeners.values()) {
      await entry.port.stop();
      this.mend(entry);
    }
    if (wasRunning || this.stoppedAt === null) this.stoppedAt = Date.now();
  }

  /** Another configuration, or none of it and a rejection. Ports stay open; whoever is there has to come again. */
  async change(config: Config): Promise<void> {
    const before = this.config;
    const { running } = this;
    if (running) await this.fallSilent();
    this.config = config;
    if (!running) return;
    try {
      await this.speak();
    } catch (cause) {
      this.config = before;
      await this.speak();
      throw cause;
    }
    for (const entry of this.listeners.values()) this.enter(entry);
  }

  /** It is no more. */
  async drop(): Promise<void> {
    await this.stop();
    for (const entry of this.listeners.values()) closeTls(entry.tls);
  }

  private async speak(): Promise<void> {
    const { core, outbound } = this.around;
    const book = core.openGuestBook(this.name);
    try {
      this.protocol = await this.startProtocol({
        name: this.name,
        config: this.config,
        core,
        log: core.log,
        outbound,
        folder: this.around.dataDir ?? '.',
        listening: () => this.listening(),
        guests: book.guests,
        connect: (request) => this.letIn(book, request),
      });
    } catch (cause) {
      book.close();
      throw cause;
    }
    this.book = book;
    this.sweepLater();
  }

  /** Host and port where a listener listens; null while it does not. */
  addressOf({ port, config }: Entry): string | null {
    if (!port.running) return null;
    const host = bindOf(config).host ?? this.around.host;
    return `${host.includes(':') ? `[${host}]` : host}:${port.port}`;
  }

  private listening() {
    return [...this.listeners.values()]
      .filter(({ port }) => port.running)
      .map(({ type, config, port }) => ({
        transport: type,
        host: bindOf(config).host ?? this.around.host,
        port: port.port,
      }));
  }

  /** Nobody is heard any more, and who was there is told. */
  private async fallSilent(): Promise<void> {
    const { protocol, book } = this;
    this.protocol = null;
    this.sweeping?.cancel();
    try {
      await protocol?.close();
    } catch (err) {
      this.around.core.log.error({ err, gateway: this.name }, 'a gateway did not end cleanly');
    }
    this.book = null;
    book?.close();
    for (const { port } of this.listeners.values()) port.endLinks();
  }

  private async letIn(book: GuestBook, request: GuestRequest): Promise<Guest | GuestRefused> {
    const { link } = request;
    const asked: GuestIntroduction = overridden(request, this.config.clientinfo_override);
    const answer = await book.connect(link, asked);
    if ('refused' in answer) return answer;
    if (link instanceof StreamLink) link.guest = answer;
    return answer;
  }

  /** What a new link says goes to the protocol, as long as there is one. */
  private readonly welcome = (link: OpenLink): LinkEvents => {
    if (this.protocol) return this.protocol.accept(link);
    link.destroy();
    return DEAF;
  };

  private sweepLater(): void {
    const patienceMs = parseDuration(this.config.idle_timeout) ?? 30_000;
    this.sweeping = this.around.core.timers.after(Math.max(patienceMs / 2, 500), () => {
      this.sweepLater();
      this.usedLinks = null;
      for (const { port } of this.listeners.values()) port.sweep(patienceMs);
      this.usedLinks = null;
    });
  }

  /** Those of guests, as long as they are looked at. */
  private usedLinks: Set<unknown> | null = null;
  private readonly isUsed = (link: OpenLink): boolean => {
    if (this.usedLinks === null) {
      this.usedLinks = new Set([...this.guests.values()].map(({ peer }) => peer));
      queueMicrotask(() => {
        this.usedLinks = null;
      });
    }
    return this.usedLinks.has(link);
  };

  // --- listeners

  /** Not yet open; see `open`. */
  add(type: GatewayListenerType, name: string, config: GatewayListenerConfig): Entry {
    const id = `${this.name}:${type}:${name}`;
    const port = this.portFor(type, name, id);
    const entry: Entry = { id, type, name, config, port, tls: null, failure: null };
    this.listeners.set(id, entry);
    return entry;
  }

  /** As its configuration says; when that cannot be, it goes on as it was, and the answer is a rejection. */
  async open(entry: Entry, given: GatewayListenerConfig): Promise<void> {
    const { port, tls: before } = entry;
    const config = await this.withFiles(entry.id, given);
    const tls = await this.material(config);
    try {
      await this.apply(entry, config, tls);
    } catch (cause) {
      closeTls(tls);
      throw cause;
    }
    closeTls(before);
    entry.config = config;
    entry.tls = tls;
    this.enter(entry);
    if (port.running || !config.enable || !this.running) this.mend(entry);
    const options = pemOptionsOf(config);
    if (options !== null) await this.files?.tidy(entry.id, options);
  }

  async remove(entry: Entry): Promise<void> {
    await entry.port.stop();
    closeTls(entry.tls);
    this.listeners.delete(entry.id);
    this.mend(entry);
    await this.files?.tidy(entry.id, null);
  }

  private async apply(
    { port, name }: Entry,
    config: GatewayListenerConfig,
    tls: Material | null,
  ): Promise<void> {
    const shallRun = this.running && config.enable;
    if (!shallRun) await port.stop();
    if (port instanceof UdpPort) {
      if (config.type === 'udp' || config.type === 'dtls')
        await port.change({
          ...udpOptions(config, this.around.host),
          dtls: tls !== null && 'dtls' in tls ? tls : null,
        });
    } else if (port instanceof PortListener && (config.type === 'tcp' || config.type === 'ssl')) {
      const { admits: _, ...options } = portOptions(name, config, this.around.host);
      await port.change({
        ...options,
        ...(config.access_rules.length > 0 && { admits: accessOf(config.access_rules) }),
        ...(tls && 'policy' in tls && { tls: tls.certificates, tlsPolicy: tls.policy }),
      });
    }
    if (shallRun) await port.start();
  }

  private fail(entry: Entry, cause: unknown): void {
    const { message } = cause as Error;
    entry.failure = message;
    this.around.core.log.error({ err: cause, listener: entry.id }, 'a listener cannot be started');
    this.around.onTrouble(entry.id, message);
  }

  private mend(entry: Entry): void {
    entry.failure = null;
    this.around.onTrouble(entry.id, null);
  }

  private portFor(type: GatewayListenerType, name: string, id: string): Port {
    const { core, host } = this.around;
    const { welcome, isUsed } = this;
    if (type === 'tcp' || type === 'ssl')
      return streamPort({ core, gateway: this.name, type, name, welcome });
    return new UdpPort({ core, id, transport: type, welcome, isUsed }, { ...NO_UDP, host });
  }

  /** What holds for those who come in. */
  private enter({ id, config }: Entry): void {
    const entrance = this.around.core.entrance(id);
    const { mountpoint = this.config.mountpoint, enable_authn, max_conn_rate } = config;
    entrance.mountpoint = mountpoint === '' ? null : mountpoint;
    entrance.authenticates = enable_authn;
    entrance.rates = {
      connections: max_conn_rate === 'infinity' ? null : { count: max_conn_rate, perMs: 1000 },
      messages: null,
      bytes: null,
    };
  }

  private async withFiles(id: string, config: GatewayListenerConfig): Promise<GatewayListenerConfig> {
    const { files } = this;
    const options = pemOptionsOf(config);
    if (options === null || files === null || !hasTexts(options)) return config;
    closeTls(await this.material(config)); // nothing that is of no use becomes a file
    return config.type === 'dtls'
      ? { ...config, dtls_options: await files.keep(id, config.dtls_options) }
      : config.type === 'ssl'
        ? { ...config, ssl_options: await files.keep(id, config.ssl_options) }
        : config;
  }

  /** Null: no TLS, or a listener that is off and has no certificate of its own, for which none has to be made. */
  private async material(config: GatewayListenerConfig): Promise<Material | null> {
    const options = pemOptionsOf(config);
    if (options === null || (!config.enable && options.certfile === '')) return null;
    const { core, dataDir, sharedCertificates } = this.around;
    const sources = { log: core.log, folder: dataDir ?? '.', shared: sharedCertificates };
    if (config.type === 'dtls') return readDtlsMaterial(config.dtls_options, sources);
    return config.type === 'ssl' ? readMaterial(config.ssl_options, sources) : null;
  }
}

/** Null: neither TLS nor DTLS. */
const pemOptionsOf = (config: GatewayListenerConfig) =>
  config.type === 'dtls' ? config.dtls_options : config.type === 'ssl' ? config.ssl_options : null;

const NOBODY: ReadonlyMap<string, Guest> = new Map();

const NO_UDP: Omit<UdpOptions, 'host'> = {
  port: 0,
  maxConnections: 0,
  admits: null,
  recvBytes: null,
  sendBytes: null,
  healthCheck: null,
  dtls: null,
};

function udpOptions(
  config: Extract<GatewayListenerConfig, { type: 'udp' | 'dtls' }>,
  host: string,
): Omit<UdpOptions, 'dtls'> {
  const bind = bindOf(config);
  const { recbuf, sndbuf } = config.udp_options;
  const { request, reply } = config.health_check ?? {};
  return {
    host: bind.host ?? host,
    port: bind.port,
    maxConnections: config.max_connections === 'infinity' ? Number.POSITIVE_INFINITY : config.max_connections,
    admits: config.access_rules.length === 0 ? null : accessOf(config.access_rules),
    recvBytes: recbuf === undefined ? null : parseBytes(recbuf),
    sendBytes: sndbuf === undefined ? null : parseBytes(sndbuf),
    healthCheck:
      request === undefined || request === ''
        ? null
        : { request: Buffer.from(request), reply: Buffer.from(reply ?? '') },
  };
}

const closeTls = (tls: Material | null): void => {
  if (tls?.ours) tls.certificates.close();
};
