import type {
  AckPacket,
  Properties,
  ProtocolVersion,
  QoS,
  SubscriptionOptions,
  Will,
} from '@mqdeck/mqtt/packets';
import { C } from '../counters.ts';
import { Delivery, DeliveryState } from '../delivery.ts';
import type { ClientInfo } from '../hooks.ts';
import { Message } from '../message.ts';
import type { MqttCore } from '../mqtt-core.ts';
import type { Subscription } from '../router.ts';
import { Session } from '../session.ts';
import type { Creditor, SessionStore } from './session-store.ts';
import type { Collection, Entry, Key, Store } from './store.ts';

interface StoredSession {
  who: ClientInfo;
  protocolVersion: ProtocolVersion;
  bridge: boolean;
  cleanStart: boolean;
  keepalive: number;
  expiryInterval: number;
  inflightMax: number;
  createdAt: number;
  connectedAt: number;
  disconnectedAt: number | null;
  will: Will | null;
}

interface StoredSubscription {
  filter: string;
  options: SubscriptionOptions;
  identifier: number;
}

const FULL = 5000; // deliveries of a group: written in some ten milliseconds
const SLICE = 500; // rows of sessions that ended: so many are removed with a group, in a few milliseconds
const OWN_BODY = 0; // in the place of a message's number
const OWN_BODY_BYTES_MAX = 4096; // a row is written anew when its delivery moves on

type StoredDelivery = [
  message: number,
  qos: QoS,
  retain: boolean,
  identifier: number,
  state: DeliveryState,
  packetId: number,
  body?: StoredMessage | null, // of a message that nobody else gets
  sentAt?: number, // epoch ms; of one that was sent
];

type StoredMessage = [
  topic: string,
  qos: QoS,
  retain: boolean,
  from: string,
  timestamp: number,
  expiresAt: number,
  payload: Uint8Array,
  properties: Properties,
];

interface Owed {
  creditor: Creditor;
  type: AckPacket['type'];
  packetId: number;
  reasonCode: number;
  bytes: Uint8Array | null;
}

/**
 * Persistent sessions in the store. Keeps what changed since the last group and writes the outcome only: a message
 * that came and was acknowledged within the same group costs the disk nothing.
 */
export class StoredSessions implements SessionStore {
  owed = false;
  private readonly core: MqttCore;
  private readonly store: Store;
  private readonly sessions: Collection<StoredSession>;
  private readonly subscriptions: Collection<StoredSubscription>;
  private readonly queues: Collection<StoredDelivery>;
  private readonly messages: Collection<StoredMessage>;
  private readonly awaitingRel: Collection<number>;
  private readonly ask: () => void;
  private asked = false;
  private leftovers: Generator<undefined>[] = [];
  private changedSessions = new Set<Session>();
  private changedDeliveries = new Map<Delivery, Session>();
  private waiting: (Owed | (() => void))[] = [];
  /** Of those who wait, but not for longer than the disk refuses. */
  private readonly refusals = new Set<(cause: Error) => void>();
  private writing: (Owed | (() => void))[] = [];
  /** Session → filter → number in the store. */
  private readonly filterNumbers = new WeakMap<Session, Map<string, number>>();
  private lastSession = 0;
  private lastMessage = 0;
  private lastFilter = 0;

  constructor(core: MqttCore, store: Store) {
    this.core = core;
    this.store = store;
    this.sessions = store.collection('sessions');
    this.subscriptions = store.collection('subscriptions');
    // Version 1 knew no body in the row; its rows are read as they are
    this.queues = store.collection('queues', { version: 2, migrate: (row) => row });
    this.messages = store.collection('messages');
    this.awaitingRel = store.collection('awaiting_rel');
    this.ask = store.joinGroups({ prepare: () => this.prepare(), committed: () => this.committed() });
    store.onTrouble((trouble) => trouble && this.refuse(trouble));
    store.onDamage((collection, key) =>
      core.log.error({ collection, key }, 'a stored record is damaged and is dropped'),
    );
  }

  flushed(): Promise<void> {
    return this.store.flushed();
  }

