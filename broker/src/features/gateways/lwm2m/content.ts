import type { Lwm2mType } from '@mqdeck/contract/gateway-devices';
import { ContentFormat } from '../coap/message.ts';
import { splitLinks } from './links.ts';
import type { ObjectBook } from './objects.ts';
import { type Path, readPath, writePath } from './path.ts';
import { decodeTlv, encodeTlv, type Tlv, TlvFault } from './tlv.ts';
import { decodePlain, decodeText, decodeValue, encodeValue, type Value, ValueFault } from './values.ts';

export interface Row {
  readonly path: string;
  readonly value: Value;
}

export class ContentFault extends Error {}

/** Numbers that devices of before LwM2M 1.0 use for the same formats. */
const OLDER = { text: 1541, tlv: 1542, json: 1543, opaque: 1544 } as const;
const ROWS_MAX = 10_000;

/** What a device answers at a path, by its format; null: the format is none of LwM2M 1.0. Throws `ContentFault`. */
export function readContent(
  path: Path,
  format: number | undefined,
  payload: Buffer,
  objects: ObjectBook,
): (Row | string)[] {
  try {
    switch (format ?? ContentFormat.Text) {
      case ContentFormat.Text:
      case OLDER.text:
        return [{ path: writePath(path), value: decodePlain(typeAt(path, objects), payload) }];
      case ContentFormat.OctetStream:
      case OLDER.opaque:
        return [{ path: writePath(path), value: payload.toString('base64') }];
      case ContentFormat.LinkFormat:
        return splitLinks(decodeText(payload) ?? '<') ?? fault('not in the link format');
      case ContentFormat.Tlv:
      case OLDER.tlv:
        return decodeTlv(payload).flatMap((item) => rowsOf(item, path, objects));
      case ContentFormat.LwM2mJson:
      case OLDER.json:
        return readJson(path, payload);
      default:
        return fault(`format ${format} is not one of LwM2M 1.0`);
    }
  } catch (cause) {
    if (cause instanceof TlvFault || cause instanceof ValueFault) throw new ContentFault(cause.message);
    throw cause;
  }
}

const typeAt = (path: Path, objects: ObjectBook): Lwm2mType | null => objects.resource(path)?.type ?? null;

/** Items stand below the path that was asked for, or repeat its end (LwM2M 1.0, 6.4.3.1). */
function rowsOf(item: Tlv, path: Path, objects: ObjectBook): Row[] {
  const [object, instance = 0, resource] = path;
  switch (item.kind) {
    case 'instance':
      return item.children.flatMap((child) => rowsOf(child, [object!, item.id], objects));
    case 'multiple':
      return item.children.flatMap((child) => rowsOf(child, [object!, instance, item.id], objects));
    case 'part':
      return [row([object!, instance, resource ?? 0, item.id], item.value, objects)];
    case 'resource':
      return [row([object!, instance, item.id], item.value, objects)];
  }
}

const row = (path: Path, bytes: Buffer, objects: ObjectBook): Row => ({
  path: writePath(path),
  value: decodeValue(typeAt(path, objects), bytes),
});

/** `{"bn":"/3/0/","e":[{"n":"1","sv":"x"}]}` (6.4.4) */
function readJson(path: Path, payload: Buffer): Row[] {
  let read: unknown;
  try {
    read = JSON.parse(decodeText(payload) ?? '');
  } catch {
    return fault('not JSON');
  }
  const { bn, e } = Object(read) as { bn?: unknown; e?: unknown };
  if (!Array.isArray(e) || e.length > ROWS_MAX) return fault('no list of values');
  const base = typeof bn === 'string' ? bn : writePath(path);
  return e.map((entry: unknown) => {
    const { n, v, sv, bv, ov } = Object(entry) as Record<'n' | 'v' | 'sv' | 'bv' | 'ov', unknown>;
    const name = typeof n === 'string' ? n : '';
    const whole = name === '' ? base : `${base.replace(/\/$/, '')}/${name.replace(/^\//, '')}`;
    const where = readPath(whole) ?? fault('a value without a path');
    const value = [v, sv, bv, ov].find((one) => ['string', 'number', 'boolean'].includes(typeof one));
    if (value === undefined) return fault('an entry without a value');
    return { path: writePath(where), value: value as Value };
  });
}

function fault(why: string): never {
  throw new ContentFault(why);
}

/** A value to be written. */
export interface Assignment {
  readonly path: Path; // from the object on
  readonly type: Lwm2mType;
  readonly value: unknown;
}

/** One resource, or several of one instance, in TLV. Throws `ContentFault`. */
export function writeTlv(assignments: readonly Assignment[]): Buffer {
  return encodeTlv(resourcesOf(assignments));
}

/** The resources of a new instance; with its number where that is given. */
export function writeNewInstance(assignments: readonly Assignment[], instance: number | null): Buffer {
  const children = resourcesOf(assignments);
  return encodeTlv(instance === null ? children : [{ kind: 'instance', id: instance, children }]);
}

function resourcesOf(assignments: readonly Assignment[]): Tlv[] {
  const items = new Map<number, { value: Buffer } | { parts: Tlv[] }>();
  for (const { path, type, value } of assignments) {
    const [, , resource, part] = path;
    if (resource === undefined) fault('a resource is needed');
    const bytes = encoded(type, value);
    if (part === undefined) {
      items.set(resource, { value: bytes });
      continue;
    }
    const known = items.get(resource);
    const item: Tlv = { kind: 'part', id: part, value: bytes };
    if (known && 'parts' in known) known.parts.push(item);
    else items.set(resource, { parts: [item] });
  }
  return [...items].map(
    ([id, item]): Tlv =>
      'value' in item
        ? { kind: 'resource', id, value: item.value }
        : { kind: 'multiple', id, children: item.parts },
  );
}

function encoded(type: Lwm2mType, value: unknown): Buffer {
  try {
    return encodeValue(type, value);
  } catch (cause) {
    if (cause instanceof ValueFault) throw new ContentFault(cause.message);
    throw cause;
  }
}
