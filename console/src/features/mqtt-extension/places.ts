import type { Position } from '../../table/reorder/order.ts';

/** The list with the item at `at` moved to a position; as it is when its neighbour is gone. */
export function placed<T>(
  list: readonly T[],
  at: number,
  position: Position,
  idOf: (item: T) => string,
): T[] {
  const item = list[at]!;
  const rest = list.toSpliced(at, 1);
  if (position === 'front') return [item, ...rest];
  if (position === 'rear') return [...rest, item];
  const [where, id] = [position.slice(0, position.indexOf(':')), position.slice(position.indexOf(':') + 1)];
  const next = rest.findIndex((one) => idOf(one) === id);
  return next === -1 ? [...list] : rest.toSpliced(where === 'before' ? next : next + 1, 0, item);
}
