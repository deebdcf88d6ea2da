import type { Alarm } from '@mqdeck/contract/alarms';
import type { KeptRule, RuleEngineSettings } from '@mqdeck/contract/rules';
import type { ConnectPacket } from '@mqdeck/mqtt/packets';
import { filterMatches, isValidFilter } from '@mqdeck/mqtt/topics';
import { type Columns, compile, type Rule as Statement } from '@mqdeck/rulesql/compile';
import { SqlRuntimeError, SqlSyntaxError } from '@mqdeck/rulesql/errors';
import type { World } from '@mqdeck/rulesql/functions/function';
import { functionTable } from '@mqdeck/rulesql/functions/table';
import { Descent } from '../../core/descent.ts';
import type { ClientInfo, HookName } from '../../core/hooks.ts';
import type { Message } from '../../core/message.ts';
import { rowOf } from '../../resources/columns.ts';
import type { Row } from '../../resources/driver.ts';
import type { RuleInputs } from '../../resources/links.ts';
import { followRow } from '../../resources/row-fate.ts';
import type { RuleStep, TellRuleStep } from '../../resources/rule-steps.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';
import {
  type Action,
  type ActionContext,
  type ActionResult,
  type ActionWorld,
  actionName,
  actionOf,
  bridgeId,
} from './actions.ts';
import { Later } from './later.ts';
import { RuleMetrics } from './metrics.ts';
import { Samples } from './samples.ts';

const OWNER = 'rules';
const EVENTS = '$events/';
const BRIDGES = '$bridges/';
/** After what takes a message away or gives it another topic, before the retainer. */
const BEFORE_THE_RETAINER = 50;
const TOPICS_MAX = 10_000; // remembered with the rules they concern

/** A rule in force. */
export interface LiveRule {
  readonly id: string;
  kept: KeptRule;
  statement: Statement;
  actions: Action[];
  readonly metrics: RuleMetrics;
}

export interface RulesParts extends Omit<ActionWorld, 'later'> {
  settings: SettingsStore;
  /** Calls for each alarm that begins or ends. The answer ends it. */
  onAlarm: (tell: (event: 'activate' | 'deactivate', alarm: Alarm) => void) => () => void;
}

type Listen = () => () => void;

/**
 * Runs the rules: statements over messages and events, and what is to be done with their results. They are kept in the
 * settings; a statement is compiled once. What no rule asks for costs nothing.
 */
export class Rules implements RuleInputs {
  readonly samples: Samples;
  readonly world: World;
  private readonly parts: RulesParts;
  private readonly rules = new Map<string, LiveRule>();
  private readonly listening = new Map<string, () => void>();
  private readonly listenTo: Record<string, Listen>;
  private readonly packets = new WeakMap<ClientInfo, ConnectPacket>();
  /** Topics with the rules that match them. */
  private topics = new Map<string, LiveRule[]>();
  private readonly off: (() => void)[];
  private readonly watchers = new Set<TellRuleStep>();
  private readonly later = new Later();
  private readonly actionWorld: ActionWorld;

  constructor(parts: RulesParts) {
    const { core, settings } = parts;
    this.parts = parts;
    this.actionWorld = { ...parts, later: this.later };
    this.world = {
      now: () => core.clock.refresh(),
      topicMatches: (topic, filter) => isValidFilter(filter) && filterMatches(filter, topic),
      store: new Map(),
    };
    this.samples = new Samples(core.clock, () => this.listenAsNeeded());
    this.listenTo = this.listeners();
    settings.guard('rule_engine', (section) => {
      for (const [id, { sql }] of Object.entries(section.rules)) {
        const fault = syntaxFault(sql);
        if (fault !== null) throw new SettingsFault(['rules', id, 'sql'], fault);
      }
    });
    this.obey(settings.get('rule_engine'));
    this.off = [settings.onChange('rule_engine', (section) => this.obey(section))];
  }

  close(): void {
    for (const end of this.off) end();
    for (const end of this.listening.values()) end();
    this.later.clear();
    this.samples.close();
  }

  // --- the rules

  all(): Iterable<LiveRule> {
    return this.rules.values();
  }

  find(id: string): LiveRule | undefined {
    return this.rules.get(id);
  }

  /** Settles when it is on disk. Throws SqlSyntaxError when the statement cannot be read. */
  async save(id: string, rule: KeptRule): Promise<LiveRule> {
    this.compiled(rule.sql);
    const { settings } = this.parts;
    const section = settings.get('rule_engine');
    await settings.change('rule_engine', { ...section, rules: { ...section.rules, [id]: rule } });
    return this.rules.get(id)!;
  }

