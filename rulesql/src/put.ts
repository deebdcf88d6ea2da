import { decodeJson, isMap, placeOf, setKey, type Value, type ValueMap } from './values.ts';

/** A step whose index is known by now. */
export type Place = { key: string } | { index: Value; append: boolean } | { from: number; to: number };

/** The value with another one at a place inside; what is on the way is made, nothing is changed where it stands. */
export function put(into: Value, places: readonly Place[], value: Value): Value {
  const [place, ...rest] = places;
  if (place === undefined) return value;
  if ('key' in place) return putKey(into, place.key, rest, value);
  if ('from' in place) return value;
  const { index, append } = place;
  if (typeof index === 'string') return putKey(into, index, rest, value);
  const items = Array.isArray(into) ? into : [];
  const at = append || typeof index !== 'number' ? -1 : placeOf(index, items.length);
  if (at === -1) {
    // The first of a list that is not there yet has any place; of one that is, a place past its end is none
    if (items.length > 0 && !append) return items;
    return items.length < LIST_MAX ? [...items, put(undefined, rest, value)] : items;
  }
  return items.with(at, put(items[at], rest, value));
}

const LIST_MAX = 100_000;

function putKey(into: Value, key: string, rest: readonly Place[], value: Value): ValueMap {
  const map = mapOf(into);
  setKey(map, key, put(Object.hasOwn(map, key) ? map[key] : undefined, rest, value));
  return map;
}

/** A copy to write into: of a map, or of the map that a text holds. */
function mapOf(value: Value): ValueMap {
  const read = typeof value === 'string' ? readText(value) : value;
  return isMap(read) ? { ...read } : {};
}

function readText(text: string): Value {
  try {
    return decodeJson(text);
  } catch {
    return undefined;
  }
}
