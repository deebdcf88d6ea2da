import type { AuditChange, AuditEntry } from '@mqdeck/contract/audit';
import { MASK } from '@mqdeck/contract/kit/values';

/** `PUT /users/ops`: the endpoint with the names that stood in its path. */
export function operationText({ http_method, operation_id, http_request }: AuditEntry): string {
  const names: Readonly<Record<string, unknown>> = http_request?.bindings ?? {};
  const path = operation_id.replace(/:(\w+)|\{(\w+)\}/g, (whole, colon?: string, braced?: string) => {
    const value = names[colon ?? braced ?? ''];
    return value === undefined ? whole : String(value);
  });
  return http_method ? `${http_method.toUpperCase()} ${path}` : path;
}

export const kindOf = ({ before, after }: AuditChange): 'added' | 'removed' | 'changed' =>
  before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';

/** Another secret: neither is shown. */
export const isSecret = ({ before, after }: AuditChange): boolean => before === MASK || after === MASK;

export const pathText = ({ path }: AuditChange): string => path.join(' › ');

/** How many names all paths begin with; the last one of a path is its own. */
export function sharedLength(changes: readonly AuditChange[]): number {
  const [first, ...others] = changes;
  if (!first || others.length === 0) return 0;
  let length = 0;
  const isShared = (name: string | undefined, at: number) =>
    name !== undefined && others.every(({ path }) => at < path.length - 1 && path[at] === name);
  while (length < first.path.length - 1 && isShared(first.path[length], length)) length++;
  return length;
}

/** A value as a person reads it; a text stands as it is. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** Why it was not done: of what is wrong with a field, the field and what is wrong with it. */
export function failureText(failure: unknown): string {
  if (failure === undefined || failure === null || failure === '') return '';
  const { code, message } = Object(failure) as { code?: unknown; message?: unknown };
  if (typeof message !== 'string') return valueText(failure);
  return [typeof code === 'string' ? code : '', faultText(message)].filter((part) => part !== '').join(': ');
}

function faultText(message: string): string {
  if (!message.startsWith('{')) return message;
  try {
    const { path, reason } = JSON.parse(message) as { path?: unknown; reason?: unknown };
    const why = typeof reason === 'string' ? reason : JSON.stringify(reason);
    return typeof path === 'string' && reason !== undefined ? `${path}: ${why}` : message;
  } catch {
    return message; // cut off, or another broker's own words
  }
}

/** What was asked of the API where what came of it cannot be shown value by value; undefined: it can, or nothing was. */
export function askedOf({ changes, failure, http_method, http_request }: AuditEntry): unknown {
  // Of what is put the values are known: there is really nothing that differs
  if (changes === undefined || changes.length > 0 || failure || http_method !== 'post') return undefined;
  const body = http_request?.body;
  const isEmpty = body === null || Object.keys(Object(body) as object).length === 0;
  return isEmpty ? undefined : body;
}

const SHORT_MAX = 80;

export function shortValue(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length > SHORT_MAX ? `${text.slice(0, SHORT_MAX)}…` : text;
}

/** On one line, for a list and for an export: `mqtt › max_packet_size: 1MB → 2MB`. */
export function changeText(change: AuditChange): string {
  const { before, after } = change;
  const signs = {
    added: () => `+ ${shortValue(after)}`,
    removed: () => `− ${shortValue(before)}`,
    changed: () => `${shortValue(before)} → ${shortValue(after)}`,
  };
  return `${pathText(change)}: ${signs[kindOf(change)]()}`;
}
