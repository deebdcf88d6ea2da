import { isDeepStrictEqual } from 'node:util';
import type { ExhookHook, ExhookServer, ExhookSettings } from '@mqdeck/contract/exhooks';
import type { ConnectPacket, QoS } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import { BackendConfigError } from '../../backends/backend.ts';
import type { OutboundPolicy } from '../../backends/outbound.ts';
import { tlsOptions } from '../../backends/tls.ts';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import type {
  AccessRequest,
  AccessResult,
  AuthenticateResult,
  ClientInfo,
  HookName,
  HookTypes,
  PublishResult,
} from '../../core/hooks.ts';
import type { Message, MessageChange } from '../../core/message.ts';
import type { Collection, Store } from '../../core/store/store.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';
import { Facts, optionsOf, propertiesOf, resultCode } from './facts.ts';
import type { HookServer, Wanted } from './hook-server.ts';
import type { HookMessage } from './protocol.ts';

const OWNER = 'exhook';
/** When no authenticator is enabled, and when no rule of a source fits. */
const AFTER_THE_OWN = -50;
/** After what takes a message away or gives it another topic; before the rules, the bridges and the retainer. */
const BEFORE_THE_RULES = 80;
const PRODUCT = 'mqdeck'; // and the name of the cluster
const SYSTEM_TOPICS = '$SYS/';

export interface ExhookParts {
  core: Core;
  store: Store;
  settings: SettingsStore;
  outbound: OutboundPolicy;
  version: string;
  /** Why a server is away, and what is refused meanwhile; null = it is there, or shall not be. */
  onTrouble: (name: string, reason: string | null, refused: readonly string[]) => void;
}

/** What a server wanted when it was reached last: by its name, of this address. */
interface StoredHooks {
  url: string;
  hooks: [hook: ExhookHook, topics: readonly string[]][];
}

type Join = () => (() => void)[];

/**
 * Asks servers of others about clients and messages, in their order, and tells them what happens. Which servers there are
 * stands in the settings; changed through `change`, and by whoever changes the settings. Only hooks that a server has
 * asked for are joined.
 */
export class Exhooks {
  private readonly parts: ExhookParts;
  private readonly facts: Facts;
  /** Who asks: with every call. */
  private readonly meta: object;
  private all: HookServer[] = [];
  private readonly asking = new Map<ExhookHook, readonly HookServer[]>();
  private readonly joined = new Map<ExhookHook, (() => void)[]>();
  private readonly joins: Record<ExhookHook, Join>;
  private endWatch: (() => void)[] = [];
  private changing: Promise<unknown> = Promise.resolve();
  private readonly leave: () => void;
  private readonly lastWanted: Collection<StoredHooks>;
  private closed = false;

  constructor(parts: ExhookParts) {
    this.parts = parts;
    const { core, store, version } = parts;
    this.lastWanted = store.collection<StoredHooks>('exhook_hooks');
    this.facts = new Facts(core);
    this.meta = { node: core.node, version, sysdescr: PRODUCT, cluster_name: PRODUCT };
    this.joins = this.allJoins();
    const { outbound, settings } = parts;
    settings.guard('exhook', (values, before) => check(values, before, outbound));
    this.leave = settings.onChange('exhook', (values) => void this.follow(values));
  }

  /** Begins with the servers of the settings; does not wait until they answer. */
  async open(): Promise<void> {
    await this.take(this.parts.settings.get('exhook'));
  }

  get servers(): readonly HookServer[] {
    return this.all;
  }

  find(name: string): HookServer | undefined {
    return this.all.find(({ config }) => config.name === name);
  }

  /** Who is asked before a message of this topic is published, and whether each refuses it because it is away. */
  concerned(topic: string): { name: string; refuses: boolean }[] {
    if (topic.startsWith(SYSTEM_TOPICS)) return [];
    return this.all
      .filter((server) => server.wantsTopic('message.publish', topic))
      .map(({ config, status }) => ({
        name: config.name,
        refuses: status !== 'connected' && config.failed_action === 'deny',
      }));
  }

