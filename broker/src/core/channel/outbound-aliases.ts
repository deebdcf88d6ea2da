const SHORT_TOPIC = 3; // an alias takes three bytes itself

interface Entry {
  readonly alias: number;
  topic: string;
  used: boolean; // since the hand came by
}

/**
 * Which topics of the messages to one connection have an alias, section 3.3.2.3.4. Keeps as many as the client allows:
 * a topic gets one at once while there are any, later when it is sent for the second time, from the topic that was not
 * used for the longest time, about.
 */
export class OutboundAliases {
  private readonly max: number;
  private readonly byTopic = new Map<string, Entry>();
  private readonly entries: Entry[] = [];
  /** Topics sent once, which may or may not be sent again. */
  private readonly once = new Set<string>();
  private hand = 0;
  /** Of the latest topic: bursts repeat it. */
  private last: Entry | null = null;
  /** The client does not know the latest one yet. */
  isNew = false;

  constructor(max: number) {
    this.max = max;
  }

  /** The alias that stands for the topic; 0 without one. */
  known(topic: string): number {
    const { last } = this;
    const entry = last !== null && last.topic === topic ? last : this.byTopic.get(topic);
    if (entry === undefined) return 0;
    this.last = entry;
    this.isNew = false;
    entry.used = true;
    return entry.alias;
  }

  /** Whether a topic without an alias should have one; remembers that it was asked for. */
  isWorthwhile(topic: string): boolean {
    if (topic.length <= SHORT_TOPIC) return false;
    if (this.entries.length < this.max || this.once.delete(topic)) return true;
    if (this.once.size >= 4 * this.max) this.once.clear();
    this.once.add(topic);
    return false;
  }

  /** The message that tells the client of it has to be sent. */
  assign(topic: string): number {
    const entry = this.free();
    entry.topic = topic;
    this.byTopic.set(topic, entry);
    this.isNew = true;
    return entry.alias;
  }

  private free(): Entry {
    if (this.entries.length < this.max) {
      const entry = { alias: this.entries.length + 1, topic: '', used: false }; // [MQTT-3.3.2-11]
      this.entries.push(entry);
      return entry;
    }
    for (;;) {
      const entry = this.entries[this.hand]!;
      this.hand = (this.hand + 1) % this.max;
      if (entry.used) entry.used = false;
      else {
        this.byTopic.delete(entry.topic);
        return entry;
      }
    }
  }
}
