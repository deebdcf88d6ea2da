import { randomBytes } from 'node:crypto';
import { blockBytes, blockOf, blockOption, partOf } from './block.ts';
import type { Budget } from './budget.ts';
import { type CoapMessage, type CoapOption, Code, uintOption } from './message.ts';

const BODIES_MAX = 8; // of a peer at once

/** A body that does not fit in one message. */
export interface Body {
  readonly bytes: Buffer;
  readonly etag: Buffer;
  readonly code: string;
  readonly options: readonly CoapOption[];
}

export const newBody = (code: string, options: readonly CoapOption[], bytes: Buffer): Body => ({
  bytes,
  etag: randomBytes(4),
  code,
  options: options.filter(({ name }) => name !== 'Observe'), // of the first block only [RFC 7959, 2.6]
});

/** What goes with the first block of a body. */
export const firstBlockOptions = ({ bytes, etag }: Body, szx: number): CoapOption[] => [
  { name: 'ETag', value: etag },
  blockOption('Block2', { num: 0, more: true, szx }),
  uintOption('Size2', bytes.length),
];

export const firstPart = ({ bytes }: Body, szx: number): Buffer => bytes.subarray(0, blockBytes(szx));

/** What names the resource that a request is about: path and query, without what only travels along (RFC 7252, 5.6). */
export const resourceOf = ({ options }: { options: readonly CoapOption[] }): string =>
  options
    .filter(({ name }) => name === 'Uri-Path' || name === 'Uri-Query')
    .map(({ name, value }) => `${name === 'Uri-Path' ? '/' : '?'}${value.toString('latin1')}`)
    .join('\n');

interface Part {
  readonly code: string;
  readonly options: readonly CoapOption[];
  readonly payload: Buffer;
  /** Whose part it is, and whether there are more; none where there is no such part. */
  readonly of?: { body: Body; more: boolean };
}

/** Bodies that a peer fetches block by block (RFC 7959, 2.4). Keeps the latest of each resource. */
export class Downloads {
  private readonly budget: Budget;
  private readonly bodies = new Map<string, Body>();

  constructor({ budget }: { budget: Budget }) {
    this.budget = budget;
  }

  keep(resource: string, body: Body): void {
    this.drop(resource);
    const [oldest] = this.bodies.keys();
    if (this.bodies.size >= BODIES_MAX && oldest !== undefined) this.drop(oldest);
    if (this.budget.take(body.bytes.length)) this.bodies.set(resource, body); // else the peer hears when it asks for more
  }

  /** The answer to a question for a further part; null: the request asks for something else. */
  partFor(request: CoapMessage): Part | null {
    const block = blockOf(request, 'Block2');
    if (block === undefined || block?.num === 0) return null;
    if (block === null) return nothing(Code.BadRequest, 'no such block');
    const body = this.bodies.get(resourceOf(request));
    const found = body && partOf(body.bytes, block.num, block.szx);
    if (!body || !found) return nothing(Code.RequestEntityIncomplete, 'there is no such block any more');
    const { num, szx } = block;
    const { more } = found;
    return {
      code: body.code,
      options: [
        { name: 'ETag', value: body.etag },
        ...body.options,
        blockOption('Block2', { num, more, szx }),
      ],
      payload: found.part,
      of: { body, more },
    };
  }

  close(): void {
    for (const resource of [...this.bodies.keys()]) this.drop(resource);
  }

  private drop(resource: string): void {
    const body = this.bodies.get(resource);
    if (!body) return;
    this.bodies.delete(resource);
    this.budget.give(body.bytes.length);
  }
}

const nothing = (code: string, why: string): Part => ({ code, options: [], payload: Buffer.from(why) });