  /**
   * One change after the other, each from what the one before left. Settles when it is on disk and new servers have been
   * tried for the first time.
   */
  change(make: (servers: readonly ExhookServer[]) => ExhookServer[]): Promise<void> {
    const changed = this.changing.then(async () => {
      const { settings } = this.parts;
      const values = { servers: make(settings.get('exhook').servers) };
      settings.check('exhook', values);
      const begun = this.follow(values);
      await settings.change('exhook', values);
      await begun;
    });
    this.changing = changed.catch(() => undefined);
    return changed;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.leave();
    const servers = this.all.splice(0);
    this.join();
    await Promise.all(servers.map((server) => server.stop()));
  }

  private async follow(settings: ExhookSettings): Promise<void> {
    await (await this.take(settings)).done;
  }

  /** Who stays as it was keeps its connections and figures. `done`: new servers have been tried for the first time. */
  private async take({ servers }: ExhookSettings): Promise<{ done: Promise<unknown> }> {
    // gRPC is loaded with the first server
    const library = servers.length > 0 ? await import('./hook-server.ts') : null;
    if (this.closed) return { done: Promise.resolve() };
    const before = this.all;
    const begun: HookServer[] = [];
    this.all = servers.map((config) => {
      const same = before.find((server) => isDeepStrictEqual(server.config, config));
      if (same) return same;
      const server = this.newServer(library!, config);
      begun.push(server);
      return server;
    });
    const gone = before.filter((server) => !this.all.includes(server));
    this.forgetWanted();
    this.join();
    const tasks = [...gone.map((server) => server.stop()), ...begun.map((server) => server.start())];
    return { done: Promise.all(tasks) };
  }

  private newServer({ HookServer }: typeof import('./hook-server.ts'), config: ExhookServer): HookServer {
    const { core, outbound, onTrouble } = this.parts;
    const server: HookServer = new HookServer(config, {
      core,
      outbound,
      introduction: () => this.introduction(),
      lastWanted: this.lastWantedOf(config),
      onHooks: (wanted) => {
        if (this.find(config.name) === server) this.rememberWanted(config, wanted);
        this.join();
      },
      onTrouble: (reason) => {
        // Another one may have its name by now
        if (reason !== null || this.find(config.name) === server || !this.find(config.name))
          onTrouble(config.name, reason, server.refused);
      },
    });
    return server;
  }

  private lastWantedOf({ name, url }: ExhookServer): Wanted | null {
    const stored = this.lastWanted.get(name);
    return stored?.url === url ? new Map(stored.hooks) : null;
  }

  private rememberWanted({ name, url }: ExhookServer, wanted: Wanted): void {
    const now: StoredHooks = { url, hooks: [...wanted] };
    if (!isDeepStrictEqual(this.lastWanted.get(name), now)) this.lastWanted.put(name, now);
  }

  private forgetWanted(): void {
    for (const { key } of [...this.lastWanted.range()])
      if (!this.find(String(key))) this.lastWanted.remove(key);
  }

  private introduction() {
    const { core, version } = this.parts;
    const now = core.clock.now;
    return {
      broker: { version, sysdescr: PRODUCT, uptime: now - core.startedAt, datetime: rfc3339(now) },
      meta: this.meta,
    };
  }

  // --- joining

  /** Joins the hooks that a server wants, and leaves those that nobody wants any more. */
  private join(): void {
    const authorizers = this.asking.get('client.authorize');
    for (const hook of Object.keys(this.joins) as ExhookHook[]) {
      const servers = this.all.filter((server) => server.hooks.has(hook));
      const ends = this.joined.get(hook);
      if (servers.length > 0) {
        this.asking.set(hook, servers);
        if (ends === undefined) this.joined.set(hook, this.joins[hook]());
        continue;
      }
      this.asking.delete(hook);
      this.joined.delete(hook);
      for (const end of ends ?? []) end();
    }
    this.watchClients(this.asking.size > 0);
    if (!isDeepStrictEqual(namesOf(authorizers), namesOf(this.asking.get('client.authorize'))))
      this.parts.core.forgetAccess();
  }

