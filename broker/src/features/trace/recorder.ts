import type { ConnectPacket } from '@mqdeck/mqtt/packets';
import { reasonName } from '@mqdeck/mqtt/reason-codes';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import type { ClientInfo, HookName, HookTypes } from '../../core/hooks.ts';
import type { Message } from '../../core/message.ts';
import type { RuleStep, TellRuleStep } from '../../resources/rule-steps.ts';
import type { Peer, TraceEvent } from './line.ts';

const OWNER = 'trace';
/** Before all who may change or refuse something, and after them. */
const FIRST = 10_000;
const LAST = -10_000;
const HIDDEN = '******';

/** What something is about: by that a trace knows whether it is one of its own. */
export interface Subject {
  who: ClientInfo | null;
  message: Message | null;
  /** What it was called before somebody rewrote its topic. */
  earlierTopic: string | null;
  /** Subscribed to, or asked for. */
  filter: string | null;
  ruleId: string | null;
}

export interface Audience {
  wants(subject: Subject): boolean;
  take(subject: Subject, event: TraceEvent): void;
}

export interface RecorderParts {
  core: Core;
  /** Calls for each step of each rule. The answer ends it. */
  watchRules: (tell: TellRuleStep) => () => void;
  audience: Audience;
}

type About = Partial<Subject>;
type Told = Partial<Pick<TraceEvent, 'facts' | 'payload' | 'result'>> & { peer?: Peer | null };

/**
 * Hears of everything that happens to clients and messages, and tells the traces. Joins the core's hooks while a trace
 * runs; otherwise nobody pays for it.
 */
export class Recorder {
  private readonly parts: RecorderParts;
  private ends: (() => void)[] = [];
  /** The message of a client that somebody thinks about: what is decided of the client next is about it. */
  private received = new WeakMap<ClientInfo, Message>();
  /** What a message was called when it began its way through the features. */
  private topics = new WeakMap<Message, string>();

  constructor(parts: RecorderParts) {
    this.parts = parts;
  }

  get running(): boolean {
    return this.ends.length > 0;
  }

  stop(): void {
    for (const end of this.ends.splice(0)) end();
  }

  start(): void {
    if (this.running) return;
    this.ends = [...this.hearClients(), ...this.hearMessages(), this.parts.watchRules(this.onRule)];
  }

  private hearClients(): (() => void)[] {
    const { on, tell } = this;
    return [
      on(
        'client.connect',
        (who, packet) => tell({ who }, 'MQTT', 'connect_received', () => connectFacts(packet)),
        FIRST,
      ),
      on('client.authenticate_complete', (who, reasonCode, anonymous, source) =>
        tell({ who }, 'AUTHN', reasonCode === 0 ? 'authenticated' : 'authentication_failed', () => ({
          facts: {
            ...(reasonCode !== 0 && { reason: reasonName(reasonCode) }),
            ...(anonymous && { anonymous }),
            ...(source !== null && { by: source }),
          },
        })),
      ),
      on('client.connack', (who, reasonCode, why) =>
        tell({ who }, 'MQTT', 'connack_sent', () => ({
          facts: { reason_code: reasonCode, reason: reasonName(reasonCode), ...(why !== null && { why }) },
        })),
      ),
      on('client.authorize_complete', (who, { action, topic, qos, retain }, access, source) => {
        const waiting = action === 'publish' ? this.received.get(who) : undefined;
        const message = waiting?.topic === topic ? waiting : null;
        if (message) this.received.delete(who);
        const about = message ? { who, message } : { who, filter: topic };
        tell(about, 'AUTHZ', access === 'allow' ? 'allowed' : 'denied', () => ({
          facts: { action, topic, qos, ...(action === 'publish' && { retain }), source },
        }));
      }),
      on('session.created', (client) => this.ofSession(client, 'session_created')),
      on('session.resumed', (client) => this.ofSession(client, 'session_resumed')),
      on('session.takenover', (client) => this.ofSession(client, 'session_taken_over')),
      on('session.discarded', (client) => this.ofSession(client, 'session_discarded')),
      on('session.terminated', (client) => this.ofSession(client, 'session_terminated')),
      on(
        'session.subscribed',
        ({ who }, filter, { qos, noLocal, retainAsPublished, retainHandling }, isNew) =>
          tell({ who, filter }, 'SESSION', 'subscribed', () => ({
            facts: { filter, qos, nl: noLocal, rap: retainAsPublished, rh: retainHandling, new: isNew },
          })),
      ),
      on('session.subscribe_refused', ({ who }, filter, reasonCode) =>
        tell({ who, filter }, 'SESSION', 'subscription_refused', () => ({
          facts: { filter, reason: reasonName(reasonCode) },
        })),
      ),
      on('session.unsubscribed', ({ who }, filter) =>
        tell({ who, filter }, 'SESSION', 'unsubscribed', () => ({ facts: { filter } })),
      ),
      on('client.ping', ({ who }) => tell({ who }, 'MQTT', 'pingreq_received', () => ({}))),
      on('client.disconnected', ({ who }, reason) =>
        tell({ who }, 'MQTT', 'disconnected', () => ({ facts: { reason } })),
      ),
    ];
  }

