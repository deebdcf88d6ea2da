import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  PLUGIN_EXTENSION,
  type PluginHook,
  type PluginMetrics,
  type PluginsSettings,
  pluginConfig,
  pluginName,
} from '@mqdeck/contract/plugins';
import * as z from 'zod/mini';
import type { Core } from '../../core/core.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { readRequest } from './answers.ts';
import { misfit } from './compatibility.ts';
import { type Joined, joinHooks } from './join.ts';
import {
  type Installed,
  installedIn,
  PackageFault,
  packageOf,
  readmeOf,
  removeInstalled,
  unpack,
} from './package.ts';
import { PluginCounters } from './plugin-metrics.ts';
import { NoAnswer, PLUGIN_LIMITS, type PluginLimits, PluginThread } from './plugin-thread.ts';
import type { HookName, Trail } from './protocol.ts';
import { reasonOf } from './text-of.ts';

export interface PluginsParts {
  core: Core;
  settings: SettingsStore;
  /** Null = a folder that goes with the broker. */
  folder: string | null;
  /** Of a plugin that ended by itself, with why; null = it runs again, or need not. */
  onTrouble: (id: string, reason: string | null) => void;
  limits?: PluginLimits;
  /** Of the broker: a plugin says with which it runs. */
  version: string;
}

export type PluginState = { running: boolean; trouble: string | null };
type Kept = PluginsSettings['states'][number];

/** After each of its ends it is started again, later each time; then never. */
const RESTART_AFTER_MS = [1000, 5000, 30_000];
/** Whoever ran so long begins anew. */
const STEADY_MS = 5 * 60_000;

/** So long a single answer that failed is told of. */
const TOLD_MS = 60_000;

/** There is such a plugin already. */
export class AlreadyInstalled extends Error {}

/**
 * Keeps what is installed, and runs what shall run, each plugin in its own thread. Order, state and configuration are
 * settings; whoever changes those changes the plugins.
 */
export class Plugins {
  private readonly parts: PluginsParts;
  /** Null = none yet: a broker without a data folder makes one when a plugin is installed. */
  private made: string | null;
  private readonly limits: PluginLimits;
  private readonly all = new Map<string, Running>(); // by id
  private leave: () => void = () => undefined;
  private off: (() => void)[] = [];
  private working: Promise<unknown> = Promise.resolve();
  /** Packages of a backup that is being restored, by id. */
  private readonly coming = new Map<string, Buffer>();

  constructor(parts: PluginsParts) {
    this.parts = parts;
    this.limits = parts.limits ?? PLUGIN_LIMITS;
    this.made = parts.folder;
  }

  private get folder(): string {
    this.made ??= mkdtempSync(path.join(tmpdir(), 'mqdeck-plugins-'));
    return this.made;
  }

  /** Reads what is installed and starts what shall run; settles when each runs, or will not. */
  async open(): Promise<void> {
    const { core, settings } = this.parts;
    if (this.made !== null) {
      const found = await installedIn(this.made, (plugin, reason) =>
        core.log.error({ plugin, reason }, 'an installed plugin cannot be read'),
      );
      for (const one of found) if (!this.all.has(one.id)) this.add(one);
    }
    this.off = [settings.onChange('plugins', () => this.obey())];
    this.obey();
    await this.settled();
  }

  async close(): Promise<void> {
    for (const end of this.off.splice(0)) end();
    this.leave();
    await Promise.all([...this.all.values()].map((one) => one.close()));
    if (this.parts.folder === null && this.made !== null) rmSync(this.made, { recursive: true, force: true });
  }

  /** In their order. */
  list(): Running[] {
    const order = this.states.map(({ name_vsn }) => name_vsn);
    const place = ({ id }: Running) => (order.includes(id) ? order.indexOf(id) : order.length);
    return [...this.all.values()].sort((a, b) => place(a) - place(b) || (a.id < b.id ? -1 : 1));
  }

  find(id: string): Running | undefined {
    return this.all.get(id);
  }

