import type { Clock } from '../../../core/timer-wheel.ts';
import { type Block, blockBytes, blockOption } from './block.ts';
import type { Budget } from './budget.ts';
import { type CoapMessage, Code, uintOf, uintOption } from './message.ts';

const UPLOADS_MAX = 4; // of a peer at once
const LIFETIME_MS = 247_000; // EXCHANGE_LIFETIME: so long the next block may take

interface Upload {
  readonly parts: Buffer[];
  bytes: number;
  at: number;
}

interface Refused {
  readonly code: string;
  readonly options: { name: string; value: Buffer }[];
  readonly payload: Buffer;
}

type Step =
  | { readonly body: Buffer; readonly response?: never }
  | { readonly body: null; readonly response: Refused };

/** Requests of one peer whose bodies come in blocks (RFC 7959, 2.5). Keeps what has come of each. */
export class Uploads {
  private readonly clock: Clock;
  private readonly budget: Budget;
  private readonly uploadBytesMax: number;
  private readonly begun = new Map<string, Upload>();

  constructor({ clock, budget, uploadBytesMax }: { clock: Clock; budget: Budget; uploadBytesMax: number }) {
    this.clock = clock;
    this.budget = budget;
    this.uploadBytesMax = uploadBytesMax;
  }

  /** Takes a block; gives the body with the last one, else what the peer is to hear. */
  take(key: string, message: CoapMessage, block: Block): Step {
    const { payload } = message;
    const announced = uintOf(message, 'Size1') ?? 0;
    if (announced > this.uploadBytesMax)
      return this.refuse(key, block, Code.RequestEntityTooLarge, 'too large');
    if (block.more && payload.length !== blockBytes(block.szx))
      return this.refuse(key, block, Code.BadRequest, 'a block is not as large as it says');
    if (block.num === 0) this.drop(key); // from the beginning
    const upload = this.begun.get(key) ?? this.begin(key);
    const isNext = block.num * blockBytes(block.szx) === upload.bytes;
    const isLate = this.clock.now - upload.at > LIFETIME_MS;
    if (!isNext || isLate)
      return this.refuse(
        key,
        block,
        Code.RequestEntityIncomplete,
        'the blocks before this one are not there',
      );
    if (upload.bytes + payload.length > this.uploadBytesMax)
      return this.refuse(key, block, Code.RequestEntityTooLarge, 'too large');
    if (!this.budget.take(payload.length))
      return this.refuse(key, block, Code.ServiceUnavailable, 'no room for this now');
    upload.parts.push(payload);
    upload.bytes += payload.length;
    upload.at = this.clock.now;
    if (block.more) return { body: null, response: reply(Code.Continue, block, '') };
    const body = Buffer.concat(upload.parts);
    this.drop(key);
    return { body };
  }

  close(): void {
    for (const key of [...this.begun.keys()]) this.drop(key);
  }

  private begin(key: string): Upload {
    const [oldest] = this.begun.keys();
    if (this.begun.size >= UPLOADS_MAX && oldest !== undefined) this.drop(oldest);
    const upload = { parts: [], bytes: 0, at: this.clock.now };
    this.begun.set(key, upload);
    return upload;
  }

  private refuse(key: string, block: Block, code: string, why: string): Step {
    this.drop(key);
    const refused = reply(code, block, why);
    // How much would do [RFC 7959, 2.9.3]
    if (code === Code.RequestEntityTooLarge) refused.options.push(uintOption('Size1', this.uploadBytesMax));
    return { body: null, response: refused };
  }

  private drop(key: string): void {
    const upload = this.begun.get(key);
    if (!upload) return;
    this.begun.delete(key);
    this.budget.give(upload.bytes);
  }
}

const reply = (code: string, block: Block, why: string): Refused => ({
  code,
  options: [blockOption('Block1', block)],
  payload: Buffer.from(why),
});