  /** More than this in one group would hold everybody up. */
  get full(): boolean {
    return this.changedDeliveries.size >= FULL;
  }

  save(session: Session): void {
    if (session.storeNumber === 0) session.storeNumber = ++this.lastSession;
    this.changedSessions.add(session);
    this.owe();
  }

  remove(session: Session): void {
    const number = session.storeNumber;
    this.changedSessions.delete(session);
    this.sessions.remove(number);
    this.leftovers.push(this.removeRows(number, this.filterNumbers.get(session)));
    session.storeNumber = 0; // by which a waiting group knows that its deliveries are over
    this.filterNumbers.delete(session);
    this.owe();
  }

  /**
   * A row at a time: a session may leave hundreds of thousands, and hundreds may end together. Nobody asks for them any
   * more, and what a crash leaves of them goes in `load`.
   */
  private *removeRows(session: number, filters: Map<string, number> | undefined): Generator<undefined> {
    for (const filter of filters?.values() ?? []) {
      this.subscriptions.remove([session, filter]);
      yield;
    }
    yield* this.removeAll(this.awaitingRel, session, () => undefined);
    yield* this.removeAll(this.queues, session, ([message]) => {
      if (message !== OWN_BODY) this.forgetMessage(message);
    });
  }

  private *removeAll<T>(
    rows: Collection<T>,
    session: number,
    removed: (row: T) => void,
  ): Generator<undefined> {
    let start: Key = [session];
    for (;;) {
      const slice: Entry<T>[] = [...rows.range({ start, end: [session + 1], limit: SLICE })];
      for (const { key, value } of slice) {
        rows.remove(key);
        removed(value);
        yield;
      }
      if (slice.length < SLICE) return;
      start = slice.at(-1)!.key;
    }
  }

  private removeLeftovers(): void {
    if (this.store.trouble) return; // their removal would only wait with the rest
    for (let i = 0; i < SLICE && this.leftovers.length > 0; i++)
      if (this.leftovers.at(-1)!.next().done) this.leftovers.pop();
  }

  /** What is still to be removed then stays, for `load`. */
  close(): void {
    this.leftovers = [];
  }

  subscribed(session: Session, subscription: Subscription): void {
    let numbers = this.filterNumbers.get(session);
    if (!numbers) {
      numbers = new Map();
      this.filterNumbers.set(session, numbers);
    }
    const { filter, qos, noLocal, retainAsPublished, retainHandling, subscriptionIdentifier } = subscription;
    const number = numbers.get(filter) ?? ++this.lastFilter;
    numbers.set(filter, number);
    this.subscriptions.put([session.storeNumber, number], {
      filter,
      options: { qos, noLocal, retainAsPublished, retainHandling },
      identifier: subscriptionIdentifier,
    });
    this.owe();
  }

  unsubscribed(session: Session, filter: string): void {
    const numbers = this.filterNumbers.get(session);
    const number = numbers?.get(filter);
    if (number === undefined) return;
    numbers?.delete(filter);
    this.subscriptions.remove([session.storeNumber, number]);
    this.owe();
  }

  changed(session: Session, delivery: Delivery): void {
    this.changedDeliveries.set(delivery, session);
    this.owe();
  }

  done(session: Session, delivery: Delivery): void {
    if (delivery.stored) this.changedDeliveries.set(delivery, session);
    else this.changedDeliveries.delete(delivery);
    if (delivery.stored) this.touch();
  }

  awaits(session: Session, packetId: number): void {
    this.awaitingRel.put(
      [session.storeNumber, packetId],
      this.core.clock.now + session.settings.awaitRelTimeoutMs,
    );
    this.owe();
  }

  released(session: Session, packetId: number): void {
    this.awaitingRel.remove([session.storeNumber, packetId]);
    this.touch();
  }

  whenSafe(
    creditor: Creditor,
    type: AckPacket['type'],
    packetId: number,
    reasonCode: number,
    bytes: Uint8Array | null,
  ): void {
    this.waiting.push({ creditor, type, packetId, reasonCode, bytes });
    this.touch();
  }

  onceSafe(run: () => void): void {
    this.waiting.push(run);
    this.touch();
  }

