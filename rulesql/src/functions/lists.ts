import { SqlFault } from '../errors.ts';
import { put } from '../put.ts';
import { decodeJson, isMap, sameThing, type Value, type ValueMap } from '../values.ts';
import { type Functions, fn, type SqlFunction } from './function.ts';

const ofList = (
  name: string,
  arity: number | readonly number[],
  at: number,
  run: (list: Value[], args: Value[]) => Value,
): SqlFunction =>
  fn(arity, (args) => {
    const list = args[at < 0 ? args.length + at : at];
    if (!Array.isArray(list)) throw SqlFault.argument(name, args);
    return run(list, args);
  });

const whole = (value: Value, name: string, args: Value[]): number => {
  if (!Number.isInteger(value)) throw SqlFault.argument(name, args);
  return value as number;
};

/** A map, or the one that a text holds. */
function mapOf(value: Value): ValueMap {
  const map = typeof value === 'string' ? decodeJson(value) : value;
  if (!isMap(map)) throw new SqlFault('badmap');
  return map;
}

const keysOf = (path: string) => path.split('.').map((key) => ({ key }));

const getIn = (map: Value, path: string): Value => {
  let one: Value = map;
  for (const { key } of keysOf(path)) one = isMap(one) && Object.hasOwn(one, key) ? one[key] : undefined;
  return one;
};

const key = (name: string, args: Value[]): string => {
  const [value] = args;
  if (typeof value !== 'string') throw SqlFault.argument(name, args);
  return value;
};

export const lists: Functions = {
  first: ofList('first', 1, 0, (list, args) => {
    if (list.length === 0) throw SqlFault.argument('first', args);
    return list[0];
  }),
  last: ofList('last', 1, 0, (list, args) => {
    if (list.length === 0) throw SqlFault.argument('last', args);
    return list.at(-1);
  }),
  nth: ofList('nth', 2, 1, (list, args) => {
    const place = whole(args[0], 'nth', args);
    if (place < 1 || place > list.length) throw SqlFault.argument('nth', args);
    return list[place - 1];
  }),
  length: ofList('length', 1, 0, (list) => list.length),
  sublist: ofList('sublist', [2, 3], -1, (list, args) => {
    const [start, length] =
      args.length === 2
        ? [1, whole(args[0], 'sublist', args)]
        : [whole(args[0], 'sublist', args), whole(args[1], 'sublist', args)];
    if (start < 1 || length < 0) throw SqlFault.argument('sublist', args);
    return list.slice(start - 1, start - 1 + length);
  }),
  contains: ofList('contains', 2, 1, (list, [value]) => list.some((one) => sameThing(one, value))),
  contains_topic: ofTopics('contains_topic', (one, topic) => one === topic),
  contains_topic_match: ofTopics('contains_topic_match', (filter, topic, world) =>
    world.topicMatches(topic, filter),
  ),

  map_new: fn(0, () => ({})),
  map: fn(1, ([value]) => {
    if (isMap(value)) return value;
    if (typeof value !== 'string') throw new SqlFault('badarg');
    return mapOf(value);
  }),
  map_get: fn([2, 3], (args) => getIn(mapOf(args[1]), key('map_get', args)) ?? args[2]),
  map_put: fn(3, (args) => put(isMap(args[2]) ? args[2] : {}, keysOf(key('map_put', args)), args[1])),
  mget: fn([2, 3], (args) => {
    const map = mapOf(args[1]);
    const name = key('mget', args);
    return Object.hasOwn(map, name) ? map[name] : args[2];
  }),
  mput: fn(3, (args) => put(isMap(args[2]) ? args[2] : {}, [{ key: key('mput', args) }], args[1])),
  map_keys: fn(1, ([map]) => Object.keys(mapOf(map))),
  map_values: fn(1, ([map]) => Object.values(mapOf(map))),
  map_to_entries: fn(1, ([map]) => Object.entries(mapOf(map)).map(([name, value]) => ({ key: name, value }))),
  map_size: fn(1, ([map]) => Object.keys(mapOf(map)).length),
};

/** Whether one of a list of topics, each a text or as subscribed, fits; refused when it is no list. */
function ofTopics(
  name: string,
  fits: (
    one: string,
    topic: string,
    world: { topicMatches(topic: string, filter: string): boolean },
  ) => boolean,
): SqlFunction {
  return fn([2, 3], (args, world) => {
    const [list, topic, qos] = args;
    if (!Array.isArray(list)) throw new SqlFault('bad_generator');
    if (typeof topic !== 'string') throw SqlFault.argument(name, args);
    return list.some(
      (one) =>
        isMap(one) &&
        typeof one.topic === 'string' &&
        fits(one.topic, topic, world) &&
        (qos === undefined || one.qos === qos),
    );
  });
}
