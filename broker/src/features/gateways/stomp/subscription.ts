export const ACK_MODES = ['auto', 'client', 'client-individual'] as const;
export type AckMode = (typeof ACK_MODES)[number];

/** What a device has subscribed to, by the id that it gave it. */
export interface StompSubscription {
  readonly id: string;
  readonly destination: string;
  readonly ack: AckMode;
  /** Of 1.0, which may leave it out; then no MESSAGE names it. */
  readonly named: boolean;
}
