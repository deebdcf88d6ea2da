import { localTexts } from '../browser-storage.ts';

/** Keeps which columns of a list are shown and in which order, per list, in this browser. */

export interface ColumnChoice {
  hidden: readonly string[];
  order: readonly string[];
}

export interface Choosable {
  id: string;
  hidden: boolean;
}

const keyOf = (table: string) => `columns:${table}`;

export const standardChoice = (columns: readonly Choosable[]): ColumnChoice => ({
  hidden: columns.filter(({ hidden }) => hidden).map(({ id }) => id),
  order: columns.map(({ id }) => id),
});

const texts = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;

/** A stored choice may know columns that are gone and lack new ones: those stand where they stand by default. */
export function readChoice(table: string, columns: readonly Choosable[]): ColumnChoice {
  const standard = standardChoice(columns);
  const stored = localTexts.get(keyOf(table));
  if (stored === null) return standard;
  let parsed: unknown;
  try {
    parsed = JSON.parse(stored);
  } catch {
    return standard; // Somebody else's entry, or one cut off by a full store.
  }
  const { hidden, order } = (parsed ?? {}) as { hidden?: unknown; order?: unknown };
  const storedHidden = texts(hidden);
  const storedOrder = texts(order)?.filter((id) => standard.order.includes(id));
  if (storedHidden === undefined || storedOrder === undefined) return standard;
  const fresh = columns.filter(({ id }) => !storedOrder.includes(id));
  const merged = [...storedOrder];
  for (const { id } of fresh) merged.splice(standard.order.indexOf(id), 0, id);
  const freshHidden = fresh.filter((one) => one.hidden).map(({ id }) => id);
  return { hidden: [...storedHidden, ...freshHidden], order: merged };
}

export function writeChoice(table: string, choice: ColumnChoice): void {
  localTexts.set(keyOf(table), JSON.stringify(choice));
}

export function forgetChoice(table: string): void {
  localTexts.remove(keyOf(table));
}

export const toggleColumn = ({ hidden, order }: ColumnChoice, id: string): ColumnChoice => ({
  hidden: hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id],
  order,
});

/** One place to the front (-1) or to the end (1). */
export function moveColumn({ hidden, order }: ColumnChoice, id: string, by: -1 | 1): ColumnChoice {
  const from = order.indexOf(id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= order.length) return { hidden, order };
  const next = [...order];
  next.splice(from, 1);
  next.splice(to, 0, id);
  return { hidden, order: next };
}