  private hearMessages(): (() => void)[] {
    const { on, tell } = this;
    return [
      on('message.received', (message) => {
        // No longer than needed: a message holds what the network brought with it
        const about = { ...NOTHING, who: message.publisher, message };
        if (about.who !== null && this.parts.audience.wants(about)) this.received.set(about.who, message);
        this.began(message, 'publish_received');
      }),
      on(
        'message.publish',
        (message) => {
          // What no client has sent just now: a will, REST, a rule
          if (!this.topics.has(message)) this.began(message, 'publish_made');
          return undefined;
        },
        FIRST,
      ),
      on(
        'message.publish',
        (message) => {
          const earlier = this.topics.get(message);
          if (earlier !== undefined && earlier !== message.topic)
            tell(
              { who: message.publisher, message, earlierTopic: earlier },
              'PUBLISH',
              'topic_changed',
              () => ({
                facts: { from: earlier, to: message.topic },
              }),
            );
          return undefined;
        },
        LAST,
      ),
      on('message.stopped', (who, topic, message, reasonCode, reason) =>
        tell({ who, message, filter: topic }, 'PUBLISH', 'publish_stopped', () => ({
          facts: { topic, reason_code: reasonCode, reason },
        })),
      ),
      on('message.delivered', (client, message, qos) =>
        this.ofDelivery(client, message, 'delivered', () => ({
          facts: { topic: message.topic, qos, from: message.from },
        })),
      ),
      on('message.queued', (client, message, qos) =>
        this.ofDelivery(client, message, 'queued', () => ({
          facts: { topic: message.topic, qos, from: message.from, connected: client.connected },
        })),
      ),
      on('message.acked', (client, message) =>
        this.ofDelivery(client, message, 'acknowledged', () => ({ facts: { topic: message.topic } })),
      ),
      on('message.dropped', (client, message, reason) => {
        if (client === null)
          this.ofMessage(message, 'dropped', () => ({ facts: { topic: message.topic, reason } }));
        else
          this.ofDelivery(client, message, 'dropped', () => ({
            facts: { topic: message.topic, reason, from: message.from },
          }));
      }),
    ];
  }

  private began(message: Message, msg: string): void {
    this.topics.set(message, message.topic);
    this.ofMessage(message, msg, () => ({
      facts: {
        topic: message.topic,
        qos: message.qos,
        retain: message.retain,
        ...(message.trail.length > 0 && { rules: message.trail.join(' ') }),
      },
      payload: message.payload,
    }));
  }

  private ofSession({ who }: Client, msg: string): void {
    this.tell({ who }, 'SESSION', msg, () => ({}));
  }

  /** About a message and its publisher. */
  private ofMessage(message: Message, msg: string, told: () => Told): void {
    const { publisher, from } = message;
    this.tell({ who: publisher, message, ...this.earlier(message) }, 'PUBLISH', msg, () => ({
      ...(publisher === null &&
        from !== '' && { peer: { clientid: from, username: null, address: '', port: 0 } }),
      ...told(),
    }));
  }

  /** About a message and one who gets it, or does not. */
  private ofDelivery({ who }: Client, message: Message, msg: string, told: () => Told): void {
    this.tell({ who, message, ...this.earlier(message) }, 'DELIVER', msg, told);
  }

  private earlier(message: Message): About {
    return { earlierTopic: this.topics.get(message) ?? null };
  }

  private readonly onRule = (ruleId: string, message: Message | null, step: RuleStep): void => {
    const about = { who: message?.publisher ?? null, message, ruleId };
    const word = step.what === 'fate' ? `action_${step.fate}` : RULE_WORDS[step.what];
    this.tell(about, 'RULE', word, () => {
      switch (step.what) {
        case 'result':
          return { facts: { rule: ruleId }, result: step.result };
        case 'failed':
          return { facts: { rule: ruleId, reason: step.reason } };
        case 'action':
          return {
            facts: {
              rule: ruleId,
              action: step.action,
              outcome: step.outcome,
              ...(step.reason !== null && { reason: step.reason }),
            },
          };
        case 'fate':
          return {
            facts: {
              rule: ruleId,
              action: step.action,
              ...(step.reason !== null && { reason: step.reason }),
            },
          };
        default:
          return { facts: { rule: ruleId } };
      }
    });
  };

  private readonly on = <N extends HookName>(name: N, run: HookTypes[N], priority = 0): (() => void) =>
    this.parts.core.hooks.on(name, run, { owner: OWNER, priority });

  private readonly tell = (about: About, tag: TraceEvent['tag'], msg: string, told: () => Told): void => {
    const { audience, core } = this.parts;
    const subject = { ...NOTHING, ...about };
    if (!audience.wants(subject)) return;
    const { who, message } = subject;
    const { peer = who, facts = {}, payload = null, result = null } = told();
    const messageId = message === null ? null : message.id.toUpperCase();
    audience.take(subject, { at: core.clock.refresh(), tag, msg, peer, messageId, facts, payload, result });
  };
}

const NOTHING: Subject = { who: null, message: null, earlierTopic: null, filter: null, ruleId: null };

const RULE_WORDS: Record<Exclude<RuleStep['what'], 'fate'>, string> = {
  matched: 'rule_matched',
  result: 'rule_result',
  no_result: 'rule_no_result',
  failed: 'rule_failed',
  action: 'action_done',
};

/** Neither the password nor what properties hold: tokens travel in both. */
const connectFacts = ({
  protocolVersion,
  cleanStart,
  keepAlive,
  username,
  password,
  will,
  properties,
}: ConnectPacket): Told => ({
  facts: {
    protocol_version: protocolVersion,
    clean_start: cleanStart,
    keepalive: keepAlive,
    has_username: username !== null,
    ...(password !== null && { password: HIDDEN }),
    ...(properties.sessionExpiryInterval !== undefined && {
      session_expiry_interval: properties.sessionExpiryInterval,
    }),
    ...(properties.receiveMaximum !== undefined && { receive_maximum: properties.receiveMaximum }),
    ...(properties.authenticationMethod !== undefined && { method: properties.authenticationMethod }),
    ...(will && { will_topic: will.topic, will_qos: will.qos, will_retain: will.retain }),
  },
});
