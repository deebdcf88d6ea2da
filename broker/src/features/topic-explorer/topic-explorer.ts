import {
  EXPLORED_IDLE_SECONDS,
  EXPLORED_TOPICS_MAX,
  EXPLORED_VALUE_BYTES_MAX,
  EXPLORED_VALUES_MAX,
  type ExploredValue,
  type ExplorerStatus,
} from '@mqdeck/contract/topic-explorer';
import type { Core } from '../../core/core.ts';
import type { Message } from '../../core/message.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import { type Node, TopicTree } from './tree.ts';

const OWNER = 'topic-explorer';
/** Behind whatever gives a message another topic, or keeps it from being routed. */
const LAST = -500;
const MEMORY_MAX = 64 * 1024 * 1024;
/** Of a topic and its node, about, beside its value. */
const TOPIC_BYTES = 400;
/** Of each level that no other topic has. */
const LEVEL_BYTES = 350;
const PREVIEW_BYTES = 512;
/** A value is copied at most so often for each topic. */
const VALUE_EVERY_MS = 100;
/** More messages a second than these are looked at by sample. */
const PER_SECOND_MAX = 20_000;
const WATCHED_MAX = 20;
/** More subscribers are not counted one by one. */
const SUBSCRIBERS_MAX = 1000;
const LEVELS_MAX = 32;

interface Watched {
  values: ExploredValue[];
  bytes: number;
  askedAt: number;
}

export interface ExplorerLimits {
  topicsMax?: number;
  memoryMax?: number;
  perSecondMax?: number;
}

/**
 * Gathers which topics there are, as long as somebody looks: names, counts and last values, within a fixed memory. Nobody
 * looking, no hook is joined and nothing is kept.
 */
export class TopicExplorer {
  private readonly core: Core;
  private readonly topicsMax: number;
  private readonly memoryMax: number;
  private readonly perSecondMax: number;
  private gathering: Gathering | null = null;

  constructor(core: Core, limits: ExplorerLimits = {}) {
    this.core = core;
    this.topicsMax = limits.topicsMax ?? EXPLORED_TOPICS_MAX;
    this.memoryMax = limits.memoryMax ?? MEMORY_MAX;
    this.perSecondMax = limits.perSecondMax ?? PER_SECOND_MAX;
  }

  /** Somebody looks: begins to gather, or goes on for a while. */
  look(): Gathering {
    this.gathering ??= new Gathering(this.core, this, () => {
      this.gathering = null;
    });
    this.gathering.goOn();
    return this.gathering;
  }

  get limits(): Required<ExplorerLimits> {
    const { topicsMax, memoryMax, perSecondMax } = this;
    return { topicsMax, memoryMax, perSecondMax };
  }

  /** Begins anew at the next look. */
  forget(): void {
    this.gathering?.end();
  }

  close(): void {
    this.forget();
  }
}

/** What was gathered since somebody began to look. */
export class Gathering {
  readonly tree: TopicTree;
  private readonly core: Core;
  private readonly limits: Required<ExplorerLimits>;
  private readonly since: number;
  private readonly off: () => void;
  private readonly onEnd: () => void;
  private readonly watched = new Map<string, Watched>();
  private timer: Timer | null = null;
  private messages = 0;
  private sampled = 0;
  private bytes = 0;
  private second = 0;
  private inSecond = 0;
  private skipped = 0;

  constructor(core: Core, { limits }: TopicExplorer, onEnd: () => void) {
    this.core = core;
    this.limits = limits;
    this.tree = new TopicTree(limits.topicsMax);
    this.since = core.clock.refresh();
    this.onEnd = onEnd;
    this.off = core.hooks.on(
      'message.publish',
      (message) => {
        this.take(message);
        return undefined;
      },
      { priority: LAST, owner: OWNER },
    );
  }

  goOn(): void {
    this.timer?.cancel();
    this.timer = this.core.timers.after(EXPLORED_IDLE_SECONDS * 1000, () => this.end());
  }

  end(): void {
    this.off();
    this.timer?.cancel();
    this.onEnd();
  }

  get status(): ExplorerStatus {
    return {
      since: this.since,
      topics: this.tree.topics,
      topics_max: this.limits.topicsMax,
      left_out: this.tree.leftOut,
      messages: this.messages,
      sampled: this.sampled,
      memory_bytes: this.bytes,
      memory_max: this.limits.memoryMax,
    };
  }

