import { isMqttText } from './utf8.ts';

const SLASH = 0x2f;
const PLUS = 0x2b;
const HASH = 0x23;
const DOLLAR = 0x24;

export const topicLevels = (topicOrFilter: string): string[] => topicOrFilter.split('/');

/** Whether messages may be published to it: not empty, no wildcards [MQTT-3.3.2-2] [MQTT-4.7.3-1]. */
export const isValidTopic = (topic: string): boolean =>
  topic.length > 0 && !topic.includes('+') && !topic.includes('#') && isMqttText(topic);

const SYSTEM = '$SYS';

/** Whether it belongs to what a broker says of itself, `$SYS/#`. */
export const isSystemTopic = (topic: string): boolean =>
  topic.charCodeAt(0) === DOLLAR &&
  topic.startsWith(SYSTEM) &&
  (topic.length === SYSTEM.length || topic.charCodeAt(SYSTEM.length) === SLASH);

/** Whether it may be subscribed to; a shared filter needs a proper group and a proper filter behind it. */
export function isValidFilter(filter: string): boolean {
  if (!isMqttText(filter)) return false;
  return looksShared(filter) ? parseShared(filter) !== null : isValidPlainFilter(filter);
}

function isValidPlainFilter(filter: string): boolean {
  if (filter.length === 0) return false; // [MQTT-4.7.3-1]
  const last = filter.length - 1;
  for (let i = 0; i <= last; i++) {
    const char = filter.charCodeAt(i);
    if (char !== PLUS && char !== HASH) continue;
    if (i > 0 && filter.charCodeAt(i - 1) !== SLASH) return false; // a wildcard fills its level [MQTT-4.7.1-2]
    if (i < last && (char === HASH || filter.charCodeAt(i + 1) !== SLASH)) return false; // [MQTT-4.7.1-1]
  }
  return true;
}

const SHARE = '$share/';
/** The older EMQX spelling of a shared subscription, without a group name. */
const QUEUE = '$queue/';

const looksShared = (filter: string): boolean => filter.startsWith(SHARE) || filter.startsWith(QUEUE);

export interface SharedFilter {
  /** The share name; `$queue` for `$queue/filter`. */
  group: string;
  /** What topics are matched against. */
  filter: string;
}

/** Takes `$share/group/filter` and `$queue/filter` apart; null when the filter is not shared or is invalid. */
export function parseShared(filter: string): SharedFilter | null {
  if (!looksShared(filter)) return null;
  const queue = filter.startsWith(QUEUE);
  const groupEnd = queue ? QUEUE.length - 1 : filter.indexOf('/', SHARE.length);
  if (groupEnd < 0) return null; // [MQTT-4.8.2-2]
  const group = queue ? '$queue' : filter.slice(SHARE.length, groupEnd);
  if (group === '' || group.includes('+') || group.includes('#')) return null; // [MQTT-4.8.2-1] [MQTT-4.8.2-2]
  const inner = filter.slice(groupEnd + 1);
  // A share of a share has no meaning
  return isValidPlainFilter(inner) && !looksShared(inner) ? { group, filter: inner } : null;
}

const EXCLUSIVE = '$exclusive/';

/** What `$exclusive/filter`, EMQX's subscription for one client only, is matched by; null when it is no such filter. */
export const parseExclusive = (filter: string): string | null =>
  filter.startsWith(EXCLUSIVE) ? filter.slice(EXCLUSIVE.length) : null;

/** Whether a message to `topic` reaches a subscription to `filter`; both valid, the filter without its share part. */
export function filterMatches(filter: string, topic: string): boolean {
  if (topic.charCodeAt(0) === DOLLAR) {
    const first = filter.charCodeAt(0);
    if (first === PLUS || first === HASH) return false; // [MQTT-4.7.2-1]
  }
  const filterEnd = filter.length;
  const topicEnd = topic.length;
  let f = 0;
  let t = 0;
  for (;;) {
    const char = filter.charCodeAt(f);
    if (char === HASH) return true;
    if (char === PLUS) {
      f++;
      while (t < topicEnd && topic.charCodeAt(t) !== SLASH) t++;
    } else {
      for (; f < filterEnd && filter.charCodeAt(f) !== SLASH; f++, t++) {
        if (t === topicEnd || topic.charCodeAt(t) !== filter.charCodeAt(f)) return false;
      }
      if (t < topicEnd && topic.charCodeAt(t) !== SLASH) return false;
    }
    if (f === filterEnd) return t === topicEnd;
    if (t === topicEnd) return filter.charCodeAt(f + 1) === HASH; // a/# matches a
    f++;
    t++;
  }
}
