import { TICK_MS } from '../timer-wheel.ts';
import type { ClientLimit, Level, LimiterType } from './config.ts';
import type { SharedBucket } from './shared-bucket.ts';
import type { Hits } from './tally.ts';
import type { TokenBucket } from './token-bucket.ts';

export interface GateParts {
  type: LimiterType;
  bucketName: string;
  limit: ClientLimit;
  hits: Hits;
  /** Null: no limit there. */
  own: TokenBucket | null;
  listener: TokenBucket | null;
  bucket: SharedBucket | null;
  node: SharedBucket | null;
}

/** What one client has to have for one thing it does: tokens of its own, of its listener, its bucket and the node. */
export class Gate {
  readonly parts: GateParts;
  /** Waited so long: it goes without tokens of its own, this once. */
  forced = false;
  private bucketPaid = 0; // taken for it while it stood in line
  private nodePaid = 0;
  private restUntil = 0; // below the low watermark

  constructor(parts: GateParts) {
    this.parts = parts;
  }

  /** Whose tokens are missing; null when nobody's are. */
  missing(need: number, now: number): Level | null {
    const { own, listener, bucket, node } = this.parts;
    if (own !== null && !this.forced && (this.restUntil > now || !own.has(need, now))) return 'client';
    if (listener !== null && !listener.has(need, now)) return 'listener';
    if (bucket !== null && this.bucketPaid === 0 && !bucket.offers(need, now)) return 'bucket';
    if (node !== null && this.nodePaid === 0 && !node.offers(need, now)) return 'node';
    return null;
  }

  charge(cost: number, now: number): void {
    const { own, listener, bucket, node, limit } = this.parts;
    if (own !== null && !this.forced) {
      own.take(cost);
      if (own.level(now) < limit.lowWatermark) this.restUntil = now + TICK_MS;
    }
    listener?.take(cost);
    bucket?.take(cost - this.bucketPaid);
    node?.take(cost - this.nodePaid);
    this.forced = false;
    this.bucketPaid = 0;
    this.nodePaid = 0;
  }

  paid(level: 'bucket' | 'node', count: number): void {
    if (level === 'bucket') this.bucketPaid = count;
    else this.nodePaid = count;
  }

  /** It does not go: what was taken for it goes to others. */
  giveBack(): void {
    this.parts.bucket?.giveBack(this.bucketPaid);
    this.parts.node?.giveBack(this.nodePaid);
    this.bucketPaid = 0;
    this.nodePaid = 0;
    this.forced = false;
  }

  /** How long until the tokens of its own, or of its listener, are there. */
  msUntil(level: 'client' | 'listener', need: number, now: number): number {
    const { own, listener } = this.parts;
    if (level === 'listener') return listener?.msUntil(need, now) ?? 0;
    return Math.max(this.restUntil - now, own?.msUntil(need, now) ?? 0);
  }

  /** Goes on with the debts and savings of the one before. */
  continue({ parts }: Gate): void {
    const { own, listener } = this.parts;
    if (own !== null && parts.own !== null) own.continue(parts.own);
    if (listener !== null && parts.listener !== null) listener.continue(parts.listener);
  }
}
