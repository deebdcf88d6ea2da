import { SqlFault } from '../errors.ts';
import { calculate, integer, isInteger, isNumber, OVER } from '../integers.ts';
import { equal, isMap, numberIn, sameThing, textOf, type Value } from '../values.ts';
import { type Functions, fn, type SqlFunction } from './function.ts';

const badArgument = () => new SqlFault('badarg');

/** Of one number, refused of anything else. */
const math = (name: string, of: (value: number) => number): SqlFunction =>
  fn(1, (args) => {
    const [value] = args;
    if (!isNumber(value)) throw SqlFault.argument(name, args);
    const result = of(Number(value));
    if (!Number.isFinite(result)) throw new SqlFault('badarith');
    return result;
  });

/** Of one number with a fraction; an integer is its own answer. */
const toWhole = (name: string, of: (value: number) => number): SqlFunction => {
  const ofFloat = math(name, of);
  return { ...ofFloat, run: (args, ...rest) => (isInteger(args[0]) ? args[0] : ofFloat.run(args, ...rest)) };
};

const wholes = (name: string, of: (a: bigint, b: bigint) => bigint): SqlFunction =>
  fn(2, (args) => {
    const [a, b] = args;
    if (!isInteger(a) || !isInteger(b)) throw SqlFault.argument(name, args);
    if ((name === 'bitsl' || name === 'bitsr') && Math.abs(Number(b)) > 1000)
      throw new SqlFault('system_limit');
    return integer(of(BigInt(a), BigInt(b)));
  });

/** With so many digits behind the point at most. */
const rounded = (value: number, digits: Value): number => {
  if (!Number.isInteger(digits) || (digits as number) < 0 || (digits as number) > 100) throw badArgument();
  return Number(value.toFixed(digits as number));
};

function toNumber(value: Value): number | bigint {
  const number = isNumber(value) ? value : typeof value === 'string' ? numberIn(value.trim()) : null;
  if (number === null) throw badArgument();
  return number;
}

/** Half goes away from nought. */
const round = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

const is = (test: (value: Value) => boolean): SqlFunction => fn(1, ([value]) => test(value));

export const numbers: Functions = {
  abs: fn(1, (args) => {
    const [value] = args;
    if (!isInteger(value)) throw SqlFault.argument('abs', args);
    return typeof value === 'number' ? Math.abs(value) : integer(value < 0n ? -value : value);
  }),
  acos: math('acos', Math.acos),
  acosh: math('acosh', Math.acosh),
  asin: math('asin', Math.asin),
  asinh: math('asinh', Math.asinh),
  atan: math('atan', Math.atan),
  atanh: math('atanh', Math.atanh),
  ceil: toWhole('ceil', Math.ceil),
  cos: math('cos', Math.cos),
  cosh: math('cosh', Math.cosh),
  exp: math('exp', Math.exp),
  floor: toWhole('floor', Math.floor),
  log: math('log', Math.log),
  log10: math('log10', Math.log10),
  log2: math('log2', Math.log2),
  round: toWhole('round', round),
  sin: math('sin', Math.sin),
  sinh: math('sinh', Math.sinh),
  sqrt: math('sqrt', Math.sqrt),
  tan: math('tan', Math.tan),
  tanh: math('tanh', Math.tanh),
  fmod: fn(2, (args) => {
    const [a, b] = args;
    if (!isNumber(a) || !isNumber(b)) throw SqlFault.argument('fmod', args);
    if (b === 0) throw new SqlFault('badarith');
    return Number(a) % Number(b);
  }),
  mod: fn(2, (args) => {
    const [a, b] = args;
    if (!isInteger(a) || !isInteger(b)) throw SqlFault.argument('mod', args);
    if (b === 0) throw new SqlFault('badarith');
    return calculate(a, b, OVER.mod);
  }),
  div: fn(2, (args) => {
    const [a, b] = args;
    if (!isInteger(a) || !isInteger(b)) throw SqlFault.argument('div', args);
    if (b === 0) throw new SqlFault('badarith');
    return calculate(a, b, OVER.div);
  }),
  power: fn(2, (args) => {
    const [a, b] = args;
    if (!isNumber(a) || !isNumber(b)) throw SqlFault.argument('power', args);
    const result = Number(a) ** Number(b);
    if (!Number.isFinite(result)) throw new SqlFault('badarith');
    return result;
  }),
  random: fn(0, () => Math.random()),
  eq: fn(2, ([a, b]) => sameThing(a, b)),

  bitand: wholes('bitand', (a, b) => a & b),
  bitor: wholes('bitor', (a, b) => a | b),
  bitxor: wholes('bitxor', (a, b) => a ^ b),
  bitsl: wholes('bitsl', (a, b) => a << b),
  bitsr: wholes('bitsr', (a, b) => a >> b),
  bitnot: fn(1, (args) => {
    const [value] = args;
    if (!isInteger(value)) throw SqlFault.argument('bitnot', args);
    return integer(~BigInt(value));
  }),

  bool: fn(1, ([value]) => {
    if (value === true || value === 'true' || value === 1) return true;
    if (value === false || value === 'false' || value === 0) return false;
    throw badArgument();
  }),
  float: fn([1, 2], ([value, digits]) => {
    const number = Number(toNumber(value));
    return digits === undefined ? number : rounded(number, digits);
  }),
  float2str: fn(2, ([value, digits]) => {
    if (!isNumber(value)) throw badArgument();
    return String(rounded(Number(value), digits));
  }),
  int: fn(1, ([value]) => {
    const number = typeof value === 'boolean' ? Number(value) : toNumber(value);
    return typeof number === 'bigint' ? number : Math.trunc(number);
  }),
  str: fn(1, ([value]) => textOf(value)),
  str_utf8: fn(1, ([value]) => textOf(value)),

  is_null: is((value) => value === undefined),
  is_not_null: is((value) => value !== undefined),
  is_null_var: is((value) => value === undefined || value === null),
  is_not_null_var: is((value) => value !== undefined && value !== null),
  is_str: is((value) => typeof value === 'string' || value instanceof Uint8Array),
  is_bool: is((value) => typeof value === 'boolean'),
  is_int: is(isInteger),
  is_float: is((value) => typeof value === 'number' && !Number.isInteger(value)),
  is_num: is(isNumber),
  is_map: is(isMap),
  is_array: is(Array.isArray),
  is_empty: fn(1, (args) => {
    const [value] = args;
    if (Array.isArray(value)) return value.length === 0;
    if (isMap(value)) return Object.keys(value).length === 0;
    throw SqlFault.argument('is_empty', args);
  }),
  null: fn(0, () => undefined),
  coalesce: fn([1, 2], (args) => {
    const values = args.length === 1 ? args[0] : args;
    if (!Array.isArray(values)) throw SqlFault.argument('coalesce', args);
    return values.find((value) => value !== undefined);
  }),
  coalesce_ne: fn([1, 2], (args) => {
    const values = args.length === 1 ? args[0] : args;
    if (!Array.isArray(values)) throw SqlFault.argument('coalesce_ne', args);
    return values.find((value) => value !== undefined && !equal(value, ''));
  }),
};