  async remove(id: string): Promise<boolean> {
    if (!this.rules.has(id)) return false;
    const { settings } = this.parts;
    const section = settings.get('rule_engine');
    const { [id]: _, ...rules } = section.rules;
    await settings.change('rule_engine', { ...section, rules });
    return true;
  }

  /** Calls for each step of each rule. The answer ends it. */
  watch(tell: TellRuleStep): () => void {
    this.watchers.add(tell);
    return () => void this.watchers.delete(tell);
  }

  private tell(rule: LiveRule, { message }: Origin, step: RuleStep): void {
    for (const watcher of this.watchers) watcher(rule.id, message, step);
  }

  compiled(sql: string): Statement {
    return compile(sql, functionTable, this.world);
  }

  /** Rules that are as they were stay as they are, with what they have counted. */
  private obey({ rules }: RuleEngineSettings): void {
    for (const id of this.rules.keys()) if (!Object.hasOwn(rules, id)) this.rules.delete(id);
    for (const [id, kept] of Object.entries(rules)) {
      const rule = this.rules.get(id);
      if (rule?.kept === kept) continue;
      const statement = rule?.kept.sql === kept.sql ? rule.statement : this.compiled(kept.sql);
      const actions = kept.actions.map((action) => actionOf(action, this.actionWorld));
      if (rule) Object.assign(rule, { kept, statement, actions });
      else {
        const metrics = new RuleMetrics(this.parts.core.clock);
        this.rules.set(id, { id, kept, statement, actions, metrics });
      }
    }
    this.topics = new Map();
    this.listenAsNeeded();
  }

  // --- bridges

  fromBridge(source: string, row: Row): void {
    const { core } = this.parts;
    this.samples.take(source, row);
    const columns = { event: source, node: core.node, timestamp: core.clock.now, ...row };
    this.runAll(this.readersOf(source), columns, fromNobody(NOBODY));
  }

  usersOf(id: string): string[] {
    const source = BRIDGES + id;
    return [...this.rules.values()]
      .filter(
        ({ kept, statement }) =>
          statement.sources.includes(source) ||
          kept.actions.some((action) => typeof action === 'string' && bridgeId(action) === id),
      )
      .map((rule) => rule.id);
  }

  async dropBridge(id: string): Promise<void> {
    const { settings } = this.parts;
    const section = settings.get('rule_engine');
    const rules = Object.entries(section.rules).map(([ruleId, rule]) => {
      const actions = rule.actions.filter((action) => typeof action !== 'string' || bridgeId(action) !== id);
      return [ruleId, actions.length === rule.actions.length ? rule : { ...rule, actions }];
    });
    await settings.change('rule_engine', { ...section, rules: Object.fromEntries(rules) });
  }

  // --- messages and events

  /** The rules that are on and read exactly this source. */
  private readersOf(source: string): LiveRule[] {
    return [...this.rules.values()].filter(
      ({ kept, statement }) => kept.enable && statement.sources.includes(source),
    );
  }

  private rulesFor(topic: string): LiveRule[] {
    const known = this.topics.get(topic);
    if (known) return known;
    const fitting = [...this.rules.values()].filter(
      ({ kept, statement }) =>
        kept.enable &&
        statement.sources.some(
          (source) =>
            (source === topic || isTopicFilter(source)) &&
            (source === topic || this.world.topicMatches(topic, source)),
        ),
    );
    if (this.topics.size >= TOPICS_MAX) this.topics = new Map();
    this.topics.set(topic, fitting);
    return fitting;
  }

  private onPublish(message: Message): void {
    if (message.system && this.parts.settings.get('rule_engine').ignore_sys_message) return;
    const rules = this.rulesFor(message.topic);
    const readers = this.listening.has('$events/message_publish') ? this.publishReaders : NOBODY;
    const sampled = this.samples.wants(message.topic);
    if (rules.length === 0 && readers.length === 0 && !sampled) return;
    const row = rowOf({ node: this.parts.core.node, now: () => this.parts.core.clock.now });
    const columns = row.publish(message);
    if (sampled) this.samples.takeTopic(message.topic, columns);
    const origin = {
      message,
      trail: message.trail,
      descent: descentOf(message),
      mustLast: () => {
        message.mustLast = true;
      },
    };
    this.runAll(rules, columns, origin);
    this.runAll(readers, columns, origin);
  }

  private get publishReaders(): LiveRule[] {
    return this.readersOf('$events/message_publish');
  }

  private runAll(rules: readonly LiveRule[], columns: Columns, origin: Origin): void {
    for (const rule of rules) this.run(rule, columns, origin);
  }

