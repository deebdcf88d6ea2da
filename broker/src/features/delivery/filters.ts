import { filterMatches, parseExclusive, parseShared, topicLevels } from '@mqdeck/mqtt/topics';

/** What a filter matches by: without the group that shares it. */
export const plainFilter = (filter: string): string =>
  parseShared(filter)?.filter ?? parseExclusive(filter) ?? filter;

const tidied = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^\/+|\/+$/g, '');

/** Why a filter does not match although it looks as if it was meant to; null when it is about something else. */
export function nearMiss(filter: string, topic: string): 'case' | 'slash' | 'level' | 'depth' | null {
  const plain = plainFilter(filter);
  if (filterMatches(plain, topic)) return null;
  if (filterMatches(plain.toLowerCase(), topic.toLowerCase())) return 'case';
  if (filterMatches(tidied(plain), tidied(topic))) return 'slash';
  const [wanted, given] = [topicLevels(plain), topicLevels(topic)];
  if (wanted.length === given.length || wanted.at(-1) === '#') {
    const named = wanted.filter((level) => level !== '#' && level !== '+').length;
    const wrong = wanted.filter((level, i) => level !== '#' && level !== '+' && level !== given[i]).length;
    if (wrong === 1 && named > 1) return 'level';
  }
  return wanted.at(-1) !== '#' && filterMatches(`${plain}/#`, topic) ? 'depth' : null;
}
