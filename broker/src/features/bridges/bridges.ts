import type { Socket } from 'node:net';
import { BRIDGE_NAME, BRIDGE_NAME_LENGTH_MAX } from '@mqdeck/contract/bridges/common';
import type { BridgesSettings } from '@mqdeck/contract/bridges/settings';
import { type BridgeType, isBridgeType, keptBridge } from '@mqdeck/contract/bridges/types';
import { parseBytes, parseDuration } from '@mqdeck/contract/kit/values';
import { filterMatches, isValidFilter } from '@mqdeck/mqtt/topics';
import { template } from '@mqdeck/rulesql/template';
import { textOf } from '@mqdeck/rulesql/values';
import * as z from 'zod/mini';
import type { OutboundPolicy } from '../../backends/outbound.ts';
import type { Core } from '../../core/core.ts';
import type { Message } from '../../core/message.ts';
import type { Store } from '../../core/store/store.ts';
import { rowOf } from '../../resources/columns.ts';
import type { Driver, DriverContext, DriverFactory, Row } from '../../resources/driver.ts';
import type { BridgeOutputs, RuleInputs } from '../../resources/links.ts';
import { Resource, type ResourceOptions } from '../../resources/resource.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';
import { drivers } from './drivers.ts';
import { CAME_BACK, OwnConnections } from './own-connections.ts';
import { bridgesIn, connectorsIn, faultInPart, idle, partAt, partsOf } from './parts.ts';

const OWNER = 'bridges';
/** A target is asked at most so often whether it is well, whatever was written. */
const HEALTH_CHECK_LEAST_MS = 100;
/** As the rules: after what takes a message away, before the retainer. */
const BEFORE_THE_RETAINER = 49;
const BEFORE_ALL = 1000;

/** A bridge's fields, checked; which there are depends on its type. */
export type BridgeConfig = Record<string, unknown> & {
  enable: boolean;
  local_topic?: string;
  resource_opts: ResourceOpts;
};

// Not an interface: answers of the contract are open to further keys, and only a type alias is.
type ResourceOpts = {
  worker_pool_size: number;
  health_check_interval: string | number;
  start_after_created: boolean;
  start_timeout: string | number;
  auto_restart_interval: string | number;
  query_mode: 'sync' | 'async';
  inflight_window: number;
  request_ttl: string | number;
  batch_size?: number;
  batch_time?: string | number;
  max_buffer_bytes: string | number;
  buffer_mode: 'memory' | 'disk';
};

export interface LiveBridge {
  readonly id: string; // `type:name`
  readonly type: BridgeType;
  readonly name: string;
  config: BridgeConfig;
  resource: Resource;
}

export interface BridgesParts {
  core: Core;
  settings: SettingsStore;
  store: Store;
  outbound: OutboundPolicy;
  /** Told when a bridge loses its target, and with null when it has it again or is no more. */
  onTrouble: (id: string, reason: string | null) => void;
  /** Told of a bridge whose messages came back to it. */
  onLoop: (id: string) => void;
  inputs: () => RuleInputs;
}

/** Keeps the bridges: as the settings say, each with its resource. */
export class Bridges implements BridgeOutputs {
  private readonly parts: BridgesParts;
  private readonly bridges = new Map<string, LiveBridge>();
  /** Connectors that nobody uses at present: whether their target is there. */
  private readonly watches = new Map<string, { config: string; resource: Resource }>();
  private readonly stopListening: () => void;
  private endLocal: (() => void) | null = null;
  private endOwn: (() => void) | null = null;
  private readonly own = new OwnConnections((any) => this.listenToOwn(any));
  private closing = false;
  private work: Promise<void> = Promise.resolve();

  constructor(parts: BridgesParts) {
    const { settings } = parts;
    this.parts = parts;
    settings.guard('bridges', (section) => {
      for (const [key, entry] of Object.entries(section)) {
        const fault = faultInPart(section, key, entry);
        if (fault !== null) throw new SettingsFault([key, ...fault.path], fault.reason);
      }
      for (const [id, config] of bridgesIn(section)) {
        const fault = faultIn(id, config);
        if (fault !== null) throw new SettingsFault([id, ...fault.path], fault.reason);
      }
    });
    this.stopListening = settings.onChange('bridges', (section) => this.obey(section));
    this.obey(settings.get('bridges'));
  }

