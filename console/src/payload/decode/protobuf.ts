import { parse, type SchemaEnum, type SchemaField, type SchemaMessage } from 'protocol-buffers-schema';

/** Protobuf by a schema: the wire format is read here, field by field; nothing is compiled. */

interface MessageType {
  name: string; // with its package and the messages it lies in
  fields: Map<number, SchemaField>;
  scope: string;
}

export interface ProtoSchema {
  /** Full names of the messages, in the order of the file. */
  readonly messages: readonly string[];
  readonly types: ReadonlyMap<string, MessageType>;
  readonly enums: ReadonlyMap<string, ReadonlyMap<number, string>>;
}

/** Throws an Error with what is wrong in the text. */
export function readSchema(text: string): ProtoSchema {
  const schema = parse(text);
  const types = new Map<string, MessageType>();
  const enums = new Map<string, ReadonlyMap<number, string>>();
  const addEnum = (one: SchemaEnum, scope: string) =>
    enums.set(
      join(scope, one.name),
      new Map(Object.entries(one.values).map(([name, { value }]) => [value, name])),
    );
  const addMessage = (message: SchemaMessage, scope: string) => {
    const name = join(scope, message.name);
    types.set(name, {
      name,
      scope: name,
      fields: new Map(message.fields.map((field) => [field.tag, field])),
    });
    for (const one of message.enums) addEnum(one, name);
    for (const one of message.messages) addMessage(one, name);
  };
  const scope = schema.package ?? '';
  for (const one of schema.enums) addEnum(one, scope);
  for (const one of schema.messages) addMessage(one, scope);
  return { messages: [...types.keys()], types, enums };
}

const join = (scope: string, name: string): string => (scope === '' ? name : `${scope}.${name}`);

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const DEPTH_MAX = 64;

/** Throws an Error where the bytes are no such message. Fields that the schema does not know are kept as `#number`. */
export function decodeMessage(schema: ProtoSchema, name: string, bytes: Uint8Array): Record<string, unknown> {
  const type = schema.types.get(name);
  if (!type) throw new Error(`no message ${name}`);
  return readMessage(schema, type, new Reader(bytes), 0);
}

function readMessage(schema: ProtoSchema, type: MessageType, reader: Reader, depth: number) {
  if (depth > DEPTH_MAX) throw new Error('nested too deeply');
  const value: Record<string, unknown> = {};
  while (!reader.atEnd) {
    const key = Number(reader.varint());
    const [tag, wire] = [key >>> 3, key & 7];
    if (tag === 0) throw new Error('field number 0');
    const field = type.fields.get(tag);
    if (field === undefined) put(value, `#${tag}`, reader.any(wire), true);
    else readField(schema, type, field, wire, reader, value, depth);
  }
  return value;
}

function readField(
  schema: ProtoSchema,
  type: MessageType,
  field: SchemaField,
  wire: number,
  reader: Reader,
  into: Record<string, unknown>,
  depth: number,
): void {
  if (field.map) {
    const entry = reader.part();
    const [key, one] = readEntry(schema, type, field.map, entry, depth);
    const known = into[field.name];
    const map = typeof known === 'object' && known !== null ? known : {};
    into[field.name] = { ...map, [String(key)]: one };
    return;
  }
  const packed = wire === WIRE.bytes && wireOf(schema, type, field.type) !== WIRE.bytes;
  if (!packed) {
    const one = readValue(schema, type, field.type, wire, reader, depth);
    put(into, field.name, one, field.repeated);
    return;
  }
  const part = reader.part();
  const own = wireOf(schema, type, field.type);
  while (!part.atEnd) put(into, field.name, readValue(schema, type, field.type, own, part, depth), true);
}

function readEntry(
  schema: ProtoSchema,
  type: MessageType,
  { from, to }: { from: string; to: string },
  reader: Reader,
  depth: number,
): [unknown, unknown] {
  let key: unknown = '';
  let one: unknown = null;
  while (!reader.atEnd) {
    const head = Number(reader.varint());
    if (head >>> 3 === 1) key = readValue(schema, type, from, head & 7, reader, depth);
    else if (head >>> 3 === 2) one = readValue(schema, type, to, head & 7, reader, depth);
    else reader.any(head & 7);
  }
  return [key, one];
}

