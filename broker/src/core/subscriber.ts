import type { Message } from './message.ts';
import type { Subscription } from './router.ts';
import type { ZoneSettings } from './settings.ts';

/** How well a subscriber can take a message now. The session of a gone one has ended; its links are still to be removed. */
export const Standing = { Gone: 0, Full: 1, Away: 2, Ready: 3 } as const;
export type Standing = (typeof Standing)[keyof typeof Standing];

/** Who can be handed messages: a session, or on behalf of others a share group or an exclusive subscription. */
export interface Subscriber {
  readonly standing: Standing;
  /** Of the zone it is in; null when there is nobody. */
  readonly settings: ZoneSettings | null;
  /** False when there is nobody to take it. */
  deliver(message: Message, subscription: Subscription): boolean;
}
