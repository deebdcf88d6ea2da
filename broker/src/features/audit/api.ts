import type { AuditEntry, audit } from '@mqdeck/contract/audit';
import type { CheckedRequest } from '@mqdeck/contract/kit/endpoint';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { pageOf, presented } from '../../paging/page.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import type { AuditLog, KeptEntry } from './audit.ts';

type Query = CheckedRequest<typeof audit.list>['query'];

export const auditApi = (book: AuditLog, node: string): Handlers<typeof audit> => ({
  list: async ({ query }) => {
    const matches = matcher(query, node);
    const found = await pageOf(query, {
      rows: book.slices(),
      matches: matches ?? (() => true),
      counted: true,
      total: matches === null ? book.count : undefined,
    });
    return presented(found, (entry) => present(entry, node));
  },
  get: ({ params: { id } }) => {
    const entry = /^\d{1,15}$/.test(id) ? book.get(Number(id)) : null;
    return entry ? present(entry, node) : fail('NOT_FOUND', 'There is no such entry');
  },
});

/** Null: everything is wanted. */
function matcher(query: Query, node: string): ((entry: KeptEntry) => boolean) | null {
  const { gte_created_at, lte_created_at, gte_duration_ms, lte_duration_ms } = query;
  const text = query.like_text?.toLowerCase();
  const wanted: ((entry: KeptEntry) => boolean)[] = [];
  const equal = <T>(value: T | undefined, of: (entry: KeptEntry) => T | null) => {
    if (value !== undefined) wanted.push((entry) => of(entry) === value);
  };
  equal(query.node, () => node);
  equal(query.from, ({ from }) => from as Query['from'] & string);
  if (query.source !== undefined)
    wanted.push(({ source, sourceName }) => source === query.source || sourceName === query.source);
  equal(query.source_ip, ({ address }) => address);
  equal(query.operation_id, ({ operation }) => operation);
  equal(query.operation_type, ({ operation }) => typeOf(operation));
  equal(query.operation_result, resultOf);
  equal(query.http_method, ({ method }) => method as (Query['http_method'] & string) | null);
  equal(query.http_status_code, ({ status }) => status);
  if (gte_created_at !== undefined) wanted.push(({ lastAt }) => lastAt >= gte_created_at);
  if (lte_created_at !== undefined) wanted.push(({ at }) => at <= lte_created_at);
  if (gte_duration_ms !== undefined) wanted.push(({ durationMs }) => durationMs >= gte_duration_ms);
  if (lte_duration_ms !== undefined) wanted.push(({ durationMs }) => durationMs <= lte_duration_ms);
  if (text !== undefined && text !== '') wanted.push((entry) => textOf(entry).includes(text));
  return wanted.length === 0 ? null : (entry) => wanted.every((isMet) => isMet(entry));
}

const textOf = ({ operation, source, sourceName = '', request, args = [] }: KeptEntry): string =>
  [operation, source, sourceName, ...Object.values(Object(request?.bindings) as object).map(String), ...args]
    .join('\n')
    .toLowerCase();

const typeOf = (operation: string): string => operation.split('/').find((part) => part !== '') ?? '';

const resultOf = ({ failure, status }: KeptEntry): 'success' | 'failure' =>
  failure !== null || (status ?? 200) >= 400 ? 'failure' : 'success';

function present(entry: KeptEntry, node: string): AuditEntry {
  const { id, at, from, source, sourceName, address, operation, method, status, request, failure, args } =
    entry;
  return {
    id,
    created_at: rfc3339(at),
    node,
    from,
    source,
    ...(sourceName !== undefined && { source_name: sourceName }),
    source_ip: address,
    operation_id: operation,
    operation_type: typeOf(operation),
    operation_result: resultOf(entry),
    ...(method !== null && { http_method: method }),
    ...(status !== null && { http_status_code: status }),
    ...(request !== null && { http_request: request as AuditEntry['http_request'] }),
    duration_ms: entry.durationMs,
    ...(args && { args: [...args] }),
    ...(failure !== null && { failure }),
    changes: [...entry.changes],
    ...(entry.leftOff > 0 && { changes_left_off: entry.leftOff }),
    ...(entry.times > 1 && { times: entry.times, last_at: rfc3339(entry.lastAt) }),
  };
}
