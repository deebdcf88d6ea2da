import type { QoS } from '@mqdeck/mqtt/packets';
import type { Denial } from './hooks.ts';

/** An answer kept for a connection: what was asked, and until when it holds. */
export interface KeptAccess {
  readonly action: 'publish' | 'subscribe';
  readonly topic: string;
  readonly qos: QoS;
  readonly retain: boolean;
  readonly access: 'allow' | Denial;
  readonly at: number; // epoch ms
}

interface Kept extends KeptAccess {
  readonly place: number;
  readonly until: number;
  newer: Kept | null;
}

const PLACES = 9; // a QoS, of a subscription, or of a message with or without retain

const placeOf = (action: 'publish' | 'subscribe', qos: QoS, retain: boolean): number =>
  action === 'subscribe' ? qos : 3 + qos + (retain ? 3 : 0);

/** Keeps what a connection was allowed and denied, the oldest answer first to go. Asked for every message. */
export class AccessCache {
  private readonly places = new Array<Map<string, Kept> | null>(PLACES).fill(null);
  private oldest: Kept | null = null;
  private newest: Kept | null = null;
  private last: Kept | null = null; // publishers repeat themselves
  private size = 0;

  find(action: 'publish' | 'subscribe', topic: string, qos: QoS, retain: boolean, now: number): Kept | null {
    const place = placeOf(action, qos, retain);
    let kept = this.last;
    if (kept === null || kept.topic !== topic || kept.place !== place) {
      kept = this.places[place]?.get(topic) ?? null;
      if (kept === null) return null;
    }
    if (kept.until <= now) return null;
    this.last = kept;
    return kept;
  }

  keep(answer: KeptAccess, until: number, sizeMax: number): void {
    const place = placeOf(answer.action, answer.qos, answer.retain);
    this.places[place] ??= new Map();
    const kept: Kept = { ...answer, place, until, newer: null };
    this.drop(this.places[place].get(kept.topic));
    this.places[place].set(kept.topic, kept);
    if (this.newest === null) this.oldest = kept;
    else this.newest.newer = kept;
    this.newest = kept;
    this.size++;
    while (this.size > sizeMax) this.dropOldest();
  }

  clear(): void {
    this.places.fill(null);
    this.oldest = null;
    this.newest = null;
    this.last = null;
    this.size = 0;
  }

  /** The latest first. */
  all(now: number): KeptAccess[] {
    const all: KeptAccess[] = [];
    for (let kept = this.oldest; kept !== null; kept = kept.newer)
      if (kept.until > now && this.places[kept.place]?.get(kept.topic) === kept) all.push(kept);
    return all.reverse();
  }

  /** What takes its place stands elsewhere in the order; the old link goes when its turn comes. */
  private drop(kept: Kept | undefined): void {
    if (kept === undefined) return;
    this.places[kept.place]?.delete(kept.topic);
    if (this.last === kept) this.last = null;
  }

  private dropOldest(): void {
    const { oldest } = this;
    if (oldest === null) return;
    this.oldest = oldest.newer;
    if (this.oldest === null) this.newest = null;
    this.size--;
    if (this.places[oldest.place]?.get(oldest.topic) === oldest) this.drop(oldest);
  }
}