  async close(): Promise<void> {
    this.closing = true;
    this.stopListening();
    this.endLocal?.();
    this.endOwn?.();
    // First: an attempt to reach a target that does not answer may take as long as its timeout
    const resources = [...this.bridges.values(), ...this.watches.values()].map(({ resource }) => resource);
    await Promise.all(resources.map((resource) => resource.stop()));
    await this.work;
  }

  all(): LiveBridge[] {
    return [...this.bridges.values()];
  }

  find(id: string): LiveBridge | undefined {
    return this.bridges.get(id);
  }

  has(id: string): boolean {
    return this.bridges.has(id);
  }

  send(id: string, row: Row, trail: readonly string[]): 'queued' | 'stored' | 'unknown' | 'stopped' | 'loop' {
    if (this.own.endsLoop(id, trail)) {
      this.parts.onLoop(id);
      return 'loop';
    }
    return this.bridges.get(id)?.resource.send(row) ?? 'unknown';
  }

  /** In force, and on disk; its first attempt to reach the target is over. */
  async save(id: string, config: BridgeConfig): Promise<LiveBridge> {
    await this.change((section) => ({ ...section, [id]: config }));
    return this.bridges.get(id)!;
  }

  async remove(id: string): Promise<void> {
    await this.change(({ [id]: _, ...others }) => others);
  }

  get now(): number {
    return this.parts.core.clock.refresh();
  }

  get outbound(): OutboundPolicy {
    return this.parts.outbound;
  }

  /** As they are kept. */
  get section(): BridgesSettings {
    return this.parts.settings.get('bridges');
  }

  /** As `save`, of everything. */
  async change(make: (section: BridgesSettings) => BridgesSettings): Promise<void> {
    await this.parts.settings.change('bridges', make(this.section));
    await this.work;
  }

  /** What looks after a connector that nobody uses. */
  watch(type: BridgeType, name: string): Resource | undefined {
    return this.watches.get(`${type}:${name}`)?.resource;
  }

  /** Those that lead over a connector. */
  over(type: BridgeType, connector: string): LiveBridge[] {
    return this.all().filter(
      ({ id, type: own, name }) =>
        own === type && (partAt(this.section, id)?.connector ?? name) === connector,
    );
  }

  /** One after the other: a bridge that changes is closed before it opens again. */
  private obey(section: BridgesSettings): void {
    const tasks: (() => Promise<void>)[] = [];
    for (const [id, bridge] of this.bridges) {
      if (Object.hasOwn(section, id)) continue;
      this.bridges.delete(id);
      tasks.push(async () => {
        await bridge.resource.remove();
        this.parts.onTrouble(id, null);
      });
    }
    for (const [id, stored] of bridgesIn(section)) {
      const before = this.bridges.get(id);
      const [type, name] = partsOf(id)!;
      const config = z.parse(keptBridge(type), stored) as unknown as BridgeConfig;
      if (before && JSON.stringify(before.config) === JSON.stringify(config)) continue;
      const resource = this.makeResource(id, type, config);
      this.bridges.set(id, { id, type, name, config, resource });
      tasks.push(async () => {
        await before?.resource.stop();
        if (config.enable && !this.closing) await resource.start();
      });
    }
    this.listenToLocal();
    tasks.push(...this.watchConnectors(section));
    if (tasks.length === 0) return;
    const all = Promise.all(tasks.map((task) => task())).then(() => undefined);
    this.work = this.work.then(() => all);
  }

