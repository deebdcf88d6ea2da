import type { ClientEvent } from '@mqdeck/contract/client-events';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { useWords } from '../../i18n/words.ts';
import { paths } from '../../paths.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { addressText, protocolText } from './protocol.ts';
import type { words } from './timeline-words.ts';

type Words = ReturnType<typeof useWords<typeof words>>;

export const CONTEST_MINUTES = 10;
const CONTEST_LEAST = 2; // once is a device that comes back by another way

/** How often of late another connection of its ID ended that of a client; null: not as if two fought for it. */
export function contestOf(
  events: readonly ClientEvent[],
  now: number,
): { times: number; last: ClientEvent } | null {
  const since = now - CONTEST_MINUTES * 60_000;
  const found = events.filter(({ reason, at }) => reason === 'takenover' && Date.parse(at) >= since);
  return found.length < CONTEST_LEAST ? null : { times: found.length, last: found[0]! };
}

export const KINDS = ['all', 'connections', 'refusals', 'subscriptions'] as const;
export type Kind = (typeof KINDS)[number];

const kinds: Readonly<Record<string, Kind>> = {
  connected: 'connections',
  disconnected: 'connections',
  session_discarded: 'connections',
  session_ended: 'connections',
  refused: 'refusals',
  denied: 'refusals',
  limited: 'refusals',
  subscribe_refused: 'refusals',
  subscribed: 'subscriptions',
  unsubscribed: 'subscriptions',
};
export const kindOf = ({ type }: ClientEvent): Kind => kinds[type] ?? 'all';

export type Tone = 'good' | 'warn' | 'bad' | 'off';

/** Whether somebody should look at it. */
export function toneOf({ type, reason }: ClientEvent): Tone {
  if (type === 'connected') return 'good';
  if (type === 'disconnected') return reason === 'normal' ? 'off' : 'warn';
  return kinds[type] === 'refusals' ? 'bad' : 'off';
}

const placeOf = ({ ip_address = '', port }: ClientEvent): string =>
  visibleText(addressText({ ip_address, ...(port !== undefined && { port }) }) ?? '');

const BY_BAN = 'POST /banned';

/** A text of the words by its name, where there is one. */
function said(w: Words, name: string): string | undefined {
  const text = (w as Readonly<Record<string, unknown>>)[name];
  return typeof text === 'string' ? text : undefined;
}

function endText(w: Words, { reason = '', by }: ClientEvent): string {
  if (reason === 'kicked' && by?.operation === BY_BAN) return w.banned;
  return said(w, reason) ?? visibleText(reason);
}

const codeText = (w: Words, code = 0): string =>
  said(w, `x${code.toString(16).padStart(2, '0')}`) ?? w.otherReason({ code: `0x${code.toString(16)}` });

function filtersText(w: Words, { filters = [], filter_count = filters.length }: ClientEvent): string {
  const listed = filters.map(visibleText).join(', ');
  return filter_count > filters.length
    ? w.andMore({ filters: listed, count: filter_count - filters.length })
    : listed;
}

/** What happened, in a sentence. What a newer broker tells is called as it calls it. */
export function sentenceOf(w: Words, event: ClientEvent): string {
  const topic = visibleText(event.topic ?? '');
  switch (event.type) {
    case 'connected':
      return w.connected({ address: placeOf(event) });
    case 'disconnected':
      return w.disconnected({ reason: endText(w, event) });
    case 'refused':
      return w.refused({ reason: codeText(w, event.reason_code) });
    case 'denied':
      return event.action === 'subscribe' ? w.deniedSubscribe({ topic }) : w.deniedPublish({ topic });
    case 'limited':
      return w.limited({ topic });
    case 'subscribed':
      return w.subscribed({ filters: filtersText(w, event) });
    case 'unsubscribed':
      return w.unsubscribed({ filters: filtersText(w, event) });
    case 'subscribe_refused':
      return w.subscribeRefused({ topic, reason: codeText(w, event.reason_code) });
    case 'session_discarded':
      return w.sessionDiscarded;
    case 'session_ended':
      return event.by ? w.sessionCleaned : w.sessionEnded;
    default:
      return visibleText(event.type);
  }
}

const SYSTEMS: Readonly<Record<string, string>> = {
  http: 'HTTP',
  ldap: 'LDAP',
  mongodb: 'MongoDB',
  mysql: 'MySQL',
  postgresql: 'PostgreSQL',
  redis: 'Redis',
};
const PLUGIN = 'plugin ';

/** Who denied it, and where that can be looked at. */
export function denierOf(
  w: Words,
  { type, denied_by, reason_code }: ClientEvent,
): { text: string; to: string | null } | null {
  if (type === 'refused' && reason_code === ReasonCode.Banned)
    return { text: w.toBlacklist, to: paths.banned() };
  if (denied_by === undefined) return null;
  const by = (source: string, to: string | null) => ({ text: w.deniedBy({ source }), to });
  if (denied_by.startsWith(PLUGIN))
    return by(w.byPlugin({ name: visibleText(denied_by.slice(PLUGIN.length)) }), paths.plugins());
  if (Object.hasOwn(SYSTEMS, denied_by)) return by(SYSTEMS[denied_by]!, paths.authorizationSource(denied_by));
  switch (denied_by) {
    case 'no_match':
      return { text: w.noMatch, to: paths.authorization() };
    case 'system_topic':
      return { text: w.systemTopic, to: null };
    case 'undecided':
      return { text: w.undecided, to: paths.authorization() };
    case 'file':
    case 'built_in_database':
      return by(w[`by.${denied_by}`], paths.authorizationSource(denied_by));
    case 'exhook':
      return by(w['by.exhook'], paths.exhooks());
    case 'client_info':
    case 'hook':
      return by(w[`by.${denied_by}`], null);
    default:
      return by(visibleText(denied_by), null);
  }
}

/** Who did it through the API; of a client that was kicked out by nobody there, who else can have been. */
export function actorText(w: Words, { type, reason, by }: ClientEvent): string | null {
  if (!by) return type === 'disconnected' && reason === 'kicked' ? w.byBroker : null;
  const named = { source: visibleText(by.source), ip: visibleText(by.source_ip) };
  return by.from === 'rest_api' ? w.byKey(named) : w.byUser(named);
}

/** What else is known of it, each in a few words. */
export function factsOf(w: Words, event: ClientEvent, duration: (ms: number) => string): string[] {
  const {
    type,
    username,
    listener,
    why,
    keepalive = 0,
    connected_ms,
    took_over,
    taken_over_by,
    proto_name = 'MQTT',
    proto_ver,
    qos,
  } = event;
  const isArrival = type === 'connected' || type === 'refused';
  return [
    took_over && w.tookOver({ address: visibleText(took_over) }),
    taken_over_by && w.takenOverBy({ address: visibleText(taken_over_by) }),
    why && visibleText(why),
    username && w.asUser({ username: visibleText(username) }),
    isArrival && proto_ver !== undefined && visibleText(protocolText({ proto_name, proto_ver }) ?? ''),
    isArrival && listener,
    type === 'refused' && w.fromAddress({ address: placeOf(event) }),
    type === 'connected' && (event.session_present ? w.sessionFound : w.sessionNew),
    type === 'connected' && keepalive > 0 && w.keepalive({ seconds: String(keepalive) }),
    type === 'disconnected' && w.fromAddress({ address: placeOf(event) }),
    connected_ms !== undefined && w.lasted({ duration: duration(connected_ms) }),
    type === 'subscribed' && qos !== undefined && w.qos({ qos: String(qos) }),
  ].filter((fact): fact is string => typeof fact === 'string' && fact !== '');
}
