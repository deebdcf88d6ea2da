import { NoSecret, unmasked } from '@mqdeck/contract/kit/secrets';
import type {
  ListenerCertificate,
  ListenerConfig,
  ListenersSection,
  ListenerType,
} from '@mqdeck/contract/listeners';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { Core } from '../../core/core.ts';
import { CertificateError, type Certificates } from '../../core/listeners/certificates.ts';
import { ListenError, type ListenerOptions, type PortListener } from '../../core/listeners/listener.ts';
import { tcpListener } from '../../core/listeners/tcp.ts';
import { webSocketListener } from '../../core/listeners/websocket.ts';
import { hasTexts, PemFiles } from '../../listening/pem-files.ts';
import { bindOf, portOptions, ratesOf } from '../../listening/port-options.ts';
import { readMaterial, shownCertificate, type TlsMaterial } from '../../listening/tls-material.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { parseId, type StartOptions, type Stored, storedOf, wanted, withChange } from './configuration.ts';

const DAY_MS = 24 * 3600 * 1000;
const WARN_DAYS = 30;

/** What the operator asked for cannot be; nothing has changed. The message is a sentence. */
export class ListenerFault extends Error {
  readonly code: 'BAD_REQUEST' | 'BAD_LISTENER_ID';

  constructor(message: string, code: ListenerFault['code'] = 'BAD_REQUEST', cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** What is told when something needs an operator. */
export interface Bells {
  activate(name: string, message: string, details?: Record<string, unknown>): void;
  deactivate(name: string): void;
  listActive(): readonly { name: string }[];
}

interface Parts {
  core: Core;
  settings: SettingsStore;
  alarms: Bells;
  options: StartOptions;
  /** Null: texts of certificates stay in memory, with the settings. */
  dataDir: string | null;
  /** The broker's own certificate, made when it is first needed. */
  sharedCertificates: () => Promise<Certificates>;
  /** A listener is no more: nor are those who were to let its clients in. */
  forgetAuthentication: (listener: string) => Promise<void>;
  now?: () => number;
}

interface Entry {
  readonly id: string;
  readonly type: ListenerType;
  readonly name: string;
  config: ListenerConfig;
  readonly port: PortListener;
  tls: TlsMaterial | null;
  /** Looks no longer whether the certificate is renewed. */
  unwatch: () => void;
  /** Why it does not listen although it shall. */
  failure: string | null;
}

/** A listener as operators see it. */
export interface ListenerFacts {
  id: string;
  type: ListenerType;
  name: string;
  config: ListenerConfig;
  /** Where it listens, with the port in use. */
  bind: string;
  running: boolean;
  currentConnections: number;
  certificate: ListenerCertificate | null;
  failure: string | null;
}

interface Explained {
  id: string;
  verdict: { result: 'deny'; reasonCode: ReasonCode; why: string };
}

/** Keeps the listeners: what the command line and the settings say of them is in force, or an alarm says why not. */
export class Listeners {
  private readonly parts: Parts;
  private readonly entries = new Map<string, Entry>();
  private readonly files: PemFiles | null;
  private readonly now: () => number;
  /** What we wrote last: another section comes from somebody else. */
  private written: ListenersSection | null = null;
  private changing: Promise<unknown> = Promise.resolve();
  private readonly ends: (() => void)[] = [];

  constructor(parts: Parts) {
    this.parts = parts;
    this.files = parts.dataDir === null ? null : new PemFiles(parts.dataDir);
    this.now = parts.now ?? Date.now;
  }

  /**
   * Opens the ports. One that the command line asks for and that cannot be opened ends the start; of those that the
   * settings ask for an alarm tells, and the others listen all the same.
   */
  async open(): Promise<void> {
    const { settings, options } = this.parts;
    for (const [id, { config, asked }] of wanted(settings.get('listeners'), options)) {
      const entry = this.add(id, config);
      try {
        await this.apply(entry, config);
      } catch (cause) {
        const where = cause instanceof ListenError && (asked.bind ?? asked.enable) !== undefined;
        const how = cause instanceof CertificateError && asked.ssl_options !== undefined;
        if (!where && !how) throw cause;
        this.fail(entry, config, cause);
      }
    }
    this.endOldAlarms();
    const timer = setInterval(() => this.checkCertificates(), DAY_MS).unref();
    this.ends.push(
      () => clearInterval(timer),
      settings.onChange('listeners', (section) => {
        if (section === this.written) return;
        this.inTurn(() => this.follow()).catch((err: unknown) =>
          this.parts.core.log.error({ err }, 'the listeners are not all as the settings say'),
        );
      }),
    );
  }

  /** What was begun is done first: nobody would close a port that is opened later. */
  async close(): Promise<void> {
    for (const end of this.ends.splice(0)) end();
    await this.changing;
    for (const { tls, unwatch } of this.entries.values()) {
      unwatch();
      close(tls);
    }
  }

  all(): ListenerFacts[] {
    return [...this.entries.values()]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((entry) => this.present(entry));
  }

  find(id: string): ListenerFacts | undefined {
    const entry = this.entries.get(id);
    return entry && this.present(entry);
  }

  /** What becomes of a client of which nobody is asked who it is; null = somebody is. */
  explain({
    listener,
    username,
  }: {
    listener: string;
    username: string | null;
  }): Promise<Explained[]> | null {
    const { enable_authn: asks } = this.entries.get(listener)?.config ?? { enable_authn: true };
    if (asks === false) return Promise.resolve([]);
    if (asks === true || username !== null) return null;
    const reasonCode = ReasonCode.NotAuthorized;
    const why = 'the listener takes nobody without username';
    return Promise.resolve([{ id: listener, verdict: { result: 'deny', reasonCode, why } }]);
  }

  /** The config is whole; secrets that read MASK are refused, for there are none yet. */
  create(id: string, config: ListenerConfig): Promise<ListenerFacts> {
    return this.inTurn(async () => {
      if (this.entries.has(id))
        throw new ListenerFault(`There is a listener ${id} already`, 'BAD_LISTENER_ID');
      const entry = this.add(id, { ...config, enable: false });
      try {
        await this.apply(entry, withSecretsOf({}, config));
      } catch (cause) {
        await this.drop(entry);
        throw asFault(cause);
      }
      await this.save();
      return this.present(entry);
    });
  }

  update(id: string, change: Stored): Promise<ListenerFacts | undefined> {
    return this.withEntry(id, async (entry) => {
      const { bind } = change;
      const next = withChange(entry.config, {
        ...withSecretsOf(entry.config, change),
        // The port that happened to be free stays so
        ...(bind !== undefined && bind === this.bindOf(entry) && { bind: entry.config.bind }),
      });
      await this.apply(entry, next);
    });
  }

  start(id: string): Promise<ListenerFacts | undefined> {
    return this.withEntry(id, async (entry) => {
      if (!entry.port.running) await this.apply(entry, { ...entry.config, enable: true });
    });
  }

  stop(id: string): Promise<ListenerFacts | undefined> {
    return this.withEntry(id, (entry) => this.apply(entry, { ...entry.config, enable: false }));
  }

  restart(id: string): Promise<ListenerFacts | undefined> {
    return this.withEntry(id, async (entry) => {
      await entry.port.stop();
      try {
        await this.apply(entry, { ...entry.config, enable: true });
      } catch (cause) {
        if (entry.config.enable) this.fail(entry, entry.config, cause);
        throw cause;
      }
    });
  }

  /** False when there is no such listener. Its connections end. */
  remove(id: string): Promise<boolean> {
    return this.inTurn(async () => {
      const entry = this.entries.get(id);
      if (!entry) return false;
      await this.drop(entry);
      await this.save();
      await this.parts.forgetAuthentication(id);
      return true;
    });
  }

  /** Alarms begin and end with what the certificates say today. */
  checkCertificates(): void {
    for (const entry of this.entries.values()) this.checkCertificate(entry);
  }

  private present(entry: Entry): ListenerFacts {
    const { id, type, name, config, port, tls, failure } = entry;
    return {
      id,
      type,
      name,
      config,
      bind: this.bindOf(entry),
      running: port.running,
      currentConnections: port.currentConnections,
      certificate: tls && shownCertificate(tls, this.now()),
      failure,
    };
  }

  private bindOf({ config, port }: Entry): string {
    return port.running && bindOf(config).port === 0
      ? config.bind.replace(/\d+$/, String(port.port))
      : config.bind;
  }

  // --- one change after the other

  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.changing.then(run);
    this.changing = turn.catch(() => undefined); // told to whoever asked for it
    return turn;
  }

  private withEntry(id: string, run: (entry: Entry) => Promise<void>): Promise<ListenerFacts | undefined> {
    return this.inTurn(async () => {
      const entry = this.entries.get(id);
      if (!entry) return undefined;
      try {
        await run(entry);
      } catch (cause) {
        throw asFault(cause);
      }
      await this.save();
      return this.present(entry);
    });
  }

  private async save(): Promise<void> {
    const { settings, options } = this.parts;
    const configs = new Map([...this.entries].map(([id, { config }]) => [id, config]));
    this.written = storedOf(configs, options);
    await settings.change('listeners', this.written);
    for (const { id, config } of this.entries.values())
      if ('ssl_options' in config) await this.files?.tidy(id, config.ssl_options);
  }

  /** The settings were changed from elsewhere, by an import: all of it that can be is in force afterwards. */
  private async follow(): Promise<void> {
    const { settings, options } = this.parts;
    const all = wanted(settings.get('listeners'), options);
    for (const entry of [...this.entries.values()]) if (!all.has(entry.id)) await this.drop(entry);
    for (const [id, { config }] of all) {
      const entry = this.entries.get(id) ?? this.add(id, { ...config, enable: false });
      if (JSON.stringify(entry.config) === JSON.stringify(config)) continue;
      try {
        await this.apply(entry, config);
      } catch (cause) {
        await entry.port.stop(); // it would listen where nobody wants it any more
        this.fail(entry, config, cause);
      }
    }
  }

  // --- what happens to one

  private add(id: string, config: ListenerConfig): Entry {
    const { core, options } = this.parts;
    const { type, name } = parseId(id)!;
    const wishes = portOptions(name, config, options.host);
    const port =
      type === 'tcp' || type === 'ssl'
        ? tcpListener(core, wishes, type)
        : webSocketListener(core, wishes, type);
    const entry: Entry = { id, type, name, config, port, tls: null, unwatch: nothing, failure: null };
    this.entries.set(id, entry);
    return entry;
  }

  /** All of it, or nothing: when something of it cannot be, the listener goes on as it was. */
  private async apply(entry: Entry, given: ListenerConfig): Promise<void> {
    const { port, tls: before } = entry;
    const config = await this.withFiles(entry.id, given);
    const tls = await this.material(config);
    const options: ListenerOptions = {
      ...portOptions(entry.name, config, this.parts.options.host),
      ...(tls && { tls: tls.certificates, tlsPolicy: tls.policy }),
    };
    const { options: optionsBefore, running: wasRunning } = port;
    try {
      if (!config.enable) await port.stop();
      await port.change(options);
      if (config.enable) await port.start();
    } catch (cause) {
      if (!port.running) port.options = optionsBefore;
      // Its own address was taken by somebody else in the moment it was given up for a try
      if (wasRunning && !port.running) this.fail(entry, entry.config, cause);
      close(tls);
      if ('ssl_options' in entry.config) await this.files?.tidy(entry.id, entry.config.ssl_options);
      throw cause;
    }
    entry.unwatch();
    close(before);
    entry.config = config;
    entry.tls = tls;
    entry.failure = null;
    this.enter(entry);
    this.parts.alarms.deactivate(downAlarm(entry.id));
    entry.unwatch = tls?.certificates.onChange(() => this.checkCertificate(entry)) ?? nothing;
    this.checkCertificate(entry);
  }

  private async withFiles(id: string, config: ListenerConfig): Promise<ListenerConfig> {
    if (!('ssl_options' in config) || this.files === null || !hasTexts(config.ssl_options)) return config;
    close(await this.material(config)); // nothing that is of no use becomes a file
    return { ...config, ssl_options: await this.files.keep(id, config.ssl_options) };
  }

  /** Null: no TLS, or a listener that is off and has no certificate of its own, for which none has to be made. */
  private async material(config: ListenerConfig): Promise<TlsMaterial | null> {
    if (!('ssl_options' in config)) return null;
    if (!config.enable && config.ssl_options.certfile === '') return null;
    const { core, dataDir, sharedCertificates } = this.parts;
    return readMaterial(config.ssl_options, {
      log: core.log,
      folder: dataDir ?? '.',
      shared: sharedCertificates,
    });
  }

  /** What holds for those who come in. */
  private enter({ id, config }: Entry): void {
    const { core } = this.parts;
    const entrance = core.entrance(id);
    core.enterZone(entrance, config.zone);
    entrance.mountpoint = config.mountpoint === '' ? null : config.mountpoint;
    entrance.authenticates = config.enable_authn;
    entrance.rates = ratesOf(config);
  }

  private async drop(entry: Entry): Promise<void> {
    await entry.port.remove();
    entry.unwatch();
    this.entries.delete(entry.id);
    close(entry.tls);
    for (const alarm of [downAlarm(entry.id), expiryAlarm(entry.id)]) this.parts.alarms.deactivate(alarm);
    await this.files?.tidy(entry.id, null);
  }

  /** Of listeners that are gone since the last start. */
  private endOldAlarms(): void {
    const { alarms } = this.parts;
    const ofOthers = ({ name }: { name: string }) =>
      (name.startsWith(DOWN) || name.startsWith(EXPIRY)) &&
      !this.entries.has(name.slice(name.indexOf(':') + 1));
    for (const { name } of alarms.listActive().filter(ofOthers)) alarms.deactivate(name);
  }

  private fail(entry: Entry, config: ListenerConfig, cause: unknown): void {
    const { message } = cause as Error;
    const { alarms, core } = this.parts;
    entry.config = config;
    entry.failure = message;
    core.log.error({ err: cause, listener: entry.id }, 'a listener cannot be started');
    alarms.activate(downAlarm(entry.id), message, { listener: entry.id, bind: config.bind });
  }

  private checkCertificate({ id, tls, config }: Entry): void {
    const { alarms } = this.parts;
    const shown = tls && config.enable ? shownCertificate(tls, this.now()) : null;
    if (shown === null || shown.days >= WARN_DAYS) {
      alarms.deactivate(expiryAlarm(id));
      return;
    }
    const { days, not_after, subject } = shown;
    const when = days < 0 ? 'has ended' : `ends in ${days} ${days === 1 ? 'day' : 'days'}`;
    alarms.activate(expiryAlarm(id), `The certificate of the listener ${id} ${when}`, {
      listener: id,
      days,
      not_after,
      subject,
    });
  }
}

const DOWN = 'listener_down:';
const EXPIRY = 'certificate_expiry:';
const downAlarm = (id: string): string => DOWN + id;
const expiryAlarm = (id: string): string => EXPIRY + id;

const close = (tls: TlsMaterial | null): void => {
  if (tls?.ours) tls.certificates.close();
};

const nothing = (): void => undefined;

const asFault = (cause: unknown): unknown =>
  cause instanceof ListenError || cause instanceof CertificateError
    ? new ListenerFault(cause.message, 'BAD_REQUEST', cause)
    : cause;

/** Every MASK becomes the secret that is kept. */
function withSecretsOf<T extends object>(kept: object, given: T): T {
  try {
    return unmasked(given, kept);
  } catch (cause) {
    if (cause instanceof NoSecret)
      throw new ListenerFault(`${cause.path}: ${cause.message}`, 'BAD_REQUEST', cause);
    throw cause;
  }
}
