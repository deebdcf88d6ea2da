import { isDeepStrictEqual } from 'node:util';
import type { CompiledRule } from '@mqdeck/contract/acl/match';
import type { AuthzRule } from '@mqdeck/contract/acl/rule';
import type {
  AuthorizationSection,
  AuthorizationSettings,
  AuthorizationSource,
  SourceType,
} from '@mqdeck/contract/authorization';
import { DELAYED_PREFIX } from '@mqdeck/contract/delayed';
import { parseDuration } from '@mqdeck/contract/kit/values';
import { isSystemTopic } from '@mqdeck/mqtt/topics';
import { BackendConfigError } from '../../backends/backend.ts';
import type { Core } from '../../core/core.ts';
import type { AccessRequest, AccessResult, ClientInfo } from '../../core/hooks.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';
import { PatternError } from './patterns.ts';
import { compileAll, firstFit, NO_MATCH, verdictOf } from './rules.ts';
import { type OpenSource, Seat } from './seat.ts';
import type { DecidingRule, SourceVerdict } from './source.ts';

/** What was decided while a source could not be asked: it may be back in a moment. */
const BRIEFLY_MS = 1000;

/** A step on the way to an answer; the last one decides. */
export interface ExplainedStep {
  type: 'system_topic' | 'superuser' | 'acl' | SourceType | 'no_match' | 'undecided';
  verdict: SourceVerdict;
  rule: DecidingRule | null;
}

/**
 * Decides what clients may publish and subscribe to. Keeps the sources in their order, which stand in the settings;
 * changed through `change`, and by whoever changes the settings.
 */
export class Authorization {
  private readonly core: Core;
  private readonly settings: SettingsStore;
  private readonly open: OpenSource;
  private seats: Seat[];
  private changing: Promise<unknown> = Promise.resolve();
  /** Those of a client stay the same as long as it is connected. */
  private readonly compiled = new WeakMap<readonly AuthzRule[], readonly CompiledRule[] | null>();
  /** What this has put into the settings itself. */
  private written: AuthorizationSection | null = null;
  private readonly leave: (() => void)[];

  constructor(core: Core, settings: SettingsStore, open: OpenSource) {
    this.core = core;
    this.settings = settings;
    this.open = open;
    settings.guard('authorization', ({ sources }, before) => this.check(sources, before.sources));
    this.seats = settings.get('authorization').sources.map((config) => new Seat(config, open, core));
    for (const seat of this.seats) seat.startAgain();
    this.tellCore();
    this.leave = [
      core.hooks.on('client.authorize', (who, request) => this.authorize(who, request), {
        owner: 'authorization',
      }),
      settings.onChange('authorization', (values) => values !== this.written && this.follow(values)),
    ];
  }

  get sources(): readonly Seat[] {
    return this.seats;
  }

  find(type: string): Seat | undefined {
    return this.seats.find((seat) => seat.type === type);
  }

  /** A source that is new; throws ConfigError when it cannot work. */
  opened(config: AuthorizationSource): Seat {
    const seat = new Seat(config, this.open, this.core);
    seat.start();
    return seat;
  }

  get general(): AuthorizationSettings {
    const { no_match, deny_action, cache } = this.settings.get('authorization');
    return { no_match, deny_action, cache };
  }

  /** In force at once; settles when it is on disk. */
  async changeGeneral(general: AuthorizationSettings): Promise<void> {
    await this.save({ ...this.settings.get('authorization'), ...general });
  }

  /** One change after the other, each from what the one before left. What it returns are the sources from now on. */
  change(make: (seats: readonly Seat[]) => Seat[]): Promise<void> {
    const changed = this.changing.then(() => {
      this.seats = make(this.seats);
      return this.save({
        ...this.settings.get('authorization'),
        sources: this.seats.map(({ config }) => config),
      });
    });
    this.changing = changed.catch(() => undefined);
    return changed;
  }

  /** Kept answers of those concerned are asked for anew; without a condition, of all. */
  forget(concerns?: (who: ClientInfo) => boolean): void {
    this.core.forgetAccess(concerns);
  }

  close(): void {
    for (const leave of this.leave) leave();
    for (const seat of this.seats) seat.close();
  }

  /** Every step to the answer, and why; nothing is counted or kept. */
  async explain(who: ClientInfo, request: AccessRequest): Promise<ExplainedStep[]> {
    const steps: ExplainedStep[] = [];
    const add = (type: ExplainedStep['type'], verdict: SourceVerdict): boolean => {
      steps.push({ type, verdict, rule: verdict.rule ?? null });
      return verdict.result === 'allow' || verdict.result === 'deny';
    };
    const asked = meant(request);
    if (asked.action === 'publish' && isSystemTopic(asked.topic)) {
      add('system_topic', { result: 'deny', why: 'only the broker publishes below $SYS' });
      return steps;
    }
    if (who.isSuperuser) {
      add('superuser', { result: 'allow', why: 'a superuser may everything' });
      return steps;
    }
    if (who.acl && add('acl', this.askOwn(who.acl, who, asked))) return steps;
    for (const seat of this.seats) {
      if (!seat.config.enable) continue;
      if (add(seat.type, await seat.ask(who, asked))) return steps;
    }
    if (steps.some(({ verdict }) => verdict.result === 'ignore'))
      add('undecided', {
        result: 'deny',
        why: 'nobody decided, and a source that might have could not be asked',
      });
    else {
      const result = this.settings.get('authorization').no_match;
      add('no_match', { result, why: `no rule fits, and no_match is ${result}` });
    }
    return steps;
  }