  /** The last values of a topic; from now on they are kept. */
  values(topic: string): ExploredValue[] {
    const now = this.core.clock.refresh();
    let watched = this.watched.get(topic);
    if (!watched) {
      if (this.watched.size >= WATCHED_MAX) this.unwatchLongest();
      watched = { values: [], bytes: 0, askedAt: now };
      this.watched.set(topic, watched);
    }
    watched.askedAt = now;
    return watched.values;
  }

  subscribersOf(topic: string): number {
    return this.core.routes.receiverCount(topic, SUBSCRIBERS_MAX);
  }

  private unwatchLongest(): void {
    const [longest] = [...this.watched].sort(([, a], [, b]) => a.askedAt - b.askedAt);
    if (!longest) return;
    this.bytes -= longest[1].bytes;
    this.watched.delete(longest[0]);
  }

  private take(message: Message): void {
    this.messages++;
    if (message.system || this.isTooMuch()) return;
    const { topic, payload } = message;
    this.sampled++;
    const now = this.core.clock.now;
    const node = this.enter(topic);
    if (node === null) return;
    for (let one: Node | null = node; one !== null; one = one.parent) one.count(payload.length, now);
    const own = node.own!;
    own.messages++;
    const due = now - own.at >= VALUE_EVERY_MS;
    own.at = now;
    own.qos = message.qos;
    own.bytes = payload.length;
    if (due || own.value === null) this.keepValue(node, payload);
    const watched = this.watched.get(topic);
    if (watched !== undefined) this.watch(watched, message, now);
  }

  /** On a busy broker only as many as cost little are looked at, spread over the second. */
  private isTooMuch(): boolean {
    const second = Math.floor(this.core.clock.now / 1000);
    if (second !== this.second) {
      const over = this.inSecond / this.limits.perSecondMax;
      this.skipped = over > 1 ? Math.ceil(over) : 0;
      this.second = second;
      this.inSecond = 0;
    }
    this.inSecond++;
    return this.skipped > 1 && this.inSecond % this.skipped !== 0;
  }

  private enter(topic: string): Node | null {
    const known = this.tree.get(topic);
    if (known) return known;
    const levels = depthOf(topic);
    const most = TOPIC_BYTES + topic.length * 2 + levels * LEVEL_BYTES;
    if (this.bytes + most > this.limits.memoryMax || levels > LEVELS_MAX) {
      this.tree.leftOut++;
      return null;
    }
    const before = this.tree.levels;
    const node = this.tree.enter(topic);
    if (node !== null)
      this.bytes += TOPIC_BYTES + topic.length * 2 + (this.tree.levels - before) * LEVEL_BYTES;
    return node;
  }

  private keepValue(node: Node, payload: Uint8Array): void {
    const own = node.own!;
    const before = own.value?.length ?? 0;
    const length = Math.min(payload.length, PREVIEW_BYTES);
    if (this.bytes + length - before > this.limits.memoryMax) return;
    own.value = Uint8Array.prototype.slice.call(payload, 0, length); // a Buffer's own slice would keep all of it
    this.bytes += length - before;
  }

  private watch(watched: Watched, message: Message, now: number): void {
    const { payload, properties } = message;
    const kept = payload.subarray(0, EXPLORED_VALUE_BYTES_MAX);
    watched.values.unshift({
      at: now,
      payload: Buffer.from(kept).toString('base64'),
      bytes: payload.length,
      qos: message.qos,
      retain: message.retain,
      from: message.from,
      ...(properties.contentType !== undefined && { content_type: properties.contentType }),
    });
    const before = watched.bytes;
    watched.bytes += sizeOf(watched.values[0]!);
    while (
      watched.values.length > EXPLORED_VALUES_MAX ||
      (watched.values.length > 1 && this.bytes + watched.bytes - before > this.limits.memoryMax)
    )
      watched.bytes -= sizeOf(watched.values.pop()!);
    this.bytes += watched.bytes - before;
  }
}

const sizeOf = ({ payload }: ExploredValue): number => payload.length + 200;

function depthOf(topic: string): number {
  let levels = 1;
  for (let at = topic.indexOf('/'); at !== -1 && levels <= LEVELS_MAX; at = topic.indexOf('/', at + 1))
    levels++;
  return levels;
}
