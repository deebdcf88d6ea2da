import type { Language } from '../../i18n/language.ts';
import { localeOf } from '../../ui/format.ts';

/** The counters as rows: grouped so that none is lost, filtered, sorted. */

export const GROUPS = [
  'messages',
  'delivery',
  'packets',
  'bytes',
  'client',
  'session',
  'authorization',
  'other',
] as const;
export type GroupName = (typeof GROUPS)[number];

export interface Counter {
  key: string;
  /** As the API writes it: a text where a number could not hold it. */
  value: number | string;
  /** Growth a second since the first reading; null before the second. */
  rate: number | null;
}

export function groupOf(key: string): GroupName {
  if (key.startsWith('authorization.') || /^client\..*auth/.test(key)) return 'authorization';
  const prefix = key.split('.')[0]!;
  return GROUPS.find((group) => group === prefix) ?? 'other';
}

export interface Reading {
  /** Epoch milliseconds. */
  at: number;
  values: Readonly<Record<string, unknown>>;
}

const isCount = (value: unknown): value is number | string =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value));

/** All counters of a reading and how fast they have grown since another one. */
export function countersOf(now: Reading, since: Reading | undefined): Counter[] {
  const seconds = since ? (now.at - since.at) / 1000 : 0;
  return Object.entries(now.values)
    .flatMap(([key, value]) => (isCount(value) ? [{ key, value, rate: rateOf(key, value) }] : []))
    .sort((a, b) => (a.key < b.key ? -1 : 1));

  function rateOf(key: string, value: number | string): number | null {
    const before = since?.values[key];
    if (seconds <= 0 || !isCount(before)) return null;
    const grown = Number(value) - Number(before);
    // A counter that shrank began anew: all it shows has happened since.
    return (grown >= 0 ? grown : Number(value)) / seconds;
  }
}

export interface View {
  text: string;
  nonZero: boolean;
  by: 'key' | 'value' | 'rate';
  descending: boolean;
}

/** What is to be seen, in its order; `explain` is searched too. */
export function seenOf(
  counters: readonly Counter[],
  { text, nonZero, by, descending }: View,
  explain: (key: string) => string,
): Counter[] {
  const wanted = text.trim().toLowerCase();
  const sign = descending ? -1 : 1;
  return counters
    .filter(
      ({ key, value }) =>
        (!nonZero || Number(value) !== 0) &&
        (key.toLowerCase().includes(wanted) || explain(key).toLowerCase().includes(wanted)),
    )
    .sort((a, b) => {
      const order =
        by === 'key' ? 0 : by === 'value' ? Number(a.value) - Number(b.value) : (a.rate ?? 0) - (b.rate ?? 0);
      return sign * (order || (a.key < b.key ? -1 : 1));
    });
}

/** A count with its thousands. Beyond 2^53 a number has lost its last digits, and the sign says so. */
export function formatCount(value: number | string, language: Language): string {
  if (typeof value === 'string') return BigInt(value).toLocaleString(localeOf(language));
  const text = value.toLocaleString(localeOf(language));
  return Number.isSafeInteger(value) || !Number.isInteger(value) ? text : `≈ ${text}`;
}

/** What the head of a group takes, in rows. */
const HEAD_ROWS = 2;

/** Groups in two stacks of about the same height, in their order. */
export function inTwo(groups: readonly GroupName[], rows: (group: GroupName) => number): GroupName[][] {
  const stacks = [
    { groups: [] as GroupName[], height: 0 },
    { groups: [] as GroupName[], height: 0 },
  ];
  for (const group of groups) {
    const lower = stacks[1]!.height < stacks[0]!.height ? stacks[1]! : stacks[0]!;
    lower.groups.push(group);
    lower.height += rows(group) + HEAD_ROWS;
  }
  return stacks.map((stack) => stack.groups).filter((stack) => stack.length > 0);
}
