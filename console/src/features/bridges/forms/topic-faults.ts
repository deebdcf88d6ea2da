import { isValidFilter } from '@mqdeck/mqtt/topics';

const PLACE = /\$\{[^{}]*\}/g;

/** Whether the field holds wildcards where something is published; a placeholder may stand for any level. */
export const hasWildcards = (value: unknown): boolean => /[+#]/.test(String(value ?? '').replace(PLACE, ''));

/** Whether the field holds what nobody can subscribe to; an empty one holds nothing. */
export const isNoFilter = (value: unknown): boolean => {
  const filter = String(value ?? '');
  return filter !== '' && !isValidFilter(filter);
};
