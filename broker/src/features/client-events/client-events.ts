import { createHash } from 'node:crypto';
import {
  CLIENT_EVENTS_MAX,
  CLIENTS_REMEMBERED_MAX,
  type ClientEventActor,
  type ClientEventType,
} from '@mqdeck/contract/client-events';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import type { ClientInfo, Denial } from '../../core/hooks.ts';
import { currentDeed } from '../../deeds.ts';

/** What is said of an event beside what it is and when; the contract tells what each is. */
interface Facts {
  ip_address?: string;
  port?: number;
  listener?: string;
  username?: string | null;
  proto_name?: string;
  proto_ver?: number | string;
  keepalive?: number;
  clean_start?: boolean;
  expiry_interval?: number;
  session_present?: boolean;
  took_over?: string;
  taken_over_by?: string;
  connected_ms?: number;
  reason?: string;
  reason_code?: number;
  why?: string | null;
  action?: 'publish' | 'subscribe';
  denied_by?: string;
  rule?: string | null;
  topic?: string;
  filters?: string[];
  filter_count?: number;
  qos?: number | undefined;
  by?: ClientEventActor;
}

/** An event as it is kept; times are epoch ms. */
export interface Heard {
  readonly id: number;
  readonly type: ClientEventType;
  readonly at: number;
  lastAt: number;
  times: number;
  facts: Facts;
}

interface Remembered {
  /** Of an id too long to be kept as it is, its beginning. */
  readonly clientid: string;
  events: Heard[];
  forgotten: number;
  /** Ended in favour of a connection that is not there yet. */
  takenOver: Heard | null;
}

/** Of all clients together: about 300 bytes each. */
const EVENTS_MAX = 100_000;
const ID_MAX = 256;
const TEXT_MAX = 256;
const FILTERS_SHOWN = 8;
/** Subscriptions within it are one event. */
const TOGETHER_MS = 1000;
/** The same attempt within it is told by a number. */
const FOLD_MS = 600_000;
const LEAST_FAILURE = 0x80;
const OWNER = 'client-events';

/** What clients do and what is done to them, in memory: the last events of each, and of no more clients than promised. */
export class ClientEvents {
  /** In the order of their last events. */
  private readonly clients = new Map<string, Remembered>();
  private eventCount = 0;
  private lastId = 0;
  private readonly now: () => number;
  private readonly ends: (() => void)[];

  constructor({ hooks, clock }: Core) {
    this.now = () => clock.now;
    const options = { owner: OWNER };
    this.ends = [
      hooks.on(
        'client.connack',
        (who, code, why) => {
          if (code >= LEAST_FAILURE) this.refused(who, code, why);
        },
        options,
      ),
      hooks.on('session.created', (client) => this.connected(client, false), options),
      hooks.on('session.resumed', (client) => this.connected(client, true), options),
      hooks.on('client.disconnected', (client, reason) => this.disconnected(client, reason), options),
      hooks.on(
        'session.discarded',
        (client) => void this.add(client.clientid, 'session_discarded', {}),
        options,
      ),
      hooks.on('session.terminated', (client) => this.ended(client), options),
      hooks.on('client.denied', (who, action, topic, by) => this.denied(who, action, topic, by), options),
      hooks.on(
        'message.stopped',
        (who, topic, message, code) => {
          const byLimit = message === null && code === ReasonCode.QuotaExceeded;
          if (who !== null && byLimit) this.again(who.clientid, 'limited', { topic: cut(topic) }, []);
        },
        options,
      ),
      hooks.on(
        'session.subscribed',
        ({ clientid }, filter, { qos }) => this.filter(clientid, 'subscribed', filter, { qos }),
        options,
      ),
      hooks.on(
        'session.unsubscribed',
        ({ clientid }, filter) => this.filter(clientid, 'unsubscribed', filter, {}),
        options,
      ),
      hooks.on(
        'session.subscribe_refused',
        ({ clientid }, filter, code) => {
          this.again(clientid, 'subscribe_refused', { topic: cut(filter), reason_code: code }, [
            'topic',
            'reason_code',
          ]);
        },
        options,
      ),
    ];
  }

  /** The latest first. */
  of(clientid: string): { events: readonly Heard[]; forgotten: number } {
    const { events, forgotten } = this.clients.get(keyOf(clientid)) ?? { events: [], forgotten: 0 };
    return { events: [...events].reverse(), forgotten };
  }

  /** How often since then another connection of its ID ended the one of a client, the last time from where. */
  takeovers(clientid: string, since: number): { times: number; by: string | null } {
    const { events = [] } = this.clients.get(keyOf(clientid)) ?? {};
    const found = events.filter(({ at, facts }) => at >= since && facts.reason === 'takenover');
    return { times: found.length, by: found.at(-1)?.facts.taken_over_by ?? null };
  }

  /** Those of whom something was heard last, first. */
  *seen(): Generator<{ clientid: string; last: Heard }> {
    for (const { clientid, events } of [...this.clients.values()].reverse())
      if (events.length > 0) yield { clientid, last: events.at(-1)! };
  }

  get size(): { clients: number; events: number } {
    return { clients: this.clients.size, events: this.eventCount };
  }

  close(): void {
    for (const end of this.ends) end();
    this.clients.clear();
  }

  private connected(client: Client, present: boolean): void {
    const { who, keepalive, cleanStart, expiryInterval } = client;
    const { address, port, listener, username } = who;
    const here = placeOf(address, port);
    const known = this.clients.get(keyOf(client.clientid));
    const before = known?.takenOver ?? null;
    if (known) known.takenOver = null;
    if (before) before.facts = { ...before.facts, taken_over_by: here };
    this.add(client.clientid, 'connected', {
      ip_address: address,
      port,
      listener,
      username: username === null ? null : cut(username),
      ...protocolOf(who),
      keepalive,
      clean_start: cleanStart,
      expiry_interval: expiryInterval,
      session_present: present,
      ...(before && { took_over: placeOf(before.facts.ip_address ?? '', before.facts.port ?? 0) }),
    });
  }

