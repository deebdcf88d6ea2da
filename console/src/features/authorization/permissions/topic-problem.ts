import { unknownPlaceholder } from '@mqdeck/contract/acl/topic-template';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import type { Words } from '../../../i18n/words.ts';
import type { permissionWords } from './words.ts';

const KNOWN = '${username}, ${clientid}, ${client_attrs.NAME}';
const PLACEHOLDER = /\$\{[^{}]*\}|%[cu]/g;

/** Why a topic of a rule cannot be meant, or null. */
export function topicProblem(topic: unknown, w: Words<typeof permissionWords>): string | null {
  const text = String(topic ?? '');
  const exact = text.startsWith('eq ');
  const filter = exact ? text.slice(3) : text;
  if (filter.trim() === '') return w.topicRequired;
  if (filter !== filter.trim()) return w.topicSpace;
  if (exact) return isValidFilter(filter) ? null : w.topicFault;
  const unknown = unknownPlaceholder(filter);
  if (unknown !== null) return w.placeholderFault({ name: unknown, known: KNOWN });
  // A name may stand in a level, but is no wildcard itself.
  return isValidFilter(filter.replace(PLACEHOLDER, 'x')) ? null : w.topicFault;
}

/** Under every field of a topic. */
export const topicHint = (w: Words<typeof permissionWords>): string =>
  w.topicHint({ clientid: '${clientid}', username: '${username}' });
