/** What a server is told, and nobody waits for. */
export interface Telling {
  readonly bytes: Buffer;
  /** Settles when the server has answered, or will not. */
  send(): Promise<void>;
  onDrop(): void;
}

const LANES = 64; // as many tellings are under way at a time
const TELLINGS_MAX = 10_000;
const BYTES_MAX = 64 * 1024 * 1024;

/**
 * Keeps what has to be told in its order, of one key one after the other: a server hears that a client connected before
 * it hears that it is gone. What is more than it can take is dropped, the newest first.
 */
export class Outbox {
  private readonly lanes: Telling[][] = Array.from({ length: LANES }, () => []);
  private readonly busy = new Array<boolean>(LANES).fill(false);
  private waiting = 0;
  private waitingBytes = 0;

  push(key: string, telling: Telling): void {
    if (this.waiting >= TELLINGS_MAX || this.waitingBytes + telling.bytes.length > BYTES_MAX) {
      telling.onDrop();
      return;
    }
    const lane = hashOf(key) % LANES;
    this.waiting++;
    this.waitingBytes += telling.bytes.length;
    this.lanes[lane]!.push(telling);
    if (!this.busy[lane]) void this.empty(lane);
  }

  /** What waits will not be told. */
  clear(): void {
    for (const lane of this.lanes) for (const telling of lane.splice(0)) telling.onDrop();
    this.waiting = 0;
    this.waitingBytes = 0;
  }

  private async empty(at: number): Promise<void> {
    this.busy[at] = true;
    const lane = this.lanes[at]!;
    for (let next = lane.shift(); next !== undefined; next = lane.shift()) {
      this.waiting--;
      this.waitingBytes -= next.bytes.length;
      await next.send();
    }
    this.busy[at] = false;
  }
}

/** The same key, the same number. */
export function hashOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) >>> 0;
  return hash;
}
