const RATE_MS = 5000;

/** What came to one topic. Kept only of topics that messages were published to. */
export class Own {
  messages = 0;
  at = 0; // epoch ms
  bytes = 0; // of the last payload
  qos = 0;
  /** The beginning of the last payload. */
  value: Uint8Array | null = null;
}

/** One level of topics. Keeps what came to it and below it. */
export class Node {
  readonly name: string;
  readonly parent: Node | null;
  children: Map<string, Node> | null = null;
  topics = 0;
  messages = 0;
  bytes = 0;
  lastAt = 0; // epoch ms
  own: Own | null = null;
  private windowAt = 0;
  private inWindow = 0;
  private before = 0;

  constructor(name: string, parent: Node | null) {
    this.name = name;
    this.parent = parent;
  }

  count(bytes: number, now: number): void {
    this.goOn(now);
    this.messages++;
    this.inWindow++;
    this.bytes += bytes;
    this.lastAt = now;
  }

  /** Messages a second, of the last whole five seconds. */
  rate(now: number): number {
    this.goOn(now);
    return (this.before * 1000) / RATE_MS;
  }

  private goOn(now: number): void {
    const window = Math.floor(now / RATE_MS);
    if (window === this.windowAt) return;
    this.before = window === this.windowAt + 1 ? this.inWindow : 0;
    this.inWindow = 0;
    this.windowAt = window;
  }
}

/** The levels of all topics, at most so many topics. Those beyond count where their known part ends. */
export class TopicTree {
  readonly root = new Node('', null);
  readonly topicsMax: number;
  leftOut = 0;
  /** Nodes that were made. */
  levels = 0;
  private readonly byTopic = new Map<string, Node>();

  constructor(topicsMax: number) {
    this.topicsMax = topicsMax;
  }

  get topics(): number {
    return this.byTopic.size;
  }

  get(topic: string): Node | undefined {
    return this.byTopic.get(topic);
  }

  /** The node of a topic, made when there is room; null when there is none. */
  enter(topic: string): Node | null {
    const known = this.byTopic.get(topic);
    if (known) return known;
    if (this.byTopic.size >= this.topicsMax) {
      this.leftOut++;
      return null;
    }
    const node = this.walk(topic);
    node.own = new Own();
    this.byTopic.set(topic, node);
    for (let one: Node | null = node; one !== null; one = one.parent) one.topics++;
    return node;
  }

  /** The node at the end of a part of a topic; the top without one. */
  find(parent: string | undefined): Node | undefined {
    if (parent === undefined) return this.root;
    let node: Node | undefined = this.root;
    for (const level of parent.split('/')) node = node?.children?.get(level);
    return node;
  }

  entries(): IterableIterator<[string, Node]> {
    return this.byTopic.entries();
  }

  private walk(topic: string): Node {
    let node = this.root;
    for (const level of topic.split('/')) {
      node.children ??= new Map();
      let next = node.children.get(level);
      if (next === undefined) {
        next = new Node(level, node);
        this.levels++;
        node.children.set(level, next);
      }
      node = next;
    }
    return node;
  }
}