  /** What hooks do not say of clients later. */
  private watchClients(wanted: boolean): void {
    if (wanted === this.endWatch.length > 0) return;
    for (const end of this.endWatch.splice(0)) end();
    if (!wanted) return;
    const { hooks } = this.parts.core;
    this.endWatch = [
      hooks.on('client.connect', (who, packet) => this.facts.came(who, packet), {
        owner: OWNER,
        priority: 1,
      }),
      hooks.on(
        'client.authenticate_complete',
        (who, reasonCode, anonymous) => {
          if (reasonCode === ReasonCode.Success && !anonymous) this.facts.isKnown(who);
        },
        { owner: OWNER },
      ),
    ];
  }

  private allJoins(): Record<ExhookHook, Join> {
    const { hooks } = this.parts.core;
    const { facts } = this;
    const on = <N extends HookName>(name: N, run: HookTypes[N], priority = 0) =>
      hooks.on(name, run, { owner: OWNER, priority });
    const ofClient = (
      hook: ExhookHook &
        ('client.connected' | `session.${'created' | 'resumed' | 'takenover' | 'discarded'}`),
    ): Join => {
      return () => [
        on(hook, (client: Client) =>
          this.tell(hook, client.clientid, () => ({ clientinfo: facts.client(client.who) })),
        ),
      ];
    };
    const filters = (requests: readonly { filter: string }[]) =>
      requests.map(({ filter, ...options }) => ({ name: filter, subopts: optionsOf(options) }));
    const ofFilters = (hook: 'client.subscribe' | 'client.unsubscribe'): Join => {
      return () => [
        on(hook, (who, requests, properties) =>
          this.tell(hook, who.clientid, () => ({
            clientinfo: facts.client(who),
            topic_filters: filters(requests),
            ...propertiesOf(properties),
          })),
        ),
      ];
    };
    return {
      'client.connect': () => [
        on('client.connect', (who, { properties }) =>
          this.tell('client.connect', who.clientid, () => ({
            conninfo: facts.connection(who),
            ...propertiesOf(properties),
          })),
        ),
      ],
      'client.connack': () => [
        on('client.connack', (who, reasonCode, _, properties) =>
          this.tell('client.connack', who.clientid, () => ({
            conninfo: facts.connection(who),
            result_code: resultCode(reasonCode),
            ...propertiesOf(properties),
          })),
        ),
      ],
      'client.connected': ofClient('client.connected'),
      'client.disconnected': () => [
        on('client.disconnected', ({ clientid, who }, reason) =>
          this.tell('client.disconnected', clientid, () => ({ clientinfo: facts.client(who), reason })),
        ),
      ],
      'client.authenticate': () => [
        on('client.authenticate', (who, packet) => this.authenticate(who, packet), AFTER_THE_OWN),
      ],
      'client.authorize': () => [
        on('client.authorize', (who, request) => this.authorize(who, request), AFTER_THE_OWN),
      ],
      'client.subscribe': ofFilters('client.subscribe'),
      'client.unsubscribe': ofFilters('client.unsubscribe'),
      'session.created': ofClient('session.created'),
      'session.subscribed': () => [
        on('session.subscribed', ({ clientid, who }, topic, options) =>
          this.tell('session.subscribed', clientid, () => ({
            clientinfo: facts.client(who),
            topic,
            subopts: optionsOf(options),
          })),
        ),
      ],
      'session.unsubscribed': () => [
        on('session.unsubscribed', ({ clientid, who }, topic) =>
          this.tell('session.unsubscribed', clientid, () => ({ clientinfo: facts.client(who), topic })),
        ),
      ],
      'session.resumed': ofClient('session.resumed'),
      'session.discarded': ofClient('session.discarded'),
      'session.takenover': ofClient('session.takenover'),
      'session.terminated': () => {
        const reasons = new WeakMap<Client, string>();
        return [
          on('client.disconnected', (client, reason) => void reasons.set(client, reason)),
          on('session.terminated', (client) =>
            this.tell('session.terminated', client.clientid, () => ({
              clientinfo: facts.client(client.who),
              reason: reasons.get(client) ?? '',
            })),
          ),
        ];
      },
      'message.publish': () => [on('message.publish', (message) => this.publish(message), BEFORE_THE_RULES)],
      'message.delivered': () => [
        on('message.delivered', (client, message) =>
          this.tellOfMessage('message.delivered', client.clientid, message, () => ({
            clientinfo: facts.client(client.who),
            message: facts.message(message),
          })),
        ),
      ],
      'message.acked': () => [
        on('message.acked', (client, message) =>
          this.tellOfMessage('message.acked', client.clientid, message, () => ({
            clientinfo: facts.client(client.who),
            message: facts.message(message),
          })),
        ),
      ],
      'message.dropped': () => [
        on('message.dropped', (_, message, reason) =>
          this.tellOfMessage('message.dropped', message.from, message, () => ({
            message: facts.message(message),
            reason,
          })),
        ),
      ],
    };
  }

