import type { Row } from './driver.ts';

/** What became of a row on its way to a target; one that is retried has more to come. */
export type RowFate = 'sent' | 'failed' | 'retried' | 'expired';
export type TellFate = (fate: RowFate, reason: string | null) => void;

/** Keeps who wants to know it, by row and bridge; nobody, as a rule. What waits on disk is forgotten here. */
const followers = new WeakMap<Row, Map<string, TellFate>>();
let anybody = false;

export function followRow(row: Row, bridge: string, tell: TellFate): void {
  anybody = true;
  const known = followers.get(row) ?? new Map<string, TellFate>();
  followers.set(row, known.set(bridge, tell));
}

export function tellFate(
  rows: readonly { readonly row: Row }[],
  bridge: string,
  fate: RowFate,
  reason: string | null = null,
): void {
  if (!anybody) return;
  for (const { row } of rows) followers.get(row)?.get(bridge)?.(fate, reason);
}
