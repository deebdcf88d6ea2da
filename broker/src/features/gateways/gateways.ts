import { isDeepStrictEqual } from 'node:util';
import type { AuthenticatorConfig } from '@mqdeck/contract/authentication';
import {
  GATEWAY_LISTENER_TYPES,
  GATEWAY_NAMES,
  type GatewayConfigs,
  type GatewayListenerConfig,
  type GatewayListenerType,
  type GatewayName,
  type GatewaySettings,
  LISTENER_TYPES_OF,
  type StoredGateway,
} from '@mqdeck/contract/gateways';
import { LISTENER_NAME } from '@mqdeck/contract/listeners';
import { CertificateError } from '../../core/listeners/certificates.ts';
import { ListenError } from '../../core/listeners/listener.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';
import { LiveGateway, type Surroundings } from './live-gateway.ts';
import type { StartProtocol } from './protocol.ts';
import { protocols } from './protocols.ts';

/** What the operator asked for cannot be; nothing has changed. The message is a sentence. */
export class GatewayFault extends Error {}

/** What is told when something needs an operator. */
export interface Bells {
  activate(name: string, message: string, details?: Record<string, unknown>): void;
  deactivate(name: string): void;
  listActive(): readonly { name: string }[];
}

export interface Parts extends Omit<Surroundings, 'onTrouble'> {
  settings: SettingsStore;
  alarms: Bells;
  /** Who asks the devices of a gateway or listener who they are, by the name of the chain. */
  addAuthenticator: (chain: string, config: AuthenticatorConfig) => Promise<void>;
  /** A listener is no more: nor is who was to let its devices in. */
  forgetAuthentication: (chain: string) => Promise<void>;
}

type Config = GatewayConfigs[GatewayName];

/** A listener of a gateway that is to be loaded, or a new one. */
export interface NewListener {
  type: GatewayListenerType;
  name: string;
  config: GatewayListenerConfig;
  authentication?: AuthenticatorConfig;
}

const DOWN = 'gateway_down:';
const LISTENER_DOWN = 'gateway_listener_down:';

/** Keeps the gateways that are loaded: what the settings say of them is in force, or an alarm says why not. */
export class Gateways {
  private readonly parts: Parts;
  private readonly around: Surroundings;
  private readonly all = new Map<GatewayName, LiveGateway>();
  /** What we wrote last: another section comes from somebody else. */
  private written: GatewaySettings | null = null;
  private changing: Promise<unknown> = Promise.resolve();
  private readonly ends: (() => void)[] = [];

  constructor(parts: Parts) {
    const { settings, alarms, core, host, dataDir, outbound, sharedCertificates } = parts;
    this.parts = parts;
    this.around = {
      core,
      host,
      dataDir,
      outbound,
      sharedCertificates,
      onTrouble: (listener, reason) => {
        if (reason === null) alarms.deactivate(LISTENER_DOWN + listener);
        else alarms.activate(LISTENER_DOWN + listener, reason, { listener });
      },
    };
    settings.guard('gateway', (values) => checkSection(values));
  }

  /** Starts what the settings want. What cannot be started is told by an alarm; the others run all the same. */
  async open(): Promise<void> {
    const { settings } = this.parts;
    await this.inTurn(() => this.follow());
    this.endOldAlarms();
    this.ends.push(
      settings.onChange('gateway', (section) => {
        if (section === this.written) return;
        this.inTurn(() => this.follow()).catch((err: unknown) =>
          this.parts.core.log.error({ err }, 'the gateways are not all as the settings say'),
        );
      }),
    );
  }

  async close(): Promise<void> {
    for (const end of this.ends.splice(0)) end();
    await this.changing;
    for (const live of this.all.values()) await live.drop();
    this.all.clear();
  }

  find(name: GatewayName): LiveGateway | undefined {
    return this.all.get(name);
  }

  /** Loads it, or changes what it is configured to; `listeners` are read the first time only. */
  put(
    name: GatewayName,
    config: Config,
    listeners: NewListener[],
    authentication?: AuthenticatorConfig,
  ): Promise<void> {
    return this.inTurn(async () => {
      const live = this.all.get(name);
      if (live) await this.change(live, config);
      else {
        await this.load(name, config, listeners);
        if (authentication) await this.parts.addAuthenticator(`${name}:global`, authentication);
      }
      await this.save();
    });
  }

  enable(name: GatewayName, enable: boolean): Promise<void> {
    return this.withGateway(name, async (live) => {
      if (enable) await this.started(live, true);
      else await live.stop();
      live.config = { ...live.config, enable };
      this.parts.alarms.deactivate(DOWN + name);
    });
  }

  createListener(gateway: GatewayName, listener: NewListener): Promise<void> {
    return this.withGateway(gateway, async (live) => {
      const { type, name, config } = listener;
      if (live.listeners.has(`${gateway}:${type}:${name}`))
        throw new GatewayFault('Listener name has occupied');
      const entry = live.add(type, name, config);
      try {
        await live.open(entry, config);
      } catch (cause) {
        await live.remove(entry);
        throw cause;
      }
      if (listener.authentication) await this.parts.addAuthenticator(entry.id, listener.authentication);
    });
  }

  updateListener(gateway: GatewayName, id: string, config: GatewayListenerConfig): Promise<void> {
    return this.withGateway(gateway, async (live) => {
      const entry = live.listeners.get(id);
      if (!entry) throw new GatewayFault(`Listener ${id} not found`);
      await live.open(entry, config);
    });
  }

  removeListener(gateway: GatewayName, id: string): Promise<void> {
    return this.withGateway(gateway, async (live) => {
      const entry = live.listeners.get(id);
      if (!entry) return;
      await live.remove(entry);
      await this.parts.forgetAuthentication(id);
    });
  }

