import type { AuditChange } from '@mqdeck/contract/audit';
import { sameJson } from '../../settings/same-json.ts';
import { discreet } from './discretion.ts';

/** Figures and states of what is alive, which change by themselves. */
const BY_ITSELF =
  /^(metrics|node_metrics|status|node_status|status_reason|resource_data|statistics|uptime|current_connections|shutdown_count|reductions|heap_size|mailbox_len|mqueue_(len|dropped)|(inflight|awaiting_rel)_cnt|(recv|send)_(msg|pkt|oct|cnt)\S*)$/;

const CHANGES_MAX = 100;
const BYTES_MAX = 16 * 1024;
const DEPTH_MAX = 12;

export interface Changes {
  readonly changes: AuditChange[];
  /** Beyond those. */
  readonly leftOff: number;
}

/** What is compared: what stands at `path`, undefined where there is nothing. */
export interface Compared {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
  /** It has figures beside what somebody has set. */
  readonly alive: boolean;
}

/** Value by value, as it may be kept: a secret that changed is told, and not what it was or is. */
export function changesOf(compared: readonly Compared[]): Changes {
  const changes: AuditChange[] = [];
  let leftOff = 0;
  let bytes = 0;
  const add = (path: readonly string[], before: unknown, after: unknown) => {
    const change: AuditChange = { path: path.map((name) => String(discreet(name))) };
    if (before !== undefined) change.before = discreet(before, path);
    if (after !== undefined) change.after = discreet(after, path);
    const size = changes.length < CHANGES_MAX ? JSON.stringify(change).length : 0;
    if (changes.length >= CHANGES_MAX || bytes + size > BYTES_MAX) leftOff++;
    else {
      bytes += size;
      changes.push(change);
    }
  };
  for (const { path, before, after, alive } of compared)
    compare(path, before, after, { add, skips: (name) => alive && BY_ITSELF.test(name) });
  return { changes, leftOff };
}

interface Walk {
  readonly add: (path: readonly string[], before: unknown, after: unknown) => void;
  readonly skips: (name: string) => boolean;
}

function compare(path: readonly string[], before: unknown, after: unknown, walk: Walk): void {
  if (sameJson(before, after)) return;
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  // Of what is new or gone the values are told one by one too
  const isApart = (old !== null || before === undefined) && (now !== null || after === undefined);
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  if (!isApart || names.size === 0 || path.length >= DEPTH_MAX) {
    walk.add(path, before, after);
    return;
  }
  for (const name of names)
    if (!walk.skips(name)) compare([...path, name], old?.get(name), now?.get(name), walk);
  if (old && now && Array.isArray(before) && Array.isArray(after)) tellOrder(path, old, now, walk);
}

/** The order in which those stand that were there and are. */
function tellOrder(path: readonly string[], old: Fields, now: Fields, { add }: Walk): void {
  const before = [...old.keys()].filter((name) => now.has(name));
  const after = [...now.keys()].filter((name) => old.has(name));
  if (!sameJson(before, after)) add([...path, 'order'], before, after);
}

type Fields = ReadonlyMap<string, unknown>;

/** What something is made of, by name: an object, or a list of things that have names; null for everything else. */
function fieldsOf(value: unknown): Fields | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const names = value.map(nameOf);
  if (names.includes(null) || new Set(names).size < names.length) return null;
  return new Map(value.map((item, i) => [names[i]!, item]));
}

/** How an item of a list is called. */
function nameOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null) return null;
  const said = item as Record<string, unknown>;
  if (typeof said.mechanism === 'string')
    return typeof said.backend === 'string' ? `${said.mechanism}:${said.backend}` : said.mechanism;
  const name = said.id ?? said.name ?? said.username ?? said.type ?? said.topic ?? said.source_topic;
  return typeof name === 'string' ? name : null;
}
