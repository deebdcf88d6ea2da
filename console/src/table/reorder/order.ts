/** The order of a short list and the words in which the API moves one of its things. */

export type Position = 'front' | 'rear' | `before:${string}` | `after:${string}`;

/** The list with `id` at the index `to`; the same list where nothing moves. */
export function moved(ids: readonly string[], id: string, to: number): readonly string[] {
  const from = ids.indexOf(id);
  const place = Math.max(0, Math.min(ids.length - 1, to));
  if (from < 0 || from === place) return ids;
  const rest = ids.filter((one) => one !== id);
  return [...rest.slice(0, place), id, ...rest.slice(place)];
}

/**
 * How the API is told where `id` stands in `ids` now. The neighbour it moved next to is named, and not its number, so
 * that it lands well also where somebody else has added or removed something meanwhile.
 */
export function positionOf(ids: readonly string[], id: string, upwards: boolean): Position {
  const at = ids.indexOf(id);
  if (at <= 0) return 'front';
  if (at === ids.length - 1) return 'rear';
  return upwards ? `before:${ids[at + 1]!}` : `after:${ids[at - 1]!}`;
}

/** The rows in the order of `ids`; those that it does not name keep their place at the end. */
export function inOrder<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => string,
  ids: readonly string[] | undefined,
): readonly Row[] {
  if (ids === undefined) return rows;
  const byId = new Map(rows.map((row) => [rowId(row), row]));
  const named = ids.flatMap((id) => byId.get(id) ?? []);
  return [...named, ...rows.filter((row) => !ids.includes(rowId(row)))];
}