  // --- telling

  /** The request is written once, whoever hears of it. */
  private tell(hook: ExhookHook, key: string, request: () => object): void {
    this.tellServers(hook, this.asking.get(hook) ?? [], key, request);
  }

  private tellOfMessage(hook: ExhookHook, key: string, message: Message, request: () => object): void {
    if (isOfSystem(message)) return;
    const servers = (this.asking.get(hook) ?? []).filter((server) => server.wantsTopic(hook, message.topic));
    this.tellServers(hook, servers, key, request);
  }

  private tellServers(
    hook: ExhookHook,
    servers: readonly HookServer[],
    key: string,
    request: () => object,
  ): void {
    const [first] = servers;
    if (first === undefined) return;
    const bytes = first.encode(hook, { ...request(), meta: this.meta });
    for (const server of servers) server.tell(hook, key, bytes);
  }

  // --- asking

  private async authenticate(who: ClientInfo, packet: ConnectPacket): Promise<AuthenticateResult> {
    const password = packet.password === null ? '' : Buffer.from(packet.password).toString();
    const verdict = await this.decide('client.authenticate', who.clientid, false, (result) => ({
      clientinfo: this.facts.client(who, password),
      result,
      meta: this.meta,
    }));
    if (verdict === null) return undefined;
    const { result, why } = verdict;
    return result ? { allow: true } : { allow: false, reasonCode: ReasonCode.NotAuthorized, why };
  }

  private async authorize(who: ClientInfo, { action, topic }: AccessRequest): Promise<AccessResult> {
    const usual = this.parts.core.settings.authorizationNoMatch === 'allow';
    const verdict = await this.decide('client.authorize', who.clientid, usual, (result) => ({
      clientinfo: this.facts.client(who),
      type: action === 'publish' ? 'PUBLISH' : 'SUBSCRIBE',
      topic,
      result,
      meta: this.meta,
    }));
    if (verdict === null) return undefined;
    return {
      access: verdict.result ? 'allow' : 'deny',
      matched: true,
      keepMs: verdict.answered ? Number.POSITIVE_INFINITY : 0,
      source: OWNER,
    };
  }