  /** Throws PackageFault or AlreadyInstalled. `replace`: another version goes, and leaves its place and settings. */
  install(filename: string, content: AsyncIterable<Buffer>, replace: boolean): Promise<void> {
    return this.inTurn(async () => {
      const id = filename.replace(/\.tar\.gz$/, '');
      if (this.all.has(id)) throw new AlreadyInstalled(`${id} is installed already`);
      const other = this.list().find((one) => pluginName(one.id) === pluginName(id));
      if (other && !replace)
        throw new AlreadyInstalled(`${other.id} is installed; uninstall it first, or replace it`);
      const installed = await unpack(this.folder, filename, content, ({ compatibility }) =>
        misfit(compatibility, this.parts.version),
      );
      const before = other && this.stateOf(other.id);
      this.add(installed);
      const config = before && this.checked(installed.id, before.config) !== null ? before.config : {};
      const state: Kept = { name_vsn: installed.id, enable: before?.enable ?? false, config };
      const states = other
        ? this.inOrder().map((one) => (one.name_vsn === other.id ? state : one))
        : [...this.inOrder().filter(({ name_vsn }) => name_vsn !== installed.id), state];
      if (other) await this.drop(other);
      await this.save(states);
      await this.settled();
    });
  }

  remove(id: string): Promise<boolean> {
    return this.inTurn(async () => {
      const one = this.all.get(id);
      if (!one) return false;
      const states = this.inOrder().filter(({ name_vsn }) => name_vsn !== id);
      await this.drop(one);
      await this.save(states);
      return true;
    });
  }

  /** Settles when it runs, or does not any more. A plugin that gave up is tried anew. */
  async enable(id: string, enable: boolean): Promise<boolean> {
    const one = await this.inTurn(async () => {
      const found = this.all.get(id);
      if (enable) found?.forgive();
      if (found) await this.change(id, { enable });
      return found;
    });
    await one?.settled(); // not in turn: another order may be to stop it
    return one !== undefined;
  }

  /** To the place before that of `anchor`, or to the end. */
  move(id: string, place: (others: readonly string[]) => number | null): Promise<boolean> {
    return this.inTurn(async () => {
      const states = this.inOrder();
      const own = states.find(({ name_vsn }) => name_vsn === id);
      if (!own) return false;
      const others = states.filter((one) => one !== own);
      const at = place(others.map(({ name_vsn }) => name_vsn));
      if (at === null) return false;
      await this.save(others.toSpliced(at, 0, own));
      return true;
    });
  }

  // --- backups

  packageOf(id: string): Buffer | null {
    return this.all.has(id) ? packageOf(this.folder, id) : null;
  }

  /** Installed with the others of the backup, by `restored`. */
  bring(id: string, content: Buffer): void {
    this.coming.set(id, content);
  }

  /** Settings say already which of them run. One that is of the same name as another one takes its place. */
  restored(): Promise<void> {
    return this.inTurn(async () => {
      for (const [id, content] of this.coming) await this.takeIn(id, content);
      this.coming.clear();
      this.obey();
      await this.settled();
    });
  }

  private async takeIn(id: string, content: Buffer): Promise<void> {
    const others = this.list().filter((one) => pluginName(one.id) === pluginName(id));
    for (const one of others) await this.drop(one);
    try {
      this.add(await unpack(this.folder, id + PLUGIN_EXTENSION, Readable.from([content])));
    } catch (cause) {
      if (!(cause instanceof PackageFault)) throw cause;
      this.parts.core.log.error({ plugin: id, reason: cause.message }, 'a plugin could not be restored');
    }
  }

  // --- configuration

  /** With defaults. */
  configOf(id: string): Record<string, unknown> {
    return this.checked(id, this.stateOf(id).config) ?? this.stateOf(id).config;
  }

  /** The caller has checked it. */
  configure(id: string, config: Record<string, unknown>): Promise<void> {
    return this.inTurn(() => this.change(id, { config }));
  }

  // --- settings

  private get states(): readonly Kept[] {
    return this.parts.settings.get('plugins').states;
  }

  private stateOf(id: string): Kept {
    return this.states.find(({ name_vsn }) => name_vsn === id) ?? { name_vsn: id, enable: false, config: {} };
  }

  /** Those that are installed, in their order; with those that settings name though they are not. */
  private inOrder(): Kept[] {
    const known = new Set(this.states.map(({ name_vsn }) => name_vsn));
    const others = this.list().filter(({ id }) => !known.has(id));
    return [...this.states, ...others.map(({ id }) => this.stateOf(id))];
  }

  private async change(id: string, changed: Partial<Kept>): Promise<void> {
    await this.save(this.inOrder().map((one) => (one.name_vsn === id ? { ...one, ...changed } : one)));
  }

  private async save(states: Kept[]): Promise<void> {
    await this.parts.settings.change('plugins', { states });
  }

