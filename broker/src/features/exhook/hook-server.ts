import { type Client, connectivityState, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import {
  EXHOOK_HOOKS,
  type ExhookHook,
  type ExhookMetrics,
  type ExhookServer,
  type ExhookStatus,
} from '@mqdeck/contract/exhooks';
import { parseDuration } from '@mqdeck/contract/kit/values';
import { filterMatches, isValidFilter } from '@mqdeck/mqtt/topics';
import { BackendConfigError } from '../../backends/backend.ts';
import type { OutboundPolicy } from '../../backends/outbound.ts';
import type { Core } from '../../core/core.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import { addressOf, callReason, openChannel } from '../../grpc/channel.ts';
import { HookMetrics } from './hook-metrics.ts';
import { hashOf, Outbox } from './outbox.ts';
import {
  type HookCall,
  type HookPackage,
  hookCall,
  type LoadedResponse,
  loaded,
  PACKAGES,
  pathOf,
  unloaded,
  type ValuedResponse,
} from './protocol.ts';

const FIRST_PAUSE_MS = 250;
const LOAD_MS = 10_000; // an operator waits for the first greeting
const UNLOAD_MS = 1000; // nobody waits longer for a server to hear that it is over
const ASKED_MAX = 10_000; // questions under way; more mean that the server does not keep up
const ANSWER_BYTES_MIN = 4 * 1024 * 1024;
const MESSAGE_HOOKS: ReadonlySet<string> = new Set([
  'message.publish',
  'message.delivered',
  'message.dropped',
  'message.acked',
]);

/** What a server that wants these hooks decides about. */
const DECISIONS: readonly ExhookHook[] = ['client.authenticate', 'client.authorize', 'message.publish'];

export interface ServerParts {
  core: Core;
  outbound: OutboundPolicy;
  /** What a server is told of the broker when it is reached. */
  introduction: () => { broker: object; meta: object };
  /** What it wanted when it was reached last, also before a restart; null = it was never reached. */
  lastWanted: Wanted | null;
  /** It says what it wants. */
  onHooks: (wanted: Wanted) => void;
  /** Why it is away; null = it is there, or shall not be. */
  onTrouble: (reason: string | null) => void;
}

/** The filters a server wants; none = every topic. */
export type Wanted = ReadonlyMap<ExhookHook, readonly string[]>;
const NONE: Wanted = new Map();

/** What a server may want that was never reached: whatever it decides about. */
const ANY_DECISION: Wanted = new Map(DECISIONS.map((hook) => [hook, []]));

/** It answered, but not as the broker needs it. */
class NoProvider extends Error {}

/**
 * One exhook server: keeps its connections, what it has asked for, and what became of the calls. It comes back by itself;
 * what it has asked for stays meanwhile, also across restarts, so that `failed_action` holds.
 */
export class HookServer {
  readonly config: ExhookServer;
  readonly metrics = new HookMetrics();
  private readonly parts: ServerParts;
  private readonly byHook = new Map<ExhookHook, HookMetrics>();
  private readonly outbox = new Outbox();
  private wanted: Wanted | null; // null = it was never reached
  private pool: Client[] | null = null; // only while it is connected
  private pack: HookPackage = PACKAGES[0];
  private state: { status: ExhookStatus; reason: string | null };
  private turn = 0; // what an older one began is over
  private pauseMs = FIRST_PAUSE_MS;
  private timer: Timer | null = null;
  private asked = 0;

  constructor(config: ExhookServer, parts: ServerParts) {
    this.config = config;
    this.parts = parts;
    this.wanted = parts.lastWanted;
    this.state = { status: config.enable ? 'connecting' : 'disabled', reason: null };
  }

  get status(): ExhookStatus {
    return this.state.status;
  }

  /** Why it is not connected, where that is known. */
  get reason(): string | null {
    return this.state.reason;
  }

  /** What it has asked for, as far as that is known. */
  get wantedHooks(): Wanted {
    return this.config.enable && this.wanted !== null ? this.wanted : NONE;
  }

  /** What it is asked and told: with `failed_action: deny` nothing passes a server that may want to decide about it. */
  get hooks(): Wanted {
    const { enable, failed_action } = this.config;
    return enable && this.wanted === null && failed_action === 'deny' ? ANY_DECISION : this.wantedHooks;
  }

  /** What nobody gets through while it is away. */
  get refused(): readonly ExhookHook[] {
    if (this.config.failed_action !== 'deny' || this.status === 'connected') return [];
    return DECISIONS.filter((hook) => this.hooks.has(hook));
  }

  metricsOf(hook: ExhookHook): ExhookMetrics {
    return this.counted(hook).values;
  }

  wantsTopic(hook: ExhookHook, topic: string): boolean {
    const filters = this.hooks.get(hook);
    if (filters === undefined) return false;
    return filters.length === 0 || filters.some((filter) => filterMatches(filter, topic));
  }

  /** Settles after the first attempt, whatever became of it. */
  async start(): Promise<void> {
    if (this.config.enable) await this.attempt();
    else this.parts.onTrouble(null);
  }

  /** It hears that it is over, if it can. */
  async stop(): Promise<void> {
    this.turn++;
    this.timer?.cancel();
    this.outbox.clear();
    const { pool } = this;
    this.pool = null;
    this.parts.onTrouble(null);
    if (pool === null) return;
    const { meta } = this.parts.introduction();
    await this.call(pool[0]!, this.pack, unloaded, unloaded.encode({ meta }), this.unloadMs).catch(
      () => undefined,
    );
    close(pool);
  }

  /** Null: no answer, for whatever reason; then `failed_action` says what happens. */
  async ask(hook: ExhookHook, key: string, request: object): Promise<ValuedResponse | null> {
    const metrics = this.counted(hook);
    const client = this.asked < ASKED_MAX ? this.pick(key) : null;
    if (client === null) {
      this.count(metrics, 'hasFailed');
      return null;
    }
    const call = hookCall(hook);
    this.asked++;
    try {
      const answer = await this.call(client, this.pack, call, call.encode(request), this.timeoutMs);
      this.count(metrics, 'succeeded');
      return answer as ValuedResponse;
    } catch (cause) {
      this.count(metrics, 'hasFailed');
      this.logFailure(hook, cause);
      return null;
    } finally {
      this.asked--;
    }
  }

  /** What it answered cannot be obeyed. */
  unusable(hook: ExhookHook, why: string): void {
    this.parts.core.log.warn(
      { exhook: this.config.name, hook, reason: why },
      'an exhook server answered nonsense',
    );
  }

  /** What `tell` sends: the same bytes for every server. */
  encode(hook: ExhookHook, request: object): Buffer {
    return hookCall(hook).encode(request);
  }

  /** It hears of something, later and in the order of the key. */
  tell(hook: ExhookHook, key: string, bytes: Buffer): void {
    const metrics = this.counted(hook);
    const onDrop = () => this.count(metrics, 'wasDropped');
    if (this.pool === null) onDrop();
    else this.outbox.push(key, { bytes, onDrop, send: () => this.sendTelling(hook, key, bytes, metrics) });
  }

  private async sendTelling(
    hook: ExhookHook,
    key: string,
    bytes: Buffer,
    metrics: HookMetrics,
  ): Promise<void> {
    const client = this.pick(key);
    if (client === null) {
      this.count(metrics, 'wasDropped');
      return;
    }
    try {
      await this.call(client, this.pack, hookCall(hook), bytes, this.timeoutMs);
      this.count(metrics, 'succeeded');
    } catch (cause) {
      this.count(metrics, 'hasFailed');
      this.logFailure(hook, cause);
    }
  }

  private get timeoutMs(): number {
    return parseDuration(this.config.request_timeout)!;
  }

  private get unloadMs(): number {
    return Math.min(UNLOAD_MS, this.timeoutMs);
  }

  private counted(hook: ExhookHook): HookMetrics {
    let metrics = this.byHook.get(hook);
    if (metrics === undefined) {
      metrics = new HookMetrics();
      this.byHook.set(hook, metrics);
    }
    return metrics;
  }

  private count(metrics: HookMetrics, what: 'succeeded' | 'hasFailed' | 'wasDropped'): void {
    metrics[what]();
    this.metrics[what]();
  }

  private logFailure(hook: ExhookHook, cause: unknown): void {
    const reason = callReason(cause as ServiceError, addressOf(this.config.url));
    this.parts.core.log.debug({ exhook: this.config.name, hook, reason }, 'an exhook server did not answer');
  }

  // --- the connection

  private async attempt(): Promise<void> {
    const turn = ++this.turn;
    let pool: Client[] = [];
    try {
      pool = this.openPool();
      const { hooks, pack } = await this.load(pool[0]!);
      if (turn !== this.turn) close(pool);
      else this.connected(pool, hooks, pack);
    } catch (cause) {
      close(pool);
      if (turn === this.turn) this.failed(cause);
    }
  }

  private openPool(): Client[] {
    const { url, ssl, pool_size } = this.config;
    const { outbound } = this.parts;
    const receiveBytesMax = Math.max(ANSWER_BYTES_MIN, this.parts.core.settings.maxPacketBytes + 65_536);
    return Array.from({ length: pool_size }, () => openChannel({ url, ssl, outbound, receiveBytesMax }));
  }

  /** Says who the broker is, in the newest package that the server knows, and hears what it wants. */
  private async load(client: Client): Promise<{ hooks: Wanted; pack: HookPackage }> {
    const bytes = loaded.encode(this.parts.introduction());
    const timeoutMs = Math.min(LOAD_MS, this.timeoutMs);
    for (const pack of PACKAGES) {
      try {
        const { hooks } = (await this.call(client, pack, loaded, bytes, timeoutMs)) as LoadedResponse;
        return { hooks: this.wantedOf(hooks), pack };
      } catch (cause) {
        if ((cause as ServiceError).code !== status.UNIMPLEMENTED) throw cause;
      }
    }
    throw new NoProvider(`${addressOf(this.config.url)} has no HookProvider of ${PACKAGES.join(' or ')}`);
  }

  private wantedOf(hooks: LoadedResponse['hooks']): Wanted {
    const wanted = new Map<ExhookHook, readonly string[]>();
    for (const { name, topics } of hooks) {
      const hook = EXHOOK_HOOKS.find((one) => one === name);
      if (hook === undefined) {
        const { log } = this.parts.core;
        log.warn(
          { exhook: this.config.name, hook: name.slice(0, 64) },
          'an exhook server wants a hook that there is not',
        );
        continue;
      }
      const wrong = topics.find((filter) => !isValidFilter(filter));
      if (wrong !== undefined)
        throw new NoProvider(`it wants ${hook} of "${wrong.slice(0, 64)}", which is no filter`);
      wanted.set(hook, MESSAGE_HOOKS.has(hook) ? topics : []);
    }
    return wanted;
  }

  private connected(pool: Client[], hooks: Wanted, pack: HookPackage): void {
    const { log } = this.parts.core;
    this.pool = pool;
    this.pack = pack;
    this.wanted = hooks;
    this.state = { status: 'connected', reason: null };
    this.pauseMs = FIRST_PAUSE_MS;
    for (const client of pool) client.getChannel().getConnectivityState(true);
    log.info({ exhook: this.config.name, package: pack, hooks: hooks.size }, 'an exhook server is connected');
    this.parts.onTrouble(null);
    this.parts.onHooks(hooks);
    this.watch(pool[0]!);
  }

  private failed(cause: unknown): void {
    const { name, url, auto_reconnect } = this.config;
    const isFault = cause instanceof BackendConfigError || cause instanceof NoProvider;
    const reason = isFault ? cause.message : callReason(cause as ServiceError, addressOf(url));
    const waiting = auto_reconnect === false ? 'disconnected' : 'connecting';
    if (reason !== this.state.reason)
      this.parts.core.log.warn({ exhook: name, reason }, 'an exhook server cannot be reached');
    this.state = { status: isFault ? 'error' : waiting, reason };
    this.parts.onTrouble(reason);
    this.tryLater();
  }

  private tryLater(): void {
    const { auto_reconnect } = this.config;
    if (auto_reconnect === false) return;
    const mostMs = parseDuration(auto_reconnect)!;
    this.timer = this.parts.core.timers.after(Math.min(this.pauseMs, mostMs), () => void this.attempt());
    this.pauseMs *= 2;
  }

  /** The first connection stands for all of them: they end with the server. */
  private watch(client: Client): void {
    const channel = client.getChannel();
    const before = channel.getConnectivityState(false);
    channel.watchConnectivityState(before, Number.POSITIVE_INFINITY, () => {
      if (this.pool?.[0] !== client) return;
      const now = channel.getConnectivityState(true); // a server that ends idle connections is there all the same
      if (now === connectivityState.TRANSIENT_FAILURE) this.lost();
      else if (now === connectivityState.READY) void this.introduceAgain(client);
      else this.watch(client);
    });
  }

  private lost(): void {
    const { pool } = this;
    this.pool = null;
    this.turn++;
    this.outbox.clear();
    if (pool !== null) close(pool);
    const reason = `${addressOf(this.config.url)} ended the connection`;
    this.state = { status: this.config.auto_reconnect === false ? 'disconnected' : 'connecting', reason };
    this.parts.core.log.warn({ exhook: this.config.name, reason }, 'an exhook server is lost');
    this.parts.onTrouble(reason);
    this.tryLater();
  }

  /** Who answers now may be another process, which wants other hooks. */
  private async introduceAgain(client: Client): Promise<void> {
    const { turn } = this;
    try {
      const { hooks, pack } = await this.load(client);
      if (turn === this.turn && this.pool !== null) this.connected(this.pool, hooks, pack);
    } catch {
      if (turn === this.turn && this.pool !== null) this.lost();
    }
  }

  /** The same connection for the same key, as long as it is there. */
  private pick(key: string): Client | null {
    const { pool } = this;
    if (pool === null) return null;
    const client = pool[hashOf(key) % pool.length]!;
    return client.getChannel().getConnectivityState(true) === connectivityState.READY ? client : pool[0]!;
  }

  private call(
    client: Client,
    pack: HookPackage,
    call: HookCall,
    bytes: Buffer,
    timeoutMs: number,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        pathOf(pack, call),
        asItIs,
        call.decode,
        bytes,
        new Metadata(),
        { deadline: Date.now() + timeoutMs },
        (error, answer) => (error ? reject(error) : resolve(answer)),
      );
    });
  }
}

const asItIs = (bytes: Buffer): Buffer => bytes;

function close(pool: readonly Client[]): void {
  for (const client of pool) client.close();
}
