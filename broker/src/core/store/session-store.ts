import type { AckPacket } from '@mqdeck/mqtt/packets';
import type { Delivery } from '../delivery.ts';
import type { Subscription } from '../router.ts';
import type { Session } from '../session.ts';

/** Who is owed an acknowledgement once a group is on disk: the connection of a publisher or of a subscriber. */
export interface Creditor {
  /** `packetId` 0: `bytes` are sent as they are. */
  settle(type: AckPacket['type'], packetId: number, reasonCode: number, bytes: Uint8Array | null): void;
}

/**
 * What persistent sessions leave on disk. All calls return at once; the write goes with the next group. A session
 * without a store, one that ends with its connection, never comes here.
 */
export interface SessionStore {
  /** Something was written since this was last set to false: the acknowledgement at hand has to wait for the group. */
  owed: boolean;
  save(session: Session): void;
  remove(session: Session): void;
  subscribed(session: Session, subscription: Subscription): void;
  unsubscribed(session: Session, filter: string): void;
  /** A QoS 1 or 2 delivery is new or has moved on. */
  changed(session: Session, delivery: Delivery): void;
  done(session: Session, delivery: Delivery): void;
  awaits(session: Session, packetId: number): void;
  released(session: Session, packetId: number): void;
  whenSafe(
    creditor: Creditor,
    type: AckPacket['type'],
    packetId: number,
    reasonCode: number,
    bytes: Uint8Array | null,
  ): void;
  /** Runs once everything written so far is on disk; in the order of the calls, and of those to `whenSafe`. */
  onceSafe(run: () => void): void;
}
