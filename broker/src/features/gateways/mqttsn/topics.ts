import { encodeUtf8 } from '@mqdeck/mqtt/utf8';
import type { TopicRef } from './packets.ts';

const LAST_ID = 0xfffe; // 0x0000 and 0xffff are reserved, section 5.3.11
const IDS_MAX = 4096; // of one device
const TOPIC_BYTES_MAX = 128 * 1024; // as well, of the names behind its ids

/** The topics that stand in the configuration: known to all devices beforehand. */
export class PredefinedTopics {
  private readonly topics = new Map<number, string>();
  private readonly ids = new Map<string, number>();

  constructor(rows: readonly { id: number; topic: string }[]) {
    for (const { id, topic } of rows) {
      this.topics.set(id, topic);
      if (!this.ids.has(topic)) this.ids.set(topic, id);
    }
  }

  topicOf(id: number): string | undefined {
    return this.topics.get(id);
  }

  idOf(topic: string): number | undefined {
    return this.ids.get(topic);
  }
}

/**
 * The topic ids of one device. Keeps those that it asked for, which stay as long as its session, and those it was told
 * on the way to a message, of which the oldest make room for others.
 */
export class TopicRegistry {
  private readonly predefined: PredefinedTopics;
  private readonly topics = new Map<number, string>();
  private readonly ids = new Map<string, number>();
  private readonly told = new Set<number>();
  private readonly unconfirmed = new Set<number>(); // on their way to the device
  private readonly unknown = new Set<number>(); // predefined ones that the device has refused
  private lastId = 0;
  private bytes = 0;

  constructor(predefined: PredefinedTopics) {
    this.predefined = predefined;
  }

  /** Null: nobody has that id. */
  resolve(topic: TopicRef): string | null {
    switch (topic.kind) {
      case 'normal':
        return this.topics.get(topic.id) ?? null;
      case 'predefined':
        return this.predefined.topicOf(topic.id) ?? null;
      case 'short':
        return topic.name;
    }
  }

  /** How a message on that topic may be sent; null: the device has to be told an id first. */
  refer(topic: string): TopicRef | null {
    const own = this.ids.get(topic);
    if (own !== undefined && !this.unconfirmed.has(own)) return { kind: 'normal', id: own };
    const predefined = this.predefined.idOf(topic);
    if (predefined !== undefined && !this.unknown.has(predefined))
      return { kind: 'predefined', id: predefined };
    return topic.length <= 2 && encodeUtf8(topic).length === 2 ? { kind: 'short', name: topic } : null;
  }

  /** The id that the device asks for; null: there is no room for one more. */
  register(topic: string): number | null {
    const known = this.ids.get(topic);
    if (known !== undefined) {
      this.told.delete(known);
      this.unconfirmed.delete(known);
      return known;
    }
    return this.add(topic);
  }

  /** An id that the device is going to be told; null: there is no room for it. */
  tell(topic: string): number | null {
    const known = this.ids.get(topic);
    const id = known ?? this.add(topic);
    if (id === null) return null;
    if (known === undefined) this.told.add(id);
    this.unconfirmed.add(id);
    return id;
  }

  /** The device knows an id that it was told. */
  confirm(id: number): void {
    this.unconfirmed.delete(id);
  }

  /** The device does not know it (any more). */
  forget(id: number): void {
    const topic = this.topics.get(id);
    if (topic === undefined) {
      if (this.predefined.topicOf(id) !== undefined) this.unknown.add(id);
      return;
    }
    this.topics.delete(id);
    this.ids.delete(topic);
    this.told.delete(id);
    this.unconfirmed.delete(id);
    this.bytes -= topic.length;
  }

  /** Those that have an id, the oldest first. */
  names(): string[] {
    return [...this.ids.keys()];
  }

  private add(topic: string): number | null {
    const full = () => this.topics.size >= IDS_MAX || this.bytes + topic.length > TOPIC_BYTES_MAX;
    for (const id of this.told) {
      if (!full()) break;
      this.forget(id);
    }
    if (full()) return null;
    const id = this.nextId();
    this.topics.set(id, topic);
    this.ids.set(topic, id);
    this.bytes += topic.length;
    return id;
  }

  /** Predefined ids are no ids of the registry, yet a device that takes them for such is not misled. */
  private nextId(): number {
    do this.lastId = (this.lastId % LAST_ID) + 1;
    while (this.topics.has(this.lastId) || this.predefined.topicOf(this.lastId) !== undefined);
    return this.lastId;
  }
}