  private run(rule: LiveRule, columns: Columns, origin: Origin): void {
    const { metrics, statement } = rule;
    const watched = this.watchers.size > 0;
    metrics.matched();
    if (watched) this.tell(rule, origin, { what: 'matched' });
    let result: Row | Row[] | null;
    try {
      result = statement.run(columns);
    } catch (err) {
      metrics.add('failed');
      metrics.add('failed.exception');
      if (watched) this.tell(rule, origin, { what: 'failed', reason: reasonOf(err) });
      const { log } = this.parts.core;
      if (err instanceof SqlRuntimeError)
        log.debug({ rule: rule.id, reason: err.message }, 'a rule failed on a message');
      else log.error({ err, rule: rule.id }, 'a rule failed on a message in a way that nobody foresaw');
      return;
    }
    if (result === null || (Array.isArray(result) && result.length === 0)) {
      metrics.add('failed');
      metrics.add('failed.no_result');
      if (watched) this.tell(rule, origin, { what: 'no_result' });
      return;
    }
    metrics.add('passed');
    for (const one of Array.isArray(result) ? result : [result]) {
      if (watched) this.tell(rule, origin, { what: 'result', result: one });
      for (const [at, action] of rule.actions.entries()) this.act(rule, at, action, one, columns, origin);
    }
  }

  private act(
    rule: LiveRule,
    at: number,
    action: Action,
    result: Row,
    columns: Columns,
    origin: Origin,
  ): void {
    const { id, metrics } = rule;
    metrics.add('actions.total');
    let outcome: ActionResult;
    let reason: string | null = null;
    const explain = (why: string) => {
      reason = why;
    };
    try {
      outcome = action(result, { ruleId: id, columns, ...origin, explain });
    } catch (err) {
      // What a rule cannot do is no fault of the message: it goes its way
      this.parts.core.log.warn({ err, rule: id }, 'an action of a rule failed');
      explain(reasonOf(err));
      outcome = 'failed.unknown';
    }
    if (this.watchers.size > 0)
      this.tellOfAction(rule, rule.kept.actions[at], result, origin, outcome, reason);
    if (outcome === 'success') metrics.add('actions.success');
    else if (outcome === 'discarded') metrics.add('actions.discarded');
    else {
      metrics.add('actions.failed');
      metrics.add(`actions.${outcome}`);
    }
  }

  private tellOfAction(
    rule: LiveRule,
    kept: KeptRule['actions'][number] | undefined,
    result: Row,
    origin: Origin,
    outcome: ActionResult,
    reason: string | null,
  ): void {
    const action = nameOf(kept);
    this.tell(rule, origin, { what: 'action', action, outcome, reason });
    // A bridge has taken it; whether its target does, is known later
    if (typeof kept !== 'string' || outcome !== 'success') return;
    origin.message?.keep(); // it may take a while
    followRow(result, bridgeId(kept), (fate, why) =>
      this.tell(rule, origin, { what: 'fate', action, fate, reason: why }),
    );
  }

  private onEvent(
    source: string,
    columns: () => Columns,
    trail: readonly string[] = NOBODY,
    message: Message | null = null,
  ): void {
    const rules = this.readersOf(source);
    const sampled = this.samples.wants(source);
    if (rules.length === 0 && !sampled) return;
    const row = columns();
    if (sampled) this.samples.take(source, row);
    this.runAll(rules, row, fromNobody(trail, message));
  }

  // --- joining the core, where somebody wants to hear of it

  private listenAsNeeded(): void {
    const wanted = new Set(this.samples.sources);
    for (const { kept, statement } of this.rules.values())
      if (kept.enable) for (const source of statement.sources) wanted.add(source);
    const needed = new Set<string>();
    for (const source of wanted) {
      if (source.startsWith(EVENTS)) needed.add(source);
      if (isTopicFilter(source) || source === '$events/message_publish') needed.add('publish');
    }
    for (const [source, end] of this.listening) {
      if (needed.has(source)) continue;
      end();
      this.listening.delete(source);
    }
    for (const source of needed) {
      const listen = this.listenTo[source];
      if (listen !== undefined && !this.listening.has(source)) this.listening.set(source, listen());
    }
  }

