import { createHash, randomUUID } from 'node:crypto';
import { deflateRawSync, deflateSync, gunzipSync, gzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { SqlFault } from '../errors.ts';
import { integer } from '../integers.ts';
import { decodeJson, jsonOf, TEXT_LENGTH_MAX, type Value } from '../values.ts';
import { type Functions, fn, type SqlFunction } from './function.ts';
import { decodeTerm, encodeTerm } from './term.ts';

/** What works on bytes; by Node's own libraries, so not in a browser. */

const bytesOf = (value: Value, name: string, args: Value[]): Uint8Array => {
  if (typeof value === 'string') return Buffer.from(value);
  if (value instanceof Uint8Array) return value;
  throw SqlFault.argument(name, args);
};

/** As text where the bytes are one. */
const given = (bytes: Uint8Array): Value => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
};

const ofBytes = (name: string, run: (bytes: Uint8Array, args: Value[]) => Value): SqlFunction =>
  fn(1, (args) => run(bytesOf(args[0], name, args), args));

/** What cannot be unpacked is refused, and so is a small one that would become a huge one. */
const unpacked = (name: string, unpack: (bytes: Uint8Array, options: object) => Buffer): SqlFunction =>
  ofBytes(name, (bytes) => {
    try {
      return given(unpack(bytes, { maxOutputLength: TEXT_LENGTH_MAX }));
    } catch {
      throw new SqlFault('data_error');
    }
  });

const digest = (algorithm: string, bytes: Uint8Array): string =>
  createHash(algorithm).update(bytes).digest('hex');

const HASHES: Record<string, string> = {
  md4: 'md4',
  md5: 'md5',
  sha: 'sha1',
  sha1: 'sha1',
  sha224: 'sha224',
  sha256: 'sha256',
  sha384: 'sha384',
  sha512: 'sha512',
};

const hex = (name: string, arity: number | number[], before: string): SqlFunction =>
  fn(arity, (args) => {
    const prefix = args.length > 1 ? args[1] : before;
    if (typeof prefix !== 'string') throw SqlFault.argument(name, args);
    return (
      prefix +
      Buffer.from(bytesOf(args[0], name, args))
        .toString('hex')
        .toUpperCase()
    );
  });

function fromHex(args: Value[]): Value {
  const [value, prefix = ''] = args;
  if (typeof value !== 'string' || typeof prefix !== 'string') throw SqlFault.argument('hexstr2bin', args);
  const digits = value.startsWith(prefix) ? value.slice(prefix.length) : value;
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  if (!/^[0-9A-Fa-f]*$/.test(even)) throw new SqlFault('badarg');
  return given(Buffer.from(even, 'hex'));
}

/** So many bits from a place on, the first of which is 1; as a number, a float, or bytes. */
function subBits(args: Value[]): Value {
  const bytes = bytesOf(args[0], 'subbits', args);
  const [, a, b, kind = 'integer', signedness = 'unsigned', endian = 'big'] = args;
  const [start, length] = args.length === 2 ? [1, a] : [a, b];
  if (!Number.isInteger(start) || !Number.isInteger(length)) throw SqlFault.argument('subbits', args);
  const from = (start as number) - 1;
  const count = length as number;
  if (from < 0 || count < 0) throw SqlFault.argument('subbits', args);
  if (from + count > bytes.length * 8) return undefined;
  const picked = bitsOf(bytes, from, count);
  const ordered = endian === 'little' ? Uint8Array.from(picked).reverse() : picked;
  switch (kind) {
    case 'integer': {
      const value = BigInt(`0x${Buffer.from(ordered).toString('hex') || '0'}`);
      return integer(signedness === 'signed' ? BigInt.asIntN(count, value) : value);
    }
    case 'float': {
      const view = Buffer.from(ordered);
      if (count === 32) return view.readFloatBE();
      if (count === 64) return view.readDoubleBE();
      throw new SqlFault('badarg');
    }
    case 'bits':
      return given(ordered);
    default:
      throw SqlFault.argument('subbits', args);
  }
}

/** Right-aligned in as few bytes as hold them. */
function bitsOf(bytes: Uint8Array, from: number, count: number): Uint8Array {
  const first = Math.floor(from / 8);
  const last = Math.ceil((from + count) / 8);
  const spare = BigInt(last * 8 - (from + count));
  const value = BigInt(`0x${Buffer.from(bytes.subarray(first, last)).toString('hex') || '0'}`) >> spare;
  const size = Math.ceil(count / 8);
  const digits = BigInt.asUintN(count, value).toString(16);
  return Buffer.from(count === 0 ? '' : digits.padStart(size * 2, '0'), 'hex');
}

export const bytes: Functions = {
  md5: ofBytes('md5', (value) => digest('md5', value)),
  sha: ofBytes('sha', (value) => digest('sha1', value)),
  sha256: ofBytes('sha256', (value) => digest('sha256', value)),
  hash: fn(2, (args) => {
    const [name, value] = args;
    const algorithm = typeof name === 'string' && Object.hasOwn(HASHES, name) ? HASHES[name] : undefined;
    if (algorithm === undefined) throw new SqlFault('badarg');
    return digest(algorithm, bytesOf(value, 'hash', args));
  }),
  base64_encode: ofBytes('base64_encode', (value) => Buffer.from(value).toString('base64')),
  base64_decode: ofBytes('base64_decode', (value) => {
    const text = Buffer.from(value).toString('latin1').replace(/\s/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 === 1) throw new SqlFault('badarg');
    return given(Buffer.from(text, 'base64'));
  }),
  bin2hexstr: hex('bin2hexstr', [1, 2], ''),
  sqlserver_bin2hexstr: hex('sqlserver_bin2hexstr', 1, '0x'),
  hexstr2bin: fn([1, 2], fromHex),
  bytesize: ofBytes('bytesize', (value) => value.length),
  bitsize: ofBytes('bitsize', (value) => value.length * 8),
  subbits: fn([2, 3, 6], subBits),
  gzip: ofBytes('gzip', (value) => gzipSync(value)),
  gunzip: unpacked('gunzip', gunzipSync),
  zip: ofBytes('zip', (value) => deflateRawSync(value)),
  unzip: unpacked('unzip', inflateRawSync),
  zip_compress: ofBytes('zip_compress', (value) => deflateSync(value)),
  zip_uncompress: unpacked('zip_uncompress', inflateSync),
  json_encode: fn(1, ([value]) => jsonOf(value)),
  json_decode: fn(1, (args) => {
    const [value] = args;
    if (typeof value !== 'string') throw SqlFault.argument('json_decode', args);
    return decodeJson(value);
  }),
  term_encode: fn(1, ([value]) => encodeTerm(value)),
  term_decode: ofBytes('term_decode', decodeTerm),
  uuid_v4: fn(0, () => randomUUID()),
  uuid_v4_no_hyphen: fn(0, () => randomUUID().replaceAll('-', '')),
};