  get trouble(): Error | null {
    return this.store.trouble;
  }

  /** As `onceSafe`; rejects when the disk refuses the group. */
  safe(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.refusals.add(reject);
      this.onceSafe(() => {
        this.refusals.delete(reject);
        resolve();
      });
    });
  }

  private refuse(trouble: Error): void {
    for (const reject of this.refusals) reject(trouble);
    this.refusals.clear();
  }

  private owe(): void {
    this.owed = true;
    this.touch();
  }

  private touch(): void {
    if (this.asked) return;
    this.asked = true;
    this.ask();
  }

  private prepare(): void {
    this.asked = false;
    // More than one group may be on its way when the disk refused the first
    this.writing = this.writing.length === 0 ? this.waiting : this.writing.concat(this.waiting);
    this.waiting = [];
    for (const session of this.changedSessions) this.sessions.put(session.storeNumber, record(session));
    this.changedSessions = new Set();
    const changed = [...this.changedDeliveries];
    changed.forEach(([delivery, session], i) => {
      // Those of one message come one after the other
      const { message } = delivery;
      const shared = changed[i - 1]?.[0].message === message || changed[i + 1]?.[0].message === message;
      this.writeDelivery(delivery, session, shared);
    });
    this.changedDeliveries = new Map();
    this.removeLeftovers();
  }

  private writeDelivery(delivery: Delivery, session: Session, shared: boolean): void {
    const { message } = delivery;
    if (delivery.over || session.storeNumber === 0) {
      if (!delivery.stored) return;
      delivery.stored = false;
      if (session.storeNumber === 0) return; // removed with its session
      this.queues.remove([session.storeNumber, delivery.sequence]);
      if (!delivery.ownBody) this.forgetUse(message);
      return;
    }
    const { qos, retain, identifier, state, packetId, sequence } = delivery;
    const key = [session.storeNumber, sequence];
    if (!delivery.stored) {
      delivery.stored = true;
      delivery.ownBody = !shared && message.stored === 0 && message.payloadBytes <= OWN_BODY_BYTES_MAX;
      if (!delivery.ownBody) this.use(message);
    }
    const number = delivery.ownBody ? OWN_BODY : message.stored;
    const row: StoredDelivery = [number, qos, retain, identifier, state, packetId];
    const sent = state !== DeliveryState.Queued;
    if (delivery.ownBody || sent) row.push(delivery.ownBody ? body(message) : null);
    if (sent) row.push(delivery.sentAt || Math.floor(delivery.order / 1000)); // QoS 2 leaves once it is on disk
    this.queues.put(key, row);
  }

  /** Message number → how many queues hold it. */
  private readonly uses = new Map<number, number>();

  private use(message: Message): void {
    // Its body may have left with the last session that held it
    if (!this.uses.has(message.stored)) {
      message.stored = ++this.lastMessage;
      this.messages.put(message.stored, body(message));
      this.uses.set(message.stored, 0);
    }
    this.uses.set(message.stored, (this.uses.get(message.stored) ?? 0) + 1);
  }

  private forgetUse(message: Message): void {
    const number = message.stored;
    if (this.forgetMessage(number)) message.stored = 0;
  }

  private forgetMessage(number: number): boolean {
    const left = (this.uses.get(number) ?? 1) - 1;
    if (left > 0) {
      this.uses.set(number, left);
      return false;
    }
    this.uses.delete(number);
    this.messages.remove(number);
    return true;
  }

  private committed(): void {
    const { writing } = this;
    this.writing = [];
    if (this.leftovers.length > 0) this.touch();
    for (const owed of writing) {
      if (typeof owed === 'function') owed();
      else owed.creditor.settle(owed.type, owed.packetId, owed.reasonCode, owed.bytes);
    }
  }

  /** At the start: all sessions come back without a client. Nobody is connected yet. */
  load(): void {
    const messages = new Map<number, Message>();
    for (const { key, value } of this.messages.range()) {
      this.lastMessage = Math.max(this.lastMessage, key as number);
      const message = revived(value, key as number);
      if (message) messages.set(key as number, message);
      else this.discard(key as number);
    }
    const known = new Set<number>();
    for (const { key, value } of this.sessions.range()) {
      known.add(key as number);
      this.loadSession(key as number, value, messages);
    }
    // Of a session whose own record was damaged: the next one of its number must not inherit
    for (const rows of [this.subscriptions, this.queues, this.awaitingRel])
      for (const { key } of rows.range()) if (!known.has((key as Key[])[0] as number)) rows.remove(key);
    // A body without a queue: the broker died between the two, or a session was discarded
    for (const number of messages.keys()) if (!this.uses.has(number)) this.messages.remove(number);
  }

  private discard(number: number): void {
    this.messages.remove(number);
    this.unreadable({ number });
  }

  private unreadable(where: object): void {
    this.core.counters.add(C['delivery.dropped.unencodable']);
    this.core.log.error(where, 'a stored message cannot be read and is dropped');
  }

  private loadSession(number: number, stored: StoredSession, messages: Map<number, Message>): void {
    const { core } = this;
    this.lastSession = Math.max(this.lastSession, number);
    const session = new Session(core, core.entrance(stored.who.listener), stored.who, stored);
    session.createdAt = stored.createdAt;
    session.connectedAt = stored.connectedAt;
    session.disconnectedAt = stored.disconnectedAt ?? core.clock.now;
    session.will = stored.will;
    session.storeNumber = number;
    const all = { start: [number], end: [number + 1] };
    const numbers = new Map<string, number>();
    this.filterNumbers.set(session, numbers);
    for (const { key, value } of this.subscriptions.range(all)) {
      const filterNumber = (key as number[])[1]!;
      this.lastFilter = Math.max(this.lastFilter, filterNumber);
      numbers.set(value.filter, filterNumber);
      session.subscribe(value.filter, value.options, value.identifier);
    }
    const deliveries: Delivery[] = [];
    for (const { key, value } of this.queues.range(all)) {
      const [messageNumber, qos, retain, identifier, state, packetId, ownBody, sentAt] = value;
      const message = ownBody ? revived(ownBody, 0) : messages.get(messageNumber);
      if (!message) {
        this.queues.remove(key);
        if (ownBody) this.unreadable({ key });
        continue;
      }
      if (!ownBody) this.uses.set(messageNumber, (this.uses.get(messageNumber) ?? 0) + 1);
      const delivery = new Delivery(message, null, identifier, qos, retain, (key as number[])[1]!);
      delivery.state = state;
      delivery.packetId = packetId;
      delivery.stored = true;
      delivery.sentAt = sentAt ?? core.clock.now; // as far as we know
      delivery.ownBody = ownBody !== undefined && ownBody !== null;
      deliveries.push(delivery);
    }
    const awaitingRel: [number, number][] = [];
    for (const { key, value } of this.awaitingRel.range(all))
      awaitingRel.push([(key as number[])[1]!, value - session.settings.awaitRelTimeoutMs]);
    session.restore(deliveries, awaitingRel);
    session.store = this;
    core.registry.restore(session);
    session.waitForClient();
  }
}

const record = (session: Session): StoredSession => ({
  who: session.who,
  ...session.asked,
  createdAt: session.createdAt,
  connectedAt: session.connectedAt,
  disconnectedAt: session.disconnectedAt,
  will: session.will,
});

const body = (message: Message): StoredMessage => [
  message.topic,
  message.qos,
  message.retain,
  message.from,
  message.timestamp,
  message.expiresAt,
  message.payload,
  message.properties,
];

/** Null when it is no message. */
function revived(stored: StoredMessage, number: number): Message | null {
  if (!Array.isArray(stored) || typeof stored[0] !== 'string' || !(stored[6] instanceof Uint8Array))
    return null;
  const [topic, qos, retain, from, timestamp, expiresAt, payload, properties] = stored;
  const message = new Message(
    topic,
    qos,
    retain,
    payload,
    0,
    payload.length,
    properties,
    from,
    null,
    timestamp,
  );
  message.expiresAt = expiresAt;
  message.stored = number;
  return message;
}
