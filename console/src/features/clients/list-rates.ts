import type { Client } from '@mqdeck/contract/clients';
import { useSyncExternalStore } from 'react';
import { rateBetween } from './rates.ts';

/** Keeps the message counters of the clients on screen and what they did since the last refresh; ClientsPage feeds it. */
type ListedField = 'recv_msg' | 'send_msg';
const FIELDS: readonly ListedField[] = ['recv_msg', 'send_msg'];

interface Known {
  at: number;
  counts: Partial<Record<ListedField, number>>;
  rates: Partial<Record<ListedField, number | null>>;
}

let known = new Map<string, Known>();
const listeners = new Set<() => void>();

/** Forgets whoever is not on this page of the list, so that it never holds more than a page. */
export function noteRows(rows: readonly Partial<Client>[], at: number): void {
  const next = new Map<string, Known>();
  for (const row of rows) {
    const { clientid } = row;
    if (clientid === undefined) continue;
    const before = known.get(clientid);
    if (before?.at === at) {
      next.set(clientid, before);
      continue;
    }
    const entry: Known = { at, counts: {}, rates: {} };
    for (const field of FIELDS) {
      const count = row[field];
      if (count === undefined) continue;
      const earlier = before?.counts[field];
      entry.counts[field] = count;
      entry.rates[field] =
        earlier === undefined || before === undefined
          ? null
          : rateBetween({ count: earlier, at: before.at }, count, at);
    }
    next.set(clientid, entry);
  }
  known = next;
  for (const listener of listeners) listener();
}

export const listedRate = (clientid: string, field: ListedField): number | null =>
  known.get(clientid)?.rates[field] ?? null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useListedRate = (clientid: string, field: ListedField): number | null =>
  useSyncExternalStore(subscribe, () => listedRate(clientid, field));
