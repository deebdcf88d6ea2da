import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import path from 'node:path';
import { AuthenticationSettings } from '@mqdeck/contract/authentication';
import { AuthorizationSection } from '@mqdeck/contract/authorization';
import { AutoSubscribeSettings } from '@mqdeck/contract/auto-subscribe';
import { DelayedSettings } from '@mqdeck/contract/delayed';
import { LogSettings } from '@mqdeck/contract/log';
import { LoginSettings } from '@mqdeck/contract/login';
import { PrometheusSettings, StatsdSettings } from '@mqdeck/contract/prometheus';
import { RetainerSettings } from '@mqdeck/contract/retainer';
import { SlowSubscriptionsSettings } from '@mqdeck/contract/slow-subscriptions';
import { SysTopicsSettings } from '@mqdeck/contract/sys-topics';
import { AlarmSettings, SysmonSettings } from '@mqdeck/contract/sysmon';
import { TopicMetricsSettings } from '@mqdeck/contract/topic-metrics';
import { RewriteSettings } from '@mqdeck/contract/topic-rewrite';
import {
  DurableSessions,
  FlappingDetect,
  ForceGc,
  ForceShutdown,
  MqttSettings,
  Zones,
} from '@mqdeck/contract/zones';
import * as z from 'zod/mini';

/** Every section of the settings file, with the contract that gives its defaults. */
const sections = {
  dashboard: LoginSettings,
  log: LogSettings,
  authentication: AuthenticationSettings,
  authorization: AuthorizationSection,
  retainer: RetainerSettings,
  sys_topics: SysTopicsSettings,
  delayed: DelayedSettings,
  sysmon: SysmonSettings,
  prometheus: PrometheusSettings,
  statsd: StatsdSettings,
  alarm: AlarmSettings,
  rewrite: RewriteSettings,
  slow_subs: SlowSubscriptionsSettings,
  topic_metrics: TopicMetricsSettings,
  auto_subscribe: AutoSubscribeSettings,
  mqtt: MqttSettings,
  flapping_detect: FlappingDetect,
  force_shutdown: ForceShutdown,
  force_gc: ForceGc,
  durable_sessions: DurableSessions,
  zones: Zones,
};
type Sections = { [K in keyof typeof sections]: z.output<(typeof sections)[K]> };
export type Section = keyof Sections;

const SCHEMA_VERSION = 1;
const FILE = 'settings.json';

const SettingsFile = z.extend(z.partial(z.strictObject(sections)), { version: z.literal(SCHEMA_VERSION) });

/** The broker does not start with a settings file that it cannot read; the message says where and why. */
export class SettingsError extends Error {}

/**
 * Keeps what operators have set, in memory and in `settings.json`, which holds only what differs from the
 * defaults. Changed through `change` alone.
 */
export class SettingsStore {
  private readonly file: string | null;
  private readonly values: Sections;
  private saving: Promise<void> = Promise.resolve();
  private readonly listeners: { section: Section; tell: () => void }[] = [];

  constructor(dataDir: string | null) {
    this.file = dataDir === null ? null : path.join(dataDir, FILE);
    const stored = this.file === null ? {} : read(this.file);
    const values = Object.entries(sections).map(([name, schema]) => [
      name,
      z.parse(schema, stored[name as Section] ?? {}),
    ]);
    this.values = Object.fromEntries(values) as Sections;
  }

  get<K extends Section>(section: K): Sections[K] {
    return this.values[section];
  }

  /** Every section, also where it is as it was delivered. */
  get all(): Readonly<Sections> {
    return this.values;
  }

  /** Calls after each change of a section. The answer ends it. */
  onChange<K extends Section>(section: K, run: (values: Sections[K]) => void): () => void {
    const listener = { section, tell: () => run(this.values[section]) };
    this.listeners.push(listener);
    return () => void this.listeners.splice(this.listeners.indexOf(listener), 1);
  }

  /** In force at once; settles when it is on disk. The caller has checked the values by the contract. */
  async change<K extends Section>(section: K, values: Sections[K]): Promise<void> {
    this.values[section] = values;
    for (const listener of [...this.listeners]) if (listener.section === section) listener.tell();
    // One after the other; that an earlier one failed was told to whoever asked for it.
    this.saving = this.saving.catch(() => undefined).then(() => this.save());
    await this.saving;
  }

  /** Several sections in one write. A listener that throws leaves all of them as they were. */
  async changeAll(changed: Partial<Sections>): Promise<void> {
    const before = Object.fromEntries(
      Object.keys(changed).map((name) => [name, this.values[name as Section]]),
    );
    try {
      this.put(changed);
    } catch (cause) {
      this.put(before);
      throw cause;
    }
    this.saving = this.saving.catch(() => undefined).then(() => this.save());
    await this.saving;
  }

  private put(values: Partial<Sections>): void {
    Object.assign(this.values, values);
    for (const listener of [...this.listeners]) if (listener.section in values) listener.tell();
  }

  private async save(): Promise<void> {
    if (this.file === null) return;
    const differing = Object.entries(sections)
      .map(([name, schema]) => [name, different(this.values[name as Section], z.parse(schema, {}))] as const)
      .filter(([, values]) => Object.keys(values).length > 0);
    const text = JSON.stringify({ version: SCHEMA_VERSION, ...Object.fromEntries(differing) }, null, 2);
    await replaceFile(this.file, `${text}\n`);
  }
}

/** Sections from elsewhere, checked; throws with the name of the first thing that is wrong. */
export function checkedSections(stored: unknown): Partial<Sections> {
  const result = z.safeParse(z.partial(z.strictObject(sections)), stored);
  if (result.success) return result.data as Partial<Sections>;
  const { names, what } = faultOf(result.error.issues[0]!);
  throw new SettingsError(`${names.join('.') || 'the settings'}: ${what}`);
}

function faultOf(issue: z.core.$ZodIssue): { names: readonly PropertyKey[]; what: string } {
  const isUnknown = issue.code === 'unrecognized_keys';
  return {
    names: isUnknown ? [...issue.path, issue.keys[0]!] : issue.path,
    what: isUnknown ? 'there is no such setting' : issue.message,
  };
}

function different(values: object, defaults: object): object {
  const usual = new Map(Object.entries(defaults));
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual.get(key))),
  );
}

/** Either the old content or the new one is there, whatever happens meanwhile. */
async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.next`;
  const handle = await open(next, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
  const folder = await open(path.dirname(file));
  try {
    await folder.sync(); // the new name is not on disk before its folder is
  } finally {
    await folder.close();
  }
}

function read(file: string): Partial<z.output<typeof SettingsFile>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new SettingsError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  const result = z.safeParse(SettingsFile, parse(file, text));
  if (result.success) return result.data;
  const { names, what } = faultOf(result.error.issues[0]!);
  throw new SettingsError(
    `${file}, line ${lineOf(text, names)}: ${names.join('.') || 'the whole file'}: ${what}`,
  );
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { message } = cause as Error;
    const position = /position (\d+)/.exec(message);
    const before = position ? text.slice(0, Number(position[1])) : text.trimEnd();
    throw new SettingsError(`${file}, line ${before.split('\n').length}: ${message}`, { cause });
  }
}

/** The line of the last name of the path, looked for in the order of the path. */
function lineOf(text: string, names: readonly PropertyKey[]): number {
  let at = 0;
  for (const name of names) {
    const found = text.indexOf(JSON.stringify(String(name)), at);
    if (found >= 0) at = found;
  }
  return text.slice(0, at).split('\n').length;
}