  /** Null = it is not what the plugin takes. */
  private checked(id: string, config: object): Record<string, unknown> | null {
    const schema = this.all.get(id)?.installed.manifest.config_schema;
    if (!schema) return {};
    const result = z.safeParse(pluginConfig(schema), config);
    return result.success ? (result.data as Record<string, unknown>) : null;
  }

  private obey(): void {
    for (const one of this.all.values())
      one.want(this.stateOf(one.id).enable, this.checked(one.id, this.stateOf(one.id).config));
    this.join();
  }

  // --- what is installed

  private add(installed: Installed): void {
    const { core, onTrouble } = this.parts;
    this.all.set(
      installed.id,
      new Running(installed, {
        core,
        limits: this.limits,
        version: this.parts.version,
        onChange: () => core.forgetAccess(),
        onTrouble: (reason) => onTrouble(installed.id, reason),
      }),
    );
  }

  private async drop(one: Running): Promise<void> {
    this.all.delete(one.id);
    this.join();
    await one.close();
    await removeInstalled(this.folder, one.id);
  }

  /** All that shall run, whether they do or not: where one does not, its failed action holds. */
  private join(): void {
    this.leave();
    this.leave = joinHooks(
      this.parts.core,
      this.list().filter((one) => one.wanted),
    );
  }

  private async settled(): Promise<void> {
    await Promise.all([...this.all.values()].map((one) => one.settled()));
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.working.then(work);
    this.working = done.catch(() => undefined);
    return done;
  }
}

interface RunningParts {
  core: Core;
  limits: PluginLimits;
  version: string;
  /** It answers now, or not any more, or otherwise. */
  onChange: () => void;
  onTrouble: (reason: string | null) => void;
}

/** An installed plugin: runs it while it shall, and starts it again when it ended by itself. */
export class Running implements Joined {
  readonly installed: Installed;
  readonly id: string;
  readonly mark: string;
  readonly hooks: readonly PluginHook[];
  wanted = false;
  private readonly parts: RunningParts;
  private thread: PluginThread | null = null;
  private running = false;
  private trouble: string | null = null;
  private config: Record<string, unknown> | null = {};
  private startedAt = 0;
  private counters: PluginCounters;
  private stumbledAt = 0;
  private restarts = 0;
  private restart: NodeJS.Timeout | null = null;
  private changing: Promise<void> = Promise.resolve();

  constructor(installed: Installed, parts: RunningParts) {
    this.installed = installed;
    this.parts = parts;
    this.id = installed.id;
    this.mark = `plugin ${pluginName(installed.id)}`;
    this.hooks = installed.manifest.hooks;
    this.counters = new PluginCounters(parts.core.clock.now);
  }

  get state(): PluginState {
    const isOver = this.running && performance.now() - this.stumbledAt > TOLD_MS;
    return { running: this.running, trouble: isOver ? null : this.trouble };
  }

  get metrics(): PluginMetrics {
    return this.counters.shown(this.running ? (this.thread?.memoryBytes ?? null) : null);
  }

  readme(): Promise<string | null> {
    return readmeOf(this.installed);
  }

  /** `config` null = what is stored is not what it takes. */
  want(wanted: boolean, config: Record<string, unknown> | null): void {
    const configured = JSON.stringify(config) !== JSON.stringify(this.config);
    this.config = config;
    if (wanted !== this.wanted) {
      this.wanted = wanted;
      if (wanted) this.counters = new PluginCounters(this.parts.core.clock.now);
      else this.hurry();
      this.change(() => (wanted ? this.start() : this.stop()));
    } else if (configured && wanted)
      this.change(async () => {
        if (config === null) return;
        if (this.thread === null) {
          await this.start();
          return;
        }
        this.thread.configure(config);
        this.parts.onChange();
      });
  }

  /** As if it had never failed; one that gave up is started again. */
  forgive(): void {
    this.restarts = 0;
    if (!this.wanted || this.running) return;
    this.counters = new PluginCounters(this.parts.core.clock.now);
    this.change(() => this.start());
  }

  async settled(): Promise<void> {
    await this.changing;
  }

  async close(): Promise<void> {
    this.wanted = false;
    this.hurry();
    this.change(() => this.stop());
    await this.changing;
  }

  async ask<T>(
    hook: HookName,
    told: readonly unknown[],
    trail: Trail,
    read: (answer: unknown) => T,
  ): Promise<T> {
    if (!this.running || this.thread === null) throw new NoAnswer('it does not run');
    this.counters.asked++;
    return this.thread.ask(hook, told, trail, read);
  }

