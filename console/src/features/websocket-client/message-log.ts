import type { Properties, QoS } from '@mqdeck/mqtt/packets';

/** How a message of ours fared. */
export type Delivery =
  | { is: 'waiting' }
  | { is: 'acknowledged'; reasonCode: number }
  | { is: 'failed'; text: string };

export interface LoggedMessage {
  /** Grows by one with each message of the log. */
  id: number;
  at: number;
  topic: string;
  payload: Uint8Array<ArrayBuffer>;
  qos: QoS;
  retain: boolean;
  dup: boolean;
  properties: Properties;
  delivery?: Delivery | undefined;
}

export interface LogView {
  /** Newest first. */
  messages: readonly LoggedMessage[];
  /** Since the log was made or cleared, also those that are no longer kept. */
  count: number;
  bytes: number;
  paused: boolean;
  /** Came since it was paused. */
  unseen: number;
}

/** SCREENS A27 */
const MESSAGES_MAX = 5000;
const BYTES_MAX = 32 * 1024 * 1024;
/** What a message costs beside its payload, about. */
const OVERHEAD_BYTES = 200;

const EMPTY: LogView = { messages: [], count: 0, bytes: 0, paused: false, unseen: 0 };

/** The newest messages, bounded by number and size. Views of it are made at most once per frame, and none in a hidden tab. */
export class MessageLog {
  #ring: (LoggedMessage | undefined)[] = new Array(MESSAGES_MAX);
  #first = 1; // the oldest id kept
  #next = 1;
  #keptBytes = 0;
  #countBefore = 0; // ids below were cleared
  #bytes = 0;
  #view = EMPTY;
  #pausedAt: number | null = null;
  #frame = 0;
  #stale = false;
  readonly #listeners = new Set<() => void>();

  add(message: Omit<LoggedMessage, 'id'>): number {
    const id = this.#next++;
    if (id - this.#first >= MESSAGES_MAX) this.#drop();
    this.#ring[id % MESSAGES_MAX] = { ...message, id };
    this.#keptBytes += costOf(message);
    this.#bytes += message.payload.length;
    while (this.#keptBytes > BYTES_MAX && this.#first < id) this.#drop();
    this.#soon();
    return id;
  }

  /** Tells how a message fared, if it is still kept. */
  settle(id: number, delivery: Delivery): void {
    const at = id % MESSAGES_MAX;
    const message = this.#ring[at];
    if (message?.id !== id) return;
    this.#ring[at] = { ...message, delivery };
    this.#soon();
  }

  clear(): void {
    while (this.#first < this.#next) this.#drop();
    this.#countBefore = this.#next - 1;
    this.#bytes = 0;
    if (this.#pausedAt !== null) this.#pausedAt = this.#next;
    this.#show([]);
  }

  setPaused(paused: boolean): void {
    const { messages } = this.view();
    this.#pausedAt = paused ? this.#next : null;
    this.#show(paused ? messages : this.#newestFirst());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly view = (): LogView => {
    if (this.#stale) this.#draw();
    return this.#view;
  };

  #drop(): void {
    const at = this.#first % MESSAGES_MAX;
    const oldest = this.#ring[at];
    if (oldest?.id === this.#first) {
      this.#keptBytes -= costOf(oldest);
      this.#ring[at] = undefined;
    }
    this.#first += 1;
  }

  #newestFirst(): LoggedMessage[] {
    const messages: LoggedMessage[] = [];
    for (let id = this.#next - 1; id >= this.#first; id -= 1) {
      const message = this.#ring[id % MESSAGES_MAX];
      if (message) messages.push(message);
    }
    return messages;
  }

  /** Hidden tabs get no frames: they draw nothing until they are looked at. */
  #soon(): void {
    // Nobody looks: a view is made when somebody asks for it.
    if (this.#listeners.size === 0) this.#stale = true;
    else if (this.#frame === 0)
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.#draw();
      });
  }

  #draw(): void {
    this.#show(this.#pausedAt === null ? this.#newestFirst() : this.#view.messages);
  }

  #show(messages: readonly LoggedMessage[]): void {
    this.#stale = false;
    this.#view = {
      messages,
      count: this.#next - 1 - this.#countBefore,
      bytes: this.#bytes,
      paused: this.#pausedAt !== null,
      unseen: this.#pausedAt === null ? 0 : this.#next - this.#pausedAt,
    };
    for (const listener of this.#listeners) listener();
  }
}

const costOf = ({ payload, topic }: Pick<LoggedMessage, 'payload' | 'topic'>): number =>
  payload.length + topic.length * 2 + OVERHEAD_BYTES;