  private authorize(who: ClientInfo, request: AccessRequest): AccessResult | Promise<AccessResult> {
    const asked = meant(request);
    const own = who.acl ? this.askOwn(who.acl, who, asked) : NO_MATCH;
    if (own.result === 'allow' || own.result === 'deny')
      return this.found(own.result, 'client_info', own, false);
    return this.askFrom(this.seats, 0, own.result === 'ignore', who, asked);
  }

  /** The sources from a place on. Nothing waits as long as none of them does. */
  private askFrom(
    seats: readonly Seat[],
    first: number,
    failedBefore: boolean,
    who: ClientInfo,
    request: AccessRequest,
  ): AccessResult | Promise<AccessResult> {
    let failed = failedBefore;
    for (let i = first; i < seats.length; i++) {
      const seat = seats[i]!;
      if (!seat.config.enable) continue;
      const verdict = seat.ask(who, request);
      if (verdict instanceof Promise)
        return verdict.then((settled) => {
          seat.count(settled);
          return settled.result === 'allow' || settled.result === 'deny'
            ? this.found(settled.result, seat.type, settled, failed)
            : this.askFrom(seats, i + 1, failed || settled.result === 'ignore', who, request);
        });
      seat.count(verdict);
      if (verdict.result === 'allow' || verdict.result === 'deny')
        return this.found(verdict.result, seat.type, verdict, failed);
      if (verdict.result === 'ignore') failed = true;
    }
    return failed ? { access: 'deny', matched: false, keepMs: BRIEFLY_MS } : undefined;
  }

  /** A word is enough to allow something, unless there is something to be said of it. */
  private found(
    access: 'allow' | 'deny',
    source: string,
    { rule }: SourceVerdict,
    failed: boolean,
  ): AccessResult {
    const isHeard = this.core.hooks.used['client.authorize_complete'].length > 0;
    if (access === 'allow' && !failed && !isHeard) return access;
    const keepMs = failed ? BRIEFLY_MS : Number.POSITIVE_INFINITY;
    return { access, matched: true, keepMs, source, ...(rule && { rule: rule.text }) };
  }

  /** Rules that nobody can read decide nothing, but nobody is allowed what they might forbid. */
  private askOwn(acl: readonly AuthzRule[], who: ClientInfo, request: AccessRequest): SourceVerdict {
    let rules = this.compiled.get(acl);
    if (rules === undefined) {
      rules = this.compile(acl, who);
      this.compiled.set(acl, rules);
    }
    if (rules === null)
      return { result: 'ignore', why: 'the rules that came with the credentials cannot be read' };
    return verdictOf(rules, firstFit(rules, who, request));
  }

  private compile(acl: readonly AuthzRule[], { clientid }: ClientInfo): readonly CompiledRule[] | null {
    try {
      return compileAll(acl);
    } catch (cause) {
      if (!(cause instanceof PatternError)) throw cause;
      this.core.log.warn({ clientid, reason: cause.message }, 'rules of a client cannot be read');
      return null;
    }
  }

  /** The settings came from elsewhere, as with a backup. What stays as it was keeps its connections and its figures. */
  private follow({ sources }: AuthorizationSection): void {
    const before = this.seats;
    this.seats = sources.map((config) => {
      const same = before.find((seat) => isDeepStrictEqual(seat.config, config));
      if (same) return same;
      const seat = new Seat(config, this.open, this.core);
      seat.startAgain();
      return seat;
    });
    for (const seat of before) if (!this.seats.includes(seat)) seat.close();
    this.tellCore();
    this.core.forgetAccess();
  }

  /** Whether the sources could be; what is there already may stay, also where it cannot work any more. */
  private check(sources: readonly AuthorizationSource[], before: readonly AuthorizationSource[]): void {
    for (const [i, config] of sources.entries()) {
      if (sources.findIndex(({ type }) => type === config.type) < i)
        throw new SettingsFault(['sources', i], `a source of the type ${config.type} stands there twice`);
      if (before.some((one) => isDeepStrictEqual(one, config))) continue;
      try {
        this.opened(config).close();
      } catch (error) {
        if (!(error instanceof BackendConfigError)) throw error;
        throw new SettingsFault(['sources', i, ...error.path.split('.')], error.message);
      }
    }
  }

  private async save(section: AuthorizationSection): Promise<void> {
    this.written = section;
    const saved = this.settings.change('authorization', section);
    this.tellCore();
    this.core.forgetAccess();
    await saved;
  }

  private tellCore(): void {
    const { no_match, deny_action, cache } = this.settings.get('authorization');
    const { settings } = this.core;
    settings.authorizationNoMatch = no_match;
    settings.authorizationDenyAction = deny_action;
    settings.authorizationCache = cache.enable
      ? { maxSize: cache.max_size, ttlMs: parseDuration(cache.ttl) ?? 0, excludes: cache.excludes }
      : null;
  }
}

/** Publishing to `$delayed/N/topic` is publishing to `topic`, later. */
function meant(request: AccessRequest): AccessRequest {
  if (request.action !== 'publish') return request;
  let { topic } = request;
  while (topic.startsWith(DELAYED_PREFIX)) {
    const slash = topic.indexOf('/', DELAYED_PREFIX.length);
    if (slash < 0) break;
    topic = topic.slice(slash + 1);
  }
  return topic === request.topic ? request : { ...request, topic };
}