  // --- one change after the other

  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.changing.then(run);
    this.changing = turn.catch(() => undefined); // told to whoever asked for it
    return turn;
  }

  private withGateway(name: GatewayName, run: (live: LiveGateway) => Promise<void>): Promise<void> {
    return this.inTurn(async () => {
      const live = this.all.get(name);
      if (!live) throw new GatewayFault('NOT FOUND');
      try {
        await run(live);
      } catch (cause) {
        throw asFault(cause);
      }
      await this.save();
    });
  }

  private async load(name: GatewayName, config: Config, listeners: NewListener[]): Promise<void> {
    const live = this.made(name, config, rfc3339(Date.now()));
    for (const { type, name: its, config: one } of listeners) live.add(type, its, one);
    try {
      if (config.enable) await this.started(live, true);
      else live.stoppedAt = Date.now();
    } catch (cause) {
      for (const entry of [...live.listeners.values()]) await live.remove(entry);
      throw asFault(cause);
    }
    this.all.set(name, live);
    for (const { type, name: its, authentication } of listeners)
      if (authentication) await this.parts.addAuthenticator(`${name}:${type}:${its}`, authentication);
  }

  private async change(live: LiveGateway, config: Config): Promise<void> {
    if (isDeepStrictEqual(live.config, config)) return;
    try {
      if (!config.enable) await live.stop();
      await live.change(config);
      if (config.enable) await this.started(live, true);
    } catch (cause) {
      throw asFault(cause);
    }
  }

  private async started(live: LiveGateway, strict: boolean): Promise<void> {
    await live.start(strict);
    this.parts.alarms.deactivate(DOWN + live.name);
  }

  private made(name: GatewayName, config: Config, createdAt: string): LiveGateway {
    // Each is called with the configuration of its own name
    const start = protocols[name] as unknown as StartProtocol<Config>;
    return new LiveGateway(name, config, createdAt, start, this.around);
  }

  private async save(): Promise<void> {
    this.written = Object.fromEntries(
      [...this.all].map(([name, live]) => [name, storedOf(live)]),
    ) as GatewaySettings;
    await this.parts.settings.change('gateway', this.written);
  }

  /** The start, or an import: all of it that can be is in force afterwards. */
  private async follow(): Promise<void> {
    const { settings, alarms, core } = this.parts;
    const section = settings.get('gateway');
    for (const name of GATEWAY_NAMES) {
      const wanted = section[name];
      const live = this.all.get(name);
      if (live && wanted && isDeepStrictEqual(storedOf(live), wanted)) continue;
      await live?.drop();
      this.all.delete(name);
      if (!wanted) continue;
      const { listeners, created_at = rfc3339(Date.now()), ...config } = wanted;
      const made = this.made(name, config as Config, created_at);
      this.all.set(name, made);
      for (const type of GATEWAY_LISTENER_TYPES)
        for (const [its, one] of Object.entries(listeners[type])) made.add(type, its, one);
      if (!config.enable) {
        made.stoppedAt = Date.now();
        continue;
      }
      try {
        await this.started(made, false);
      } catch (cause) {
        const { message } = cause as Error;
        made.failure = message;
        made.stoppedAt = Date.now();
        core.log.error({ err: cause, gateway: name }, 'a gateway cannot be started');
        alarms.activate(DOWN + name, message, { gateway: name });
      }
    }
  }

  /** Of gateways and listeners that are gone since the last start. */
  private endOldAlarms(): void {
    const { alarms } = this.parts;
    const failing = new Set<string>();
    for (const live of this.all.values()) {
      if (live.failure !== null) failing.add(DOWN + live.name);
      for (const { id, failure } of live.listeners.values())
        if (failure !== null) failing.add(LISTENER_DOWN + id);
    }
    for (const { name } of alarms.listActive())
      if ((name.startsWith(DOWN) || name.startsWith(LISTENER_DOWN)) && !failing.has(name))
        alarms.deactivate(name);
  }
}

function storedOf({ config, listeners, createdAt }: LiveGateway): StoredGateway {
  const stored = { tcp: {}, ssl: {}, udp: {}, dtls: {} } as Record<
    GatewayListenerType,
    Record<string, object>
  >;
  for (const { type, name, config: one } of listeners.values()) stored[type][name] = one;
  return { ...config, listeners: stored, created_at: createdAt } as unknown as StoredGateway;
}

/** `stomp:tcp:default` of this gateway; null when it is no id of a listener of it. */
export function parseListenerId(
  gateway: GatewayName,
  id: string,
): { type: GatewayListenerType; name: string } | null {
  const [of, type = '', name = '', ...more] = id.split(':');
  const known = GATEWAY_LISTENER_TYPES.find((one) => one === type);
  if (of !== gateway || !known || more.length > 0 || !LISTENER_NAME.test(name)) return null;
  return { type: known, name };
}

/** Why a gateway has no listener of a type; null when it can. */
export function typeFault(gateway: GatewayName, type: GatewayListenerType): string | null {
  const types = LISTENER_TYPES_OF[gateway];
  if (types.includes(type)) return null;
  return `The gateway ${gateway} has listeners of the types ${types.join(', ')} only`;
}

function checkSection(section: GatewaySettings): void {
  for (const name of GATEWAY_NAMES)
    for (const type of GATEWAY_LISTENER_TYPES)
      for (const its of Object.keys(section[name]?.listeners[type] ?? {})) {
        const fault = typeFault(name, type);
        if (fault !== null) throw new SettingsFault([name, 'listeners', type, its], fault);
      }
}

const asFault = (cause: unknown): unknown =>
  cause instanceof ListenError || cause instanceof CertificateError
    ? new GatewayFault(cause.message, { cause })
    : cause;
