import type { Lwm2mType } from '@mqdeck/contract/gateway-devices';

/** A value as JSON has it: what fits in no number is a text, bytes are Base64. */
export type Value = string | number | boolean;

export class ValueFault extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells a text from bytes
const UNPRINTABLE = /[\x00-\x08\x0e-\x1f\x7f]/;

/** The bytes of a value in TLV (LwM2M 1.0, appendix C). Throws `ValueFault`. */
export function encodeValue(type: Lwm2mType, value: unknown): Buffer {
  switch (type) {
    case 'String':
      return Buffer.from(textOf(value));
    case 'Integer':
    case 'Time':
      return encodeInteger(integerOf(value));
    case 'Float': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(numberOf(value));
      return bytes;
    }
    case 'Boolean':
      return Buffer.from([booleanOf(value) ? 1 : 0]);
    case 'Opaque':
      return bytesOf(value);
    case 'Objlnk': {
      const match = /^(\d{1,5}):(\d{1,5})$/.exec(textOf(value));
      const [object, instance] = [Number(match?.[1]), Number(match?.[2])];
      if (!(object <= 0xffff && instance <= 0xffff)) throw new ValueFault('a link is object:instance');
      const bytes = Buffer.alloc(4);
      bytes.writeUInt16BE(object, 0);
      bytes.writeUInt16BE(instance, 2);
      return bytes;
    }
  }
}

/** What bytes of TLV mean; of an unknown type: a text where it is one, else Base64. Throws `ValueFault`. */
export function decodeValue(type: Lwm2mType | null, bytes: Buffer): Value {
  switch (type) {
    case 'Integer':
    case 'Time':
      return decodeInteger(bytes);
    case 'Float':
      if (bytes.length === 4) return finite(bytes.readFloatBE(0));
      if (bytes.length === 8) return finite(bytes.readDoubleBE(0));
      throw new ValueFault('a float has 4 or 8 bytes');
    case 'Boolean':
      if (bytes.length !== 1 || bytes[0]! > 1) throw new ValueFault('a boolean is 0 or 1');
      return bytes[0] === 1;
    case 'String':
      return decodeText(bytes) ?? fault('a string is UTF-8');
    case 'Objlnk':
      if (bytes.length !== 4) throw new ValueFault('a link has 4 bytes');
      return `${bytes.readUInt16BE(0)}:${bytes.readUInt16BE(2)}`;
    case 'Opaque':
      return bytes.toString('base64');
    case null: {
      const text = decodeText(bytes);
      return text === null || UNPRINTABLE.test(text) ? bytes.toString('base64') : text;
    }
  }
}

/** The same of plain text. */
export function decodePlain(type: Lwm2mType | null, bytes: Buffer): Value {
  const text = decodeText(bytes) ?? fault('plain text is UTF-8');
  switch (type) {
    case 'Integer':
    case 'Time':
      return readInteger(text);
    case 'Float':
      return readNumber(text);
    case 'Boolean':
      return booleanOf(text);
    default:
      return text; // of bytes it is Base64 already
  }
}

export function decodeText(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function fault(why: string): never {
  throw new ValueFault(why);
}

const finite = (value: number): Value => (Number.isFinite(value) ? value : String(value));

function decodeInteger(bytes: Buffer): Value {
  if (![1, 2, 4, 8].includes(bytes.length)) throw new ValueFault('an integer has 1, 2, 4 or 8 bytes');
  return bytes.length === 8 ? smallest(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, bytes.length);
}

function encodeInteger(value: bigint): Buffer {
  const bits = [8, 16, 32, 64].find((size) => BigInt.asIntN(size, value) === value);
  if (bits === undefined) throw new ValueFault('an integer has 64 bits at most');
  const bytes = Buffer.alloc(bits / 8);
  if (bits === 64) bytes.writeBigInt64BE(value);
  else bytes.writeIntBE(Number(value), 0, bits / 8);
  return bytes;
}

const smallest = (value: bigint): Value => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
};

const INTEGER = /^[+-]?\d{1,20}$/;
const FLOAT = /^[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})(e[+-]?\d{1,4})?$/i;

const readInteger = (text: string): Value =>
  INTEGER.test(text) ? smallest(BigInt(text.replace('+', ''))) : fault('no integer');

function readNumber(text: string): number {
  const value = FLOAT.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : fault('no number');
}

function integerOf(value: unknown): bigint {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && INTEGER.test(value)) return BigInt(value.replace('+', ''));
  throw new ValueFault('an integer is needed');
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? readNumber(value) : fault('a number is needed');
}

function booleanOf(value: unknown): boolean {
  if (value === true || value === 'true' || value === 1 || value === '1') return true;
  if (value === false || value === 'false' || value === 0 || value === '0') return false;
  throw new ValueFault('true or false is needed');
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ValueFault('a text is needed');
}

function bytesOf(value: unknown): Buffer {
  const text = textOf(value);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0)
    throw new ValueFault('bytes are written in Base64');
  return Buffer.from(text, 'base64');
}
