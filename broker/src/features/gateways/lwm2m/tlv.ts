/** The TLV format of OMA LwM2M 1.0 (6.4.3): a tree of at most three levels. */

export type Tlv =
  | { readonly kind: 'instance'; readonly id: number; readonly children: readonly Tlv[] }
  | { readonly kind: 'multiple'; readonly id: number; readonly children: readonly Tlv[] }
  | { readonly kind: 'part'; readonly id: number; readonly value: Buffer } // an instance of a resource
  | { readonly kind: 'resource'; readonly id: number; readonly value: Buffer };

export class TlvFault extends Error {}

const KINDS = ['instance', 'part', 'multiple', 'resource'] as const; // by the first two bits
const ITEMS_MAX = 10_000;

/** Throws `TlvFault`. */
export function decodeTlv(bytes: Buffer): Tlv[] {
  const count = { left: ITEMS_MAX };
  return readAll(bytes, count, null);
}

function readAll(bytes: Buffer, count: { left: number }, parent: 'instance' | 'multiple' | null): Tlv[] {
  const items: Tlv[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (--count.left < 0) throw new TlvFault('too many items');
    const type = bytes[at]!;
    const kind = KINDS[type >> 6]!;
    const idBytes = (type & 0x20) === 0 ? 1 : 2;
    const lengthBytes = (type >> 3) & 3;
    const from = at + 1 + idBytes + lengthBytes;
    if (from > bytes.length) throw new TlvFault('an item is cut off');
    const id = bytes.readUIntBE(at + 1, idBytes);
    const length = lengthBytes === 0 ? type & 7 : bytes.readUIntBE(at + 1 + idBytes, lengthBytes);
    if (from + length > bytes.length) throw new TlvFault('a value is cut off');
    if (!mayStandIn(parent, kind)) throw new TlvFault('an item stands where it may not');
    const value = bytes.subarray(from, from + length);
    items.push(
      kind === 'instance' || kind === 'multiple'
        ? { kind, id, children: readAll(value, count, kind) }
        : { kind, id, value },
    );
    at = from + length;
  }
  return items;
}

/** Instances hold resources, resources of several values hold those; so nothing is nested deeper than that. */
function mayStandIn(parent: 'instance' | 'multiple' | null, kind: Tlv['kind']): boolean {
  if (parent === 'multiple') return kind === 'part';
  if (parent === 'instance') return kind === 'resource' || kind === 'multiple';
  return true;
}

export const encodeTlv = (items: readonly Tlv[]): Buffer => Buffer.concat(items.map(encodeOne));

function encodeOne(item: Tlv): Buffer {
  const value = 'children' in item ? encodeTlv(item.children) : item.value;
  const { length } = value;
  const lengthBytes = length < 8 ? 0 : length < 2 ** 8 ? 1 : length < 2 ** 16 ? 2 : 3;
  if (length >= 2 ** 24) throw new TlvFault('a value is too large');
  const idBytes = item.id < 2 ** 8 ? 1 : 2;
  const head = Buffer.alloc(1 + idBytes + lengthBytes);
  const kind = KINDS.indexOf(item.kind) << 6;
  head[0] = kind | (idBytes === 2 ? 0x20 : 0) | (lengthBytes << 3) | (lengthBytes === 0 ? length : 0);
  head.writeUIntBE(item.id, 1, idBytes);
  if (lengthBytes > 0) head.writeUIntBE(length, 1 + idBytes, lengthBytes);
  return Buffer.concat([head, value]);
}