  /** Null: nobody has an opinion. */
  private async decide(
    hook: 'client.authenticate' | 'client.authorize',
    key: string,
    usual: boolean,
    request: (result: boolean) => object,
  ): Promise<{ result: boolean; answered: boolean; why: string } | null> {
    let verdict: { result: boolean; answered: boolean; why: string } | null = null;
    for (const server of this.asking.get(hook) ?? []) {
      const { name, failed_action } = server.config;
      const answer = await server.ask(hook, key, request(verdict?.result ?? usual));
      if (answer === null && failed_action === 'deny')
        return { result: false, answered: false, why: `the exhook server ${name} does not answer` };
      if (answer === null || answer.type === 'IGNORE') continue;
      if (answer.value !== 'bool_result') {
        server.unusable(hook, 'there is no bool_result in it');
        continue;
      }
      verdict = {
        result: answer.bool_result === true,
        answered: true,
        why: `the exhook server ${name} says so`,
      };
      if (answer.type === 'STOP_AND_RETURN') break;
    }
    return verdict;
  }

  private publish(message: Message): undefined | Promise<PublishResult> {
    if (isOfSystem(message)) return undefined;
    const { topic } = message;
    const servers = (this.asking.get('message.publish') ?? []).filter((server) =>
      server.wantsTopic('message.publish', topic),
    );
    return servers.length === 0 ? undefined : this.askOfMessage(servers, message);
  }

  private async askOfMessage(servers: readonly HookServer[], message: Message): Promise<PublishResult> {
    const properties = propertiesOf(message.properties);
    let told = this.facts.message(message);
    for (const server of servers) {
      const { name, failed_action } = server.config;
      const request = { message: told, meta: this.meta, ...properties };
      const answer = await server.ask('message.publish', message.from || message.topic, request);
      if (answer === null && failed_action === 'deny')
        return {
          reasonCode: ReasonCode.ImplementationSpecificError,
          reason: `the exhook server ${name} does not answer`,
        };
      if (answer === null || answer.type === 'IGNORE') continue;
      const fault = faultOf(answer.message);
      if (fault !== null) {
        server.unusable('message.publish', fault);
        continue;
      }
      const { headers, qos, payload, topic } = answer.message!;
      told = { ...told, qos, payload, topic, headers: { ...told.headers, ...headers } };
      if (answer.type === 'STOP_AND_RETURN') break;
    }
    if (told.headers.allow_publish === 'false')
      return { reasonCode: ReasonCode.NoMatchingSubscribers, reason: 'an exhook server keeps it' };
    const change = changeOf(message, told);
    if (change !== null) message.change(change);
    return undefined;
  }
}

const namesOf = (servers: readonly HookServer[] = []): string[] => servers.map(({ config }) => config.name);

const isOfSystem = (message: Message): boolean => message.system || message.topic.startsWith(SYSTEM_TOPICS);

/** Why an answer about a message cannot be obeyed, or null. */
function faultOf(message: HookMessage | undefined): string | null {
  if (message === undefined) return 'there is no message in it';
  if (!isValidTopic(message.topic)) return 'nothing can be published to its topic';
  return message.qos > 2 ? 'its QoS is none' : null;
}

/** Null: it stays as it came, with the bytes of its publisher. */
function changeOf(message: Message, told: HookMessage): MessageChange | null {
  const change: MessageChange = {
    ...(told.topic !== message.topic && { topic: told.topic }),
    ...(told.qos !== message.qos && { qos: told.qos as QoS }),
    ...(Buffer.compare(told.payload, message.payload) !== 0 && { payload: told.payload }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

/** Whether the servers could be; what is there already may stay, also where it cannot work any more. */
function check(
  { servers }: ExhookSettings,
  { servers: before }: ExhookSettings,
  outbound: OutboundPolicy,
): void {
  for (const [i, config] of servers.entries()) {
    if (servers.findIndex(({ name }) => name === config.name) < i)
      throw new SettingsFault(['servers', i, 'name'], `there are two servers of the name ${config.name}`);
    if (before.some((one) => isDeepStrictEqual(one, config))) continue;
    try {
      outbound.checkConfig(config, before);
      tlsOptions({ ...config.ssl, enable: config.ssl.enable || config.url.startsWith('https:') });
    } catch (error) {
      if (!(error instanceof BackendConfigError)) throw error;
      throw new SettingsFault(['servers', i, ...error.path.split('.')], error.message);
    }
  }
}
