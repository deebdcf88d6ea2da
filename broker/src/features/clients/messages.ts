import { isUtf8 } from 'node:buffer';
import type { clients, InflightMessage, QueuedMessage, WaitingMessage } from '@mqdeck/contract/clients';
import type { CheckedRequest } from '@mqdeck/contract/kit/endpoint';
import type { Client, ClientDelivery, ClientQueued, QueuePlace } from '../../core/client.ts';
import { DeliveryState } from '../../core/delivery.ts';
import { fail } from '../../http/api-error.ts';

type Query = CheckedRequest<typeof clients.mqueueMessages>['query'];

// An alias, as answers of the contract are open to further keys.
type WaitingPage<T> = { data: T[]; meta: { start: string; position: string } };

const NONE = 'none';
const END = 'end_of_data';
/** More in one answer would be a text too long to write, and nobody reads it. */
const PAYLOADS_MAX = 32 * 1024 * 1024;

/** A page of a client's queue. Its cost is that of the page, however long the queue. */
export function queuedMessages(client: Client, query: Query): WaitingPage<QueuedMessage> {
  return pageOf(query, {
    after: (position, limit) => client.queuedAfter(position === null ? null : placeIn(position), limit),
    positionOf: positionInQueue,
    deliveryOf: ({ delivery }) => delivery,
    present: ({ priority, delivery }) => ({
      ...presentWaiting(delivery, query),
      mqueue_priority: Number.isFinite(priority) ? priority : 'infinity',
    }),
  });
}

/** A page of what a client has not acknowledged. */
export function inflightMessages(client: Client, query: Query): WaitingPage<InflightMessage> {
  return pageOf(query, {
    after: (position, limit) => client.inflightAfter(position === null ? 0 : orderIn(position), limit),
    positionOf: insertedAt,
    deliveryOf: (delivery) => delivery,
    present: (delivery) => ({
      ...presentWaiting(delivery, query),
      packet_id: delivery.packetId,
      awaits: awaited(delivery),
      sent_at: delivery.sentAt === 0 ? undefined : delivery.sentAt, // it waits for the store
    }),
  });
}

interface Walk<D, R> {
  after: (position: string | null, limit: number) => D[];
  positionOf: (row: D) => string;
  deliveryOf: (row: D) => ClientDelivery;
  present: (row: D) => R;
}

function pageOf<D, R>(query: Query, { after, positionOf, deliveryOf, present }: Walk<D, R>): WaitingPage<R> {
  const { position = NONE } = query;
  const fromHead = position === NONE;
  const found = position === END ? [] : after(fromHead ? null : position, query.limit);
  const [head] = fromHead ? found : after(null, 1);
  const start = head === undefined ? NONE : positionOf(head);
  const rows = withinBytes(found, query, deliveryOf);
  const last = rows.at(-1);
  return {
    // Each is written when the answer is: a payload is encoded only then.
    data: rows.map((row) => ({ toJSON: () => present(row) }) as R),
    // That of the last one shown: what was too much for this page is on the next.
    meta: { start, position: last === undefined ? position : positionOf(last) },
  };
}

/** As many as there is room for, and at least one. */
function withinBytes<D>(rows: D[], query: Query, deliveryOf: (row: D) => ClientDelivery): D[] {
  const { payload, max_payload_bytes } = query;
  if (payload === 'none') return rows;
  const room = Math.min(max_payload_bytes, PAYLOADS_MAX);
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    const { message } = deliveryOf(row);
    bytes += payload === 'base64' ? Math.ceil(message.payloadBytes / 3) * 4 : message.payloadBytes;
    return i > 0 && bytes > room;
  });
  const shown = end === -1 ? rows : rows.slice(0, end);
  if (payload === 'plain' && !shown.every((row) => isUtf8(deliveryOf(row).message.payload)))
    fail('INVALID_PARAMETER', 'The payload of a message is no text: ask for base64');
  return shown;
}

/** Every delivery of a session has its own; what clients of the API take for nanoseconds ends in zeros. */
const insertedAt = ({ order }: ClientDelivery): string => `${order}000`;

const positionInQueue = ({ priority, delivery }: ClientQueued): string =>
  `${insertedAt(delivery)}_${Number.isFinite(priority) ? priority : 'infinity'}`;

function placeIn(position: string): QueuePlace {
  const [, inserted, priority] = /^(\d{1,20})_(infinity|-?\d{1,9})$/.exec(position) ?? noPosition();
  return {
    order: orderIn(inserted!),
    priority: priority === 'infinity' ? Number.POSITIVE_INFINITY : Number(priority),
  };
}

function orderIn(position: string): number {
  if (!/^\d{1,20}$/.test(position)) noPosition();
  return Number(BigInt(position) / 1000n);
}

const noPosition = (): never =>
  fail('INVALID_PARAMETER', 'The position is none that a page before has ended with');

function awaited({ qos, state }: ClientDelivery): 'PUBACK' | 'PUBREC' | 'PUBCOMP' {
  if (state === DeliveryState.Released) return 'PUBCOMP';
  return qos === 1 ? 'PUBACK' : 'PUBREC';
}

function presentWaiting(delivery: ClientDelivery, { payload }: Query): WaitingMessage {
  const { message, qos, retain } = delivery;
  return {
    msgid: message.id.toUpperCase(),
    topic: message.topic,
    qos,
    from_clientid: message.from,
    from_username: message.publisher?.username ?? '',
    publish_at: message.timestamp,
    inserted_at: insertedAt(delivery),
    ...(payload !== 'none' && { payload: payloadText(message.payload, payload) }),
    retain,
    payload_bytes: message.payloadBytes,
    ...(message.expiresAt !== 0 && { expires_at: message.expiresAt }),
  };
}

function payloadText(payload: Uint8Array, form: 'base64' | 'plain'): string {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return bytes.toString(form === 'base64' ? 'base64' : 'utf8');
}