  private watchConnectors(section: BridgesSettings): (() => Promise<void>)[] {
    const tasks: (() => Promise<void>)[] = [];
    const wanted = new Map<string, [BridgeType, BridgeConfig]>();
    for (const [type, name, connector] of connectorsIn(section)) {
      const isUsed = this.over(type, name).some(({ config }) => config.enable);
      const config = connector.enable && !isUsed ? idle(type, name, connector) : null;
      if (config !== null)
        wanted.set(`${type}:${name}`, [type, z.parse(keptBridge(type), config) as unknown as BridgeConfig]);
    }
    for (const [id, { resource }] of this.watches) {
      if (wanted.has(id)) continue;
      this.watches.delete(id);
      tasks.push(() => resource.stop());
    }
    for (const [id, [type, config]] of wanted) {
      const before = this.watches.get(id);
      const text = JSON.stringify(config);
      if (before?.config === text) continue;
      const resource = this.watching(`connector:${id}`, type, config);
      this.watches.set(id, { config: text, resource });
      tasks.push(async () => {
        await before?.resource.stop();
        if (!this.closing) await resource.start();
      });
    }
    return tasks;
  }

  private watching(id: string, type: BridgeType, config: BridgeConfig): Resource {
    const { core, store } = this.parts;
    return new Resource({
      id,
      options: { ...optionsOf(config), disk: false },
      store,
      log: core.log,
      clock: core.clock,
      makeDriver: (on) => this.driver(id, type, config, { publish: () => undefined, ...on }),
    });
  }

  private driver(
    id: string,
    type: BridgeType,
    config: BridgeConfig,
    on: Pick<DriverContext, 'publish' | 'receive' | 'broken'>,
  ): Driver {
    const connecting = (socket: Socket) => this.own.add(id, socket);
    const { node, log } = this.parts.core;
    const { outbound } = this.parts;
    return (drivers[type] as DriverFactory<unknown>)(config, { id, node, log, outbound, connecting, ...on });
  }

  private makeResource(id: string, type: BridgeType, config: BridgeConfig): Resource {
    const { core, store, onTrouble } = this.parts;
    return new Resource({
      id,
      options: optionsOf(config),
      store,
      log: core.log,
      clock: core.clock,
      onStatus: (status, reason) => onTrouble(id, status === 'disconnected' ? reason : null),
      onReceive: (row) => this.onReceive(id, config, row),
      makeDriver: (on) =>
        this.driver(id, type, config, { publish: (message) => this.publish(id, message), ...on }),
    });
  }

  /** A driver of a configuration that is not saved, for a trial. */
  probe(type: BridgeType, config: BridgeConfig): Driver {
    const nothing = () => undefined;
    return this.driver(`${type}:probe`, type, config, {
      receive: nothing,
      publish: nothing,
      broken: nothing,
    });
  }

  // --- what comes from the other side

  private onReceive(id: string, config: BridgeConfig, row: Row): void {
    this.parts.inputs().fromBridge(`$bridges/${id}`, row);
    const local = (config as { ingress?: { local: LocalTemplates } }).ingress?.local;
    if (!local?.topic) return;
    const qos = Number(template(String(local.qos)).value(row));
    this.publish(id, {
      topic: template(local.topic).text(row),
      payload: local.payload ? template(local.payload).value(row) : row.payload,
      qos: qos === 1 || qos === 2 ? qos : 0,
      retain: String(template(String(local.retain)).value(row)) === 'true',
    });
  }

  private publish(
    id: string,
    { topic, payload, qos, retain = false }: Parameters<DriverContext['publish']>[0],
  ): void {
    try {
      const published = this.parts.core.publish({
        topic,
        payload: payload instanceof Uint8Array ? payload : textOf(payload),
        qos,
        retain,
        clientid: id,
        trail: [`bridge ${id}`],
      });
      if (published instanceof Promise) published.catch((err: unknown) => this.refused(id, err));
    } catch (err) {
      this.refused(id, err);
    }
  }

  private refused(id: string, err: unknown): void {
    this.parts.core.log.warn({ err, bridge: id }, 'what a bridge fetched could not be published');
  }

  // --- messages that go to a bridge without a rule

  private listenToLocal(): void {
    const wanted = this.all().some((bridge) => localTopic(bridge) !== undefined);
    if (!wanted) {
      this.endLocal?.();
      this.endLocal = null;
    } else
      this.endLocal ??= this.parts.core.hooks.on('message.publish', (message) => this.onPublish(message), {
        owner: OWNER,
        priority: BEFORE_THE_RETAINER,
      });
  }