/** A later value of a field that is not repeated replaces the earlier one. */
function put(into: Record<string, unknown>, name: string, one: unknown, repeated: boolean): void {
  const known = into[name];
  if (!repeated) into[name] = one;
  else if (Array.isArray(known)) known.push(one);
  else into[name] = [one];
}

/** A name is looked for from the inside out, as in the language. */
function found<T>(all: ReadonlyMap<string, T>, scope: string, name: string): T | undefined {
  if (name.startsWith('.')) return all.get(name.slice(1));
  const levels = scope === '' ? [] : scope.split('.');
  for (let i = levels.length; i >= 0; i--) {
    const one = all.get(join(levels.slice(0, i).join('.'), name));
    if (one !== undefined) return one;
  }
  return undefined;
}

function wireOf(schema: ProtoSchema, { scope }: MessageType, name: string): number {
  if (/^(double|fixed64|sfixed64)$/.test(name)) return WIRE.fixed64;
  if (/^(float|fixed32|sfixed32)$/.test(name)) return WIRE.fixed32;
  if (/^(u?int(32|64)|sint(32|64)|bool)$/.test(name)) return WIRE.varint;
  return found(schema.enums, scope, name) === undefined ? WIRE.bytes : WIRE.varint;
}

function readValue(
  schema: ProtoSchema,
  type: MessageType,
  name: string,
  wire: number,
  reader: Reader,
  depth: number,
): unknown {
  if (wire !== wireOf(schema, type, name)) throw new Error(`a field of type ${name} has another wire type`);
  switch (name) {
    case 'double':
      return reader.view(8).getFloat64(0, true);
    case 'float':
      return reader.view(4).getFloat32(0, true);
    case 'fixed64':
      return reader.view(8).getBigUint64(0, true);
    case 'sfixed64':
      return reader.view(8).getBigInt64(0, true);
    case 'fixed32':
      return reader.view(4).getUint32(0, true);
    case 'sfixed32':
      return reader.view(4).getInt32(0, true);
    case 'bool':
      return reader.varint() !== 0n;
    case 'uint32':
      return Number(BigInt.asUintN(32, reader.varint()));
    case 'int32':
      return Number(BigInt.asIntN(32, reader.varint()));
    case 'uint64':
      return reader.varint();
    case 'int64':
      return BigInt.asIntN(64, reader.varint());
    case 'sint32':
    case 'sint64':
      return unZigzag(reader.varint());
    case 'string':
      return new TextDecoder('utf-8', { fatal: true }).decode(reader.slice());
    case 'bytes':
      return reader.slice().slice();
  }
  const names = found(schema.enums, type.scope, name);
  if (names) {
    const number = Number(BigInt.asIntN(32, reader.varint()));
    return names.get(number) ?? number;
  }
  const inner = found(schema.types, type.scope, name);
  if (!inner) throw new Error(`the schema has no ${name}`);
  return readMessage(schema, inner, reader.part(), depth + 1);
}

const unZigzag = (value: bigint): bigint => (value >> 1n) ^ -(value & 1n);

class Reader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get atEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error('ends in the middle of a field');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error('a number of more than ten bytes');
  }

  view(length: number): DataView {
    const bytes = this.take(length);
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  }

  /** Bytes with their length before them. */
  slice(): Uint8Array {
    return this.take(Number(this.varint()));
  }

  part(): Reader {
    return new Reader(this.slice());
  }

  /** A value of which only the wire type is known. */
  any(wire: number): unknown {
    if (wire === WIRE.varint) return this.varint();
    if (wire === WIRE.fixed64) return this.view(8).getBigUint64(0, true);
    if (wire === WIRE.fixed32) return this.view(4).getUint32(0, true);
    if (wire === WIRE.bytes) return this.slice().slice();
    throw new Error(`wire type ${wire}`);
  }

  private take(length: number): Uint8Array {
    const end = this.at + length;
    if (!Number.isSafeInteger(end) || end > this.bytes.length)
      throw new Error('ends in the middle of a field');
    const bytes = this.bytes.subarray(this.at, end);
    this.at = end;
    return bytes;
  }
}
