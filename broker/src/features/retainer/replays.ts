import { parseRate, type RetainerSettings } from '@mqdeck/contract/retainer';
import type { Client, ClientSubscription } from '../../core/client.ts';
import type { Limiter, Pace } from '../../core/limiter/limiter.ts';
import { newMessage } from '../../core/message.ts';
import type { Clock, TimerWheel } from '../../core/timer-wheel.ts';
import type { Expiry } from './expiry.ts';
import { RateLimit } from './rate-limit.ts';
import type { Retained } from './store.ts';

// A step is short, and the connection learns between two of them whether its peer keeps up
const STEP_VISITS = 500;
const STEP_BYTES = 256 * 1024;
const TURN_MS = 4;
const LOOK_AGAIN_MS = 1000; // a rate may have changed meanwhile

interface Replay {
  client: Client;
  subscription: ClientSubscription;
  find: () => Iterator<Retained | undefined>;
  found: Iterator<Retained | undefined>;
  /** Subscribed to once more meanwhile: everything is sent once more [MQTT-3.8.4-4], however often that was. */
  again: boolean;
  /** What the limiter lets one subscriber have. */
  pace: Pace;
}

/**
 * Hands retained messages to new subscribers, a few milliseconds at a time and no faster than each client takes
 * them: one that does not keep up waits for its own queue to empty, and nothing is dropped from it for this.
 */
export class Replays {
  private waiting: Replay[] = [];
  private scheduled = false;
  /** One per subscription, so that repeating a SUBSCRIBE piles nothing up. */
  private readonly underWay = new WeakMap<ClientSubscription, Replay>();
  private readonly clock: Clock;
  private readonly timers: TimerWheel;
  private readonly expiry: Expiry;
  private readonly settings: () => RetainerSettings;
  private readonly limiter: Limiter;
  private readonly rates: readonly Pace[];

  constructor(
    { clock, timers, limiter }: { clock: Clock; timers: TimerWheel; limiter: Limiter },
    expiry: Expiry,
    settings: () => RetainerSettings,
  ) {
    this.clock = clock;
    this.timers = timers;
    this.expiry = expiry;
    this.settings = settings;
    this.limiter = limiter;
    this.rates = [
      limiter.internalPace(),
      new RateLimit(() => parseRate(settings().delivery_rate)!),
      new RateLimit(() => parseRate(settings().flow_control?.batch_deliver_limiter ?? 'infinity')!),
    ];
  }

  start(client: Client, filter: string, find: () => Iterator<Retained | undefined>): void {
    const subscription = client.subscription(filter);
    if (!subscription) return;
    const running = this.underWay.get(subscription);
    if (running) {
      running.again = true;
      return;
    }
    const replay = {
      client,
      subscription,
      find,
      found: find(),
      again: false,
      pace: this.limiter.receiverPace(),
    };
    this.underWay.set(subscription, replay);
    this.enqueue(replay);
  }

  private enqueue(replay: Replay): void {
    this.waiting.push(replay);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.turn());
  }

  /** Each gets one step, as many as there is time for; who was left out is first next time. */
  private turn(): void {
    this.scheduled = false;
    const end = performance.now() + TURN_MS;
    const round = this.waiting;
    this.waiting = [];
    let next = 0;
    while (next < round.length && performance.now() < end) this.step(round[next++]!);
    if (next < round.length) this.waiting = round.slice(next).concat(this.waiting);
    if (this.waiting.length > 0) this.schedule();
  }

  private step(replay: Replay): void {
    const { client, subscription } = replay;
    if (client.subscription(subscription.filter) !== subscription) return; // it has ended
    const { batch_read_number, batch_deliver_number } = this.settings().flow_control ?? {};
    const rates = [...this.rates, replay.pace].filter((rate) => rate.limits);
    const { now } = this.clock;
    let toRead = batch_read_number || Number.POSITIVE_INFINITY;
    let toDeliver = batch_deliver_number || Number.POSITIVE_INFINITY;
    let bytes = 0;
    for (
      let visits = 0;
      visits < STEP_VISITS && bytes < STEP_BYTES && toRead > 0 && toDeliver > 0;
      visits++
    ) {
      if (!client.ready) {
        client.onceReady(() => this.enqueue(replay));
        return;
      }
      const waitMs = rates.reduce((longest, rate) => Math.max(longest, rate.waitMs(now)), 0);
      if (waitMs > 0) {
        this.timers.after(Math.min(waitMs, LOOK_AGAIN_MS), () => this.enqueue(replay));
        return;
      }
      const next = replay.found.next();
      if (next.done) {
        if (replay.again) {
          replay.again = false;
          replay.found = replay.find();
          continue;
        }
        this.underWay.delete(subscription);
        return;
      }
      const retained = next.value;
      if (!retained) continue;
      toRead--;
      if (this.expiry.expired(retained, now)) continue; // [MQTT-3.3.2-5]
      toDeliver--;
      for (const rate of rates) rate.take();
      bytes += retained.payload.length;
      client.deliverRetained(messageOf(retained), subscription.filter);
    }
    this.waiting.push(replay);
  }
}

/** Made for each delivery: what a message keeps ready for many receivers would double what a retained one weighs. */
function messageOf({ topic, payload, qos, properties, from, timestamp, expiresAt }: Retained) {
  const message = newMessage(topic, payload, { qos, retain: true, properties, from, timestamp });
  // An expiry that only the broker's settings give is no property of the message
  if (properties.messageExpiryInterval !== undefined) message.expiresAt = expiresAt;
  return message;
}