  /** What a bridge has sent to this broker itself says so from then on. */
  private listenToOwn(wanted: boolean): void {
    if (!wanted || this.closing) {
      this.endOwn?.();
      this.endOwn = null;
    } else
      this.endOwn ??= this.parts.core.hooks.on(
        'message.publish',
        (message) => {
          if (this.own.has(message.publisher)) message.trail = [...message.trail, CAME_BACK];
          return undefined;
        },
        { owner: OWNER, priority: BEFORE_ALL },
      );
  }

  private onPublish(message: Message): undefined {
    if (message.system) return undefined;
    const { core } = this.parts;
    let row: Row | null = null;
    for (const bridge of this.bridges.values()) {
      const filter = localTopic(bridge);
      if (filter === undefined || !isValidFilter(filter) || !filterMatches(filter, message.topic)) continue;
      if (message.trail.includes(`bridge ${bridge.id}`)) continue; // it came from there
      if (this.own.endsLoop(bridge.id, message.trail)) {
        this.parts.onLoop(bridge.id);
        continue;
      }
      row ??= {
        ...rowOf({ node: core.node, now: () => core.clock.now }).publish(message),
        retain: message.retain,
      };
      if (bridge.resource.send(row) === 'stored') message.mustLast = true;
    }
    return undefined;
  }
}

interface LocalTemplates {
  topic?: string;
  qos: unknown;
  retain: unknown;
  payload?: string;
}

const localTopic = ({ config }: LiveBridge): string | undefined =>
  config.local_topic ?? (config as { egress?: { local?: { topic?: string } } }).egress?.local?.topic;

const isBridgeId = (id: string): boolean => {
  const at = id.indexOf(':');
  const name = id.slice(at + 1);
  return (
    at > 0 && isBridgeType(id.slice(0, at)) && BRIDGE_NAME.test(name) && name.length <= BRIDGE_NAME_LENGTH_MAX
  );
};

function faultIn(id: string, config: unknown): { path: PropertyKey[]; reason: string } | null {
  if (!isBridgeId(id)) return { path: [], reason: 'there is no bridge of such a type or name' };
  const result = z.safeParse(keptBridge(partsOf(id)![0]), config);
  const [issue] = result.error?.issues ?? [];
  return issue ? { path: [...issue.path], reason: issue.message } : null;
}

const ms = (value: string | number): number =>
  value === 'infinity' ? Number.POSITIVE_INFINITY : parseDuration(value)!;

/** Kafka's own words for its buffer. */
interface KafkaOptions {
  kafka?: { buffer?: { mode: 'memory' | 'disk' | 'hybrid'; per_partition_limit: string | number } };
}

/** And those of an MQTT bridge: how many messages wait for the other broker's word, and how long before it connects again. */
interface MqttOptions {
  max_inflight?: number;
  reconnect_interval?: string | number;
}

function optionsOf(config: BridgeConfig): ResourceOptions {
  const { resource_opts: options } = config;
  const { max_inflight = Number.POSITIVE_INFINITY, reconnect_interval } = config as MqttOptions;
  const buffer = (config as KafkaOptions).kafka?.buffer;
  const lanes = Math.max(1, options.worker_pool_size);
  return {
    lanes,
    window:
      options.query_mode === 'async'
        ? Math.max(1, Math.floor(Math.min(options.inflight_window, max_inflight) / lanes))
        : 1,
    batchSize: options.batch_size ?? 1,
    batchTimeMs: ms(options.batch_time ?? 0),
    maxBufferBytes: parseBytes(buffer?.per_partition_limit ?? options.max_buffer_bytes)!,
    requestTtlMs: ms(options.request_ttl),
    healthCheckMs: Math.max(HEALTH_CHECK_LEAST_MS, ms(options.health_check_interval)),
    autoRestartMs: ms(reconnect_interval ?? options.auto_restart_interval),
    startTimeoutMs: ms(options.start_timeout),
    disk: options.buffer_mode === 'disk' || (buffer !== undefined && buffer.mode !== 'memory'),
  };
}