  tell(hook: HookName, told: readonly unknown[], trail: Trail): void {
    if (!this.running) return;
    this.counters.told++;
    this.thread?.tell(hook, told, trail);
  }

  /** Nobody waits for the start of what is to end. */
  private hurry(): void {
    if (!this.running) this.thread?.giveUp();
  }

  private change(work: () => Promise<void>): void {
    this.changing = this.changing.then(work);
  }

  private async start(): Promise<void> {
    if (this.thread !== null || !this.wanted) return;
    this.forgetRestart();
    if (this.config === null) {
      this.fail('its configuration is not what it takes; save it anew', false);
      return;
    }
    const { installed, parts } = this;
    const { core } = parts;
    // The broker may be another one than that in which it was installed
    const why = misfit(installed.manifest.compatibility, parts.version);
    if (why !== null) {
      this.fail(why, false);
      return;
    }
    const thread = new PluginThread(
      {
        main: pathToFileURL(path.join(installed.folder, installed.manifest.main)).href,
        hooks: this.hooks.map(({ name }) => name),
        config: this.config,
      },
      {
        packetBytesMax: () => core.settings.maxPacketBytes,
        publish: (message, trail) => this.publish(message, trail),
        log: (level, text) => core.log[level]({ plugin: this.id }, text),
        failed: (reason) => this.fail(reason, true),
        stumbled: (reason, late) => this.stumbled(reason, late),
      },
      parts.limits,
    );
    this.thread = thread;
    try {
      await thread.started();
    } catch (cause) {
      this.fail(reasonOf(cause), true);
      return;
    }
    this.running = true;
    this.startedAt = performance.now();
    this.trouble = null;
    core.log.info({ plugin: this.id }, 'a plugin was started');
    parts.onTrouble(null);
    parts.onChange();
  }

  private async stop(): Promise<void> {
    this.forgetRestart();
    this.trouble = null;
    this.parts.onTrouble(null);
    const { thread } = this;
    if (thread === null) return;
    this.running = false;
    this.thread = null;
    await thread.stop();
    this.parts.core.log.info({ plugin: this.id }, 'a plugin was stopped');
    this.parts.onChange();
  }

  private fail(reason: string, again: boolean): void {
    const { core, onTrouble, onChange } = this.parts;
    if (this.running && performance.now() - this.startedAt > STEADY_MS) this.restarts = 0;
    this.running = false;
    this.thread = null;
    if (!this.wanted) return;
    const waitMs = again ? RESTART_AFTER_MS[this.restarts] : undefined;
    const next = waitMs === undefined ? 'it stays stopped' : `it starts again in ${waitMs / 1000} s`;
    this.trouble = `${firstLine(reason)} (${next})`;
    this.counters.ended++;
    this.counters.failedWith(firstLine(reason), core.clock.now);
    core.log.error({ plugin: this.id, reason }, 'a plugin has ended');
    onTrouble(firstLine(reason));
    onChange();
    if (waitMs === undefined) return;
    this.restarts++;
    this.counters.restarted++;
    this.restart = setTimeout(() => this.change(() => this.start()), waitMs).unref();
  }

  private stumbled(reason: string, late: boolean): void {
    if (late) this.counters.timedOut++;
    else this.counters.failed++;
    this.counters.failedWith(firstLine(reason), this.parts.core.clock.now);
    this.trouble = firstLine(reason);
    this.stumbledAt = performance.now();
    this.parts.core.log.warn({ plugin: this.id, reason }, 'a plugin gave no answer');
  }

  private forgetRestart(): void {
    if (this.restart !== null) clearTimeout(this.restart);
    this.restart = null;
  }

  private async publish(message: unknown, trail: Trail): Promise<string | null> {
    try {
      const request = readRequest(message);
      if (!request) return 'there is no message';
      const { topic, payload, qos = 0, retain = false, properties = {} } = request;
      await this.parts.core.publish({
        topic,
        payload,
        qos,
        retain,
        properties,
        trail: [...trailOf(trail), this.mark],
      });
      this.counters.published++;
      return null;
    } catch (cause) {
      return reasonOf(cause);
    }
  }
}

const TRAIL_MAX = 16;

/** What a plugin says of it is not believed beyond its form. */
function trailOf(trail: Trail): Trail {
  if (trail.length >= TRAIL_MAX)
    throw new Error('the message is made of too many others; the loop ends here');
  return trail;
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!.slice(0, 500);
