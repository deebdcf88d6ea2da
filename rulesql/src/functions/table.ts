import { SqlFault } from '../errors.ts';
import type { Value } from '../values.ts';
import { bytes } from './bytes.ts';
import { type Functions, type FunctionTable, fn } from './function.ts';
import { lists } from './lists.ts';
import { numbers } from './numbers.ts';
import { text } from './text.ts';
import { time } from './time.ts';

const KEPT_MAX = 10_000; // entries that rules have put aside

/** Columns in the form of functions: the real broker answers nothing there either; use the columns. */
const nothing = (arity: number | readonly number[]) => fn(arity, () => undefined);

const keyOf = (name: string, args: Value[]): string => {
  const [key] = args;
  if (typeof key !== 'string') throw SqlFault.argument(name, args);
  return key;
};

const others: Functions = {
  kv_store_put: fn(2, (args, { store }) => {
    const key = keyOf('kv_store_put', args);
    if (!store.has(key) && store.size >= KEPT_MAX) throw new SqlFault('system_limit');
    store.set(key, args[1]);
    return true;
  }),
  kv_store_get: fn([1, 2], (args, { store }) => {
    const key = keyOf('kv_store_get', args);
    return store.has(key) ? store.get(key) : args[1];
  }),
  kv_store_del: fn(1, (args, { store }) => {
    store.delete(keyOf('kv_store_del', args));
    return true;
  }),
  proc_dict_put: nothing(2), // lasts as long as the real broker's process for one message: nothing can be seen of it
  proc_dict_get: nothing(1),
  proc_dict_del: nothing(1),
  /** Rules do not read the broker's surroundings. */
  getenv: fn(1, () => ''),
  jq: fn([2, 3], () => {
    throw new SqlFault('undef');
  }),
  topic: nothing([0, 1]),
  payload: nothing([0, 1]),
  clientid: nothing(0),
  clientip: nothing(0),
  peerhost: nothing(0),
  username: nothing(0),
  msgid: nothing(0),
  qos: nothing(0),
  flags: nothing(0),
  flag: nothing(1),
};

/** All functions that a statement may call. */
export const functionTable: FunctionTable = new Map(
  Object.entries({ ...numbers, ...text, ...lists, ...time, ...bytes, ...others }),
);