  private disconnected(client: Client, reason: string): void {
    const { address, port } = client.who;
    const heard = this.add(client.clientid, 'disconnected', {
      reason,
      ip_address: address,
      port,
      connected_ms: Math.max(0, this.now() - client.connectedAt),
      ...this.actor(),
    });
    if (reason === 'takenover') this.clients.get(keyOf(client.clientid))!.takenOver = heard;
  }

  /** That of a client which leaves no session ends with its connection: nothing to be told besides. */
  private ended({ clientid, expiryInterval }: Client): void {
    if (expiryInterval === 0) return;
    const last = this.clients.get(keyOf(clientid))?.events.at(-1);
    const kickedOut = last?.facts.reason === 'kicked' && this.now() - last.at < TOGETHER_MS;
    if (!kickedOut) this.add(clientid, 'session_ended', this.actor());
  }

  private refused(who: ClientInfo, code: number, why: string | null): void {
    if (who.clientid === '') return; // nobody knows whose it was
    const { address, port, listener, username } = who;
    const facts = {
      reason_code: code,
      why: why === null ? null : cut(why),
      ip_address: address,
      port,
      listener,
      username: username === null ? null : cut(username),
      ...protocolOf(who),
    };
    this.again(who.clientid, 'refused', facts, ['reason_code', 'why', 'ip_address', 'listener', 'username']);
  }

  private denied(
    { clientid, address }: ClientInfo,
    action: 'publish' | 'subscribe',
    topic: string,
    { source, rule }: Denial,
  ): void {
    const facts = {
      action,
      topic: cut(topic),
      denied_by: cut(source),
      rule: rule === null ? null : cut(rule),
      ip_address: address,
    };
    this.again(clientid, 'denied', facts, ['action', 'topic', 'denied_by', 'rule']);
  }

  /** Several at once are one event. */
  private filter(clientid: string, type: 'subscribed' | 'unsubscribed', filter: string, more: Facts): void {
    const last = this.clients.get(keyOf(clientid))?.events.at(-1);
    const by = this.actor();
    const together =
      last?.type === type &&
      this.now() - last.lastAt < TOGETHER_MS &&
      last.facts.by?.source === by.by?.source;
    if (!together) {
      this.add(clientid, type, { filters: [cut(filter)], filter_count: 1, ...more, ...by });
      return;
    }
    const { filters = [], filter_count = 0 } = last.facts;
    if (filters.length < FILTERS_SHOWN) filters.push(cut(filter));
    last.facts.filter_count = filter_count + 1;
    if (last.facts.qos !== more.qos) last.facts.qos = undefined;
    last.lastAt = this.now();
  }

  private actor(): { by?: ClientEventActor } {
    const deed = currentDeed();
    if (deed === null) return {};
    const { from, source, address, operation } = deed.actor;
    return { by: { from, source, source_ip: address, operation } };
  }

  /** One that is like the last one of its kind is counted there; a client that tries on and on pushes nothing out. */
  private again(
    clientid: string,
    type: ClientEventType,
    facts: Facts,
    alike: readonly (keyof Facts)[],
  ): void {
    const now = this.now();
    const events = this.clients.get(keyOf(clientid))?.events ?? [];
    const before = events.findLast(
      (event) => event.type === type && alike.every((name) => event.facts[name] === facts[name]),
    );
    if (before === undefined || now - before.lastAt > FOLD_MS) {
      this.add(clientid, type, facts);
      return;
    }
    before.times++;
    before.lastAt = now;
  }

  private add(clientid: string, type: ClientEventType, facts: Facts): Heard {
    const key = keyOf(clientid);
    const known = this.clients.get(key) ?? {
      clientid: cut(clientid, ID_MAX),
      events: [],
      forgotten: 0,
      takenOver: null,
    };
    this.clients.delete(key); // moves it to the end
    this.clients.set(key, known);
    const now = this.now();
    const heard = { id: ++this.lastId, type, at: now, lastAt: now, times: 1, facts };
    known.events.push(heard);
    this.eventCount++;
    if (known.events.length > CLIENT_EVENTS_MAX) {
      known.events.shift();
      known.forgotten++;
      this.eventCount--;
    }
    this.forgetOldest();
    return heard;
  }

  private forgetOldest(): void {
    for (const [key, { events }] of this.clients) {
      if (this.clients.size <= CLIENTS_REMEMBERED_MAX && this.eventCount <= EVENTS_MAX) return;
      this.clients.delete(key);
      this.eventCount -= events.length;
    }
  }
}

const protocolOf = ({ guest, protocolVersion }: ClientInfo): Pick<Facts, 'proto_name' | 'proto_ver'> =>
  guest
    ? { proto_name: cut(guest.protocolName), proto_ver: cut(guest.protocolVersion) }
    : { proto_ver: protocolVersion };

const placeOf = (address: string, port: number): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/** Ids come from whoever knocks, and may be 64 KB long. */
const keyOf = (clientid: string): string =>
  clientid.length <= ID_MAX ? clientid : `\u0000${createHash('sha256').update(clientid).digest('base64')}`;

/** A part of a text would keep the whole of it in memory, so it is copied. */
const cut = (text: string, max = TEXT_MAX): string =>
  text.length <= max ? text : `${Buffer.from(text.slice(0, max)).toString()}…`;
