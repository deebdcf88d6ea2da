import path from 'node:path';
import { AuthenticationSettings } from '@mqdeck/contract/authentication';
import { AuthorizationSection } from '@mqdeck/contract/authorization';
import { AutoSubscribeSettings } from '@mqdeck/contract/auto-subscribe';
import { BridgesSettings } from '@mqdeck/contract/bridges/settings';
import { DelayedSettings } from '@mqdeck/contract/delayed';
import { ExhookSettings } from '@mqdeck/contract/exhooks';
import { GatewaySettings } from '@mqdeck/contract/gateways';
import { LicenseSettings } from '@mqdeck/contract/license';
import { LimiterSettings } from '@mqdeck/contract/limiter';
import { ListenersSection } from '@mqdeck/contract/listeners';
import { LogSettings } from '@mqdeck/contract/log';
import { LoginSettings } from '@mqdeck/contract/login';
import { PluginsSettings } from '@mqdeck/contract/plugins';
import { PrometheusSettings, StatsdSettings } from '@mqdeck/contract/prometheus';
import { RetainerSettings } from '@mqdeck/contract/retainer';
import { RuleEngineSettings } from '@mqdeck/contract/rules';
import { SlowSubscriptionsSettings } from '@mqdeck/contract/slow-subscriptions';
import { SysTopicsSettings } from '@mqdeck/contract/sys-topics';
import { AlarmSettings, SysmonSettings } from '@mqdeck/contract/sysmon';
import { TelemetrySettings } from '@mqdeck/contract/telemetry';
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
import en from 'zod/v4/locales/en.js';
import { sameJson } from './same-json.ts';
import { readSettingsFile, replaceFile, SettingsError, type SettingsText } from './settings-file.ts';

z.config(en()); // zod/mini brings no texts of its own, and a broken file must be told in words

/** Every section of the settings file, with the contract that gives its defaults. */
const sections = {
  dashboard: LoginSettings,
  log: LogSettings,
  listeners: ListenersSection,
  limiter: LimiterSettings,
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
  telemetry: TelemetrySettings,
  license: LicenseSettings,
  rule_engine: RuleEngineSettings,
  bridges: BridgesSettings,
  gateway: GatewaySettings,
  exhook: ExhookSettings,
  plugins: PluginsSettings,
};
type Sections = { [K in keyof typeof sections]: z.output<(typeof sections)[K]> };
export type Section = keyof Sections;
export type { Sections };

export const sectionNames = Object.keys(sections) as Section[];
export const schemaOf = (section: Section): z.ZodMiniType => sections[section];

export { SettingsError };

const SCHEMA_VERSION = 1;
const FILE = 'settings.json';

const SettingsFile = z.extend(z.partial(z.strictObject(sections)), { version: z.literal(SCHEMA_VERSION) });

/** What no schema can say of a section: values that cannot be in force, where in the section, and why. */
export class SettingsFault extends Error {
  readonly path: readonly PropertyKey[];

  constructor(path: readonly PropertyKey[], reason: string) {
    super(reason);
    this.path = path;
  }
}

/** Told of each section that is changed, with its values before and after. */
type Witness = (section: Section, before: object, after: object) => void;

/** Throws SettingsFault; `before` is what is in force, at the start the same as `values`. */
type Guard<K extends Section> = (values: Sections[K], before: Sections[K]) => void;

/**
 * Keeps what operators have set, in memory and in `settings.json`, which holds only what differs from the
 * defaults. Changed through `change` alone.
 */
export class SettingsStore {
  private readonly file: string | null;
  private readonly values: Sections;
  private saving: Promise<void> = Promise.resolve();
  private readonly listeners: { section: Section; tell: () => void }[] = [];
  private readonly witnesses: Witness[] = [];
  private readonly guards = new Map<Section, Guard<Section>[]>();
  private readonly text: SettingsText | null;

  constructor(dataDir: string | null) {
    this.file = dataDir === null ? null : path.join(dataDir, FILE);
    this.text = this.file === null ? null : readSettingsFile(this.file);
    const stored = this.text === null ? {} : checkedFile(this.text);
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

  /**
   * Holds a section to what its feature knows better than the schema. What the file says is looked at now, what several
   * sections shall be before any of them is.
   */
  guard<K extends Section>(section: K, run: Guard<K>): void {
    this.guards.set(section, [...(this.guards.get(section) ?? []), run as unknown as Guard<Section>]);
    try {
      run(this.values[section], this.values[section]);
    } catch (cause) {
      if (!(cause instanceof SettingsFault) || this.text === null) throw cause;
      throw this.text.fault([section, ...cause.path], cause.message);
    }
  }

  /** Throws SettingsFault when the values cannot be in force. */
  check<K extends Section>(section: K, values: Sections[K]): void {
    for (const run of this.guards.get(section) ?? []) run(values, this.values[section]);
  }

  /** Calls after each change of a section. The answer ends it. */
  onChange<K extends Section>(section: K, run: (values: Sections[K]) => void): () => void {
    const listener = { section, tell: () => run(this.values[section]) };
    this.listeners.push(listener);
    return () => void this.listeners.splice(this.listeners.indexOf(listener), 1);
  }

  /** Calls at each change of any section. The answer ends it. */
  onAnyChange(witness: Witness): () => void {
    this.witnesses.push(witness);
    return () => void this.witnesses.splice(this.witnesses.indexOf(witness), 1);
  }

  /** In force at once; settles when it is on disk. The caller has checked the values by the contract. */
  async change<K extends Section>(section: K, values: Sections[K]): Promise<void> {
    for (const witness of this.witnesses) witness(section, this.values[section], values);
    this.values[section] = values;
    for (const listener of [...this.listeners]) if (listener.section === section) listener.tell();
    // One after the other; that an earlier one failed was told to whoever asked for it.
    this.saving = this.saving.catch(() => undefined).then(() => this.save());
    await this.saving;
  }

  /** Several sections in one write. A guard or a listener that throws leaves all of them as they were. */
  async changeAll(changed: Partial<Sections>): Promise<void> {
    for (const [name, values] of Object.entries(changed)) this.check(name as Section, values);
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
    for (const [name, after] of Object.entries(values))
      for (const witness of this.witnesses) witness(name as Section, this.values[name as Section], after);
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

function checkedFile(text: SettingsText): Partial<z.output<typeof SettingsFile>> {
  const { version } = Object(text.value) as { version?: unknown };
  if (typeof version === 'number' && version > SCHEMA_VERSION)
    throw text.fault(
      ['version'],
      `the file is of a newer program: this one reads version ${SCHEMA_VERSION}, not ${version}`,
    );
  const result = z.safeParse(SettingsFile, text.value);
  if (result.success) return result.data;
  const { names, what } = faultOf(result.error.issues[0]!);
  throw text.fault(names, what);
}

function different(values: object, defaults: object): object {
  const usual = new Map(Object.entries(defaults));
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => !sameJson(value, usual.get(key))),
  );
}