  private listeners(): Record<string, Listen> {
    const { core, onAlarm } = this.parts;
    const { hooks } = core;
    const row = rowOf({ node: core.node, now: () => core.clock.now });
    const on = <N extends HookName>(name: N, run: Parameters<typeof hooks.on<N>>[1], priority = 0) =>
      hooks.on(name, run, { owner: OWNER, priority });
    const withPackets = (end: () => void) => {
      const forget = on('client.connect', (who, packet) => void this.packets.set(who, packet), -1000);
      return () => {
        end();
        forget();
      };
    };
    /** Of messages that the broker sent itself rules hear nothing: one would bring the next. */
    const fate = (source: string, message: Message, columns: () => Columns) => {
      if (!message.system) this.onEvent(source, columns, message.trail, message);
    };
    return {
      publish: () =>
        on(
          'message.publish',
          (message) => {
            this.onPublish(message);
            return undefined; // rules have no opinion on a message
          },
          BEFORE_THE_RETAINER,
        ),
      '$events/message_publish': () => () => undefined, // heard with the others
      '$events/message_delivered': () =>
        on('message.delivered', (client, message, qos) =>
          fate('$events/message_delivered', message, () => row.delivered(client, message, qos)),
        ),
      '$events/message_acked': () =>
        on('message.acked', (client, message) =>
          fate('$events/message_acked', message, () => row.acked(client, message)),
        ),
      '$events/message_dropped': () =>
        on('message.dropped', (client, message, reason) => {
          if (client === null) fate('$events/message_dropped', message, () => row.dropped(message, reason));
        }),
      '$events/delivery_dropped': () =>
        on('message.dropped', (client, message, reason) => {
          if (client !== null)
            fate('$events/delivery_dropped', message, () => row.deliveryDropped(client, message, reason));
        }),
      '$events/client_connected': () =>
        withPackets(
          on('client.connected', (client) =>
            this.onEvent('$events/client_connected', () =>
              row.connected(client, this.packets.get(client.who)),
            ),
          ),
        ),
      '$events/client_disconnected': () =>
        on('client.disconnected', (client, reason) =>
          this.onEvent('$events/client_disconnected', () => row.disconnected(client, reason)),
        ),
      '$events/client_connack': () =>
        withPackets(
          on('client.connack', (who, reasonCode) =>
            this.onEvent('$events/client_connack', () => row.connack(who, reasonCode, this.packets.get(who))),
          ),
        ),
      '$events/client_check_authn_complete': () =>
        on('client.authenticate_complete', (who, reasonCode, anonymous) =>
          this.onEvent('$events/client_check_authn_complete', () =>
            row.authenticated(who, reasonCode, anonymous),
          ),
        ),
      '$events/client_check_authz_complete': () =>
        on('client.authorize_complete', (who, request, access, source) =>
          this.onEvent('$events/client_check_authz_complete', () =>
            row.authorized(who, request, access, source),
          ),
        ),
      '$events/session_subscribed': () =>
        on('session.subscribed', (client, filter, { qos }) =>
          this.onEvent('$events/session_subscribed', () => row.subscribed(client, filter, qos)),
        ),
      '$events/session_unsubscribed': () =>
        on('session.unsubscribed', (client, filter) =>
          this.onEvent('$events/session_unsubscribed', () => row.unsubscribed(client, filter)),
        ),
      '$events/sys/alarm_activated': () =>
        onAlarm((event, alarm) => {
          if (event === 'activate')
            this.onEvent('$events/sys/alarm_activated', () => row.alarm(event, alarm));
        }),
      '$events/sys/alarm_deactivated': () =>
        onAlarm((event, alarm) => {
          if (event === 'deactivate')
            this.onEvent('$events/sys/alarm_deactivated', () => row.alarm(event, alarm));
        }),
    };
  }
}

const NOBODY: readonly never[] = [];

interface Origin extends Pick<ActionContext, 'trail' | 'descent' | 'mustLast'> {
  /** Null where it began with none. */
  message: Message | null;
}

/** Nobody waits for an acknowledgement. */
const fromNobody = (trail: readonly string[], message: Message | null = null): Origin => ({
  message,
  trail,
  descent: descentOf(message),
  mustLast: () => undefined,
});

/** Made for the first that asks; an event without a message has one for itself. */
function descentOf(message: Message | null): () => Descent {
  let own: Descent | undefined;
  return () => {
    own ??= message?.descent ?? new Descent();
    if (message !== null) message.descent = own;
    return own;
  };
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** Of an action as it is kept: the bridge it goes to, or what it does. */
const nameOf = (action: KeptRule['actions'][number] | undefined): string =>
  typeof action === 'object' ? action.function : actionName(action ?? '');

const isTopicFilter = (source: string): boolean => !source.startsWith(EVENTS) && !source.startsWith(BRIDGES);

/** What is wrong with a statement; null when it can be read. */
function syntaxFault(sql: string): string | null {
  try {
    compile(sql, functionTable, { now: Date.now, topicMatches: () => false, store: new Map() });
    return null;
  } catch (cause) {
    if (cause instanceof SqlSyntaxError) return cause.message;
    throw cause;
  }
}
