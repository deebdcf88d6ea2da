import { write, writeSync } from 'node:fs';
import type { Broker } from '@mqdeck/broker/broker';
import type { FastifyBaseLogger } from 'fastify';
import pino from 'pino';

/** Where the process speaks to whoever started it, apart from the banner. */
export interface Terminal {
  /** Takes lines of the broker's log, each with its line end. */
  write(line: string): void;
  /** Of what runs without a broker. */
  log: FastifyBaseLogger;
}

const WAITING_BYTES_MAX = 4 * 1024 * 1024;
const RETRY_MS = 100;

/**
 * A file descriptor that takes lines one batch after the other. Nobody waits for it: what does not fit while its reader
 * sleeps is dropped, and so is what cannot be written, because there is nowhere left to say so.
 */
export class Output {
  private readonly descriptor: number;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private busy = false;

  constructor(descriptor: number) {
    this.descriptor = descriptor;
    process.on('exit', this.flushNow);
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.waitingBytes + bytes.length > WAITING_BYTES_MAX) return;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (!this.busy) this.writeNext();
  }

  /** Nothing is on its way. */
  get idle(): boolean {
    return !this.busy;
  }

  close(): void {
    process.off('exit', this.flushNow);
  }

  private writeNext(): void {
    this.busy = this.waiting.length > 0;
    if (!this.busy) return;
    const batch = Buffer.concat(this.waiting.splice(0));
    write(this.descriptor, batch, 0, batch.length, null, (error, written) => {
      const isFull = error?.code === 'EAGAIN';
      const rest = error && !isFull ? Buffer.alloc(0) : batch.subarray(isFull ? 0 : written);
      this.waitingBytes -= batch.length - rest.length;
      if (rest.length > 0) this.waiting.unshift(rest);
      if (isFull) setTimeout(() => this.writeNext(), RETRY_MS).unref();
      else this.writeNext();
    });
  }

  /** The process ends now. */
  private readonly flushNow = (): void => {
    for (const bytes of this.waiting.splice(0)) {
      try {
        writeSync(this.descriptor, bytes);
      } catch {
        return; // nobody reads, and nothing else can be told
      }
    }
  };
}

export function errorOutput(): Terminal {
  const output = new Output(2);
  return {
    write: (line) => output.write(line),
    log: pino({ level: 'warn' }, output),
  };
}

const LEVEL_OF = {
  10: 'debug',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'critical',
} as const;

/** What the HTTP server has to say goes where the broker's log goes. */
export const loggerInto = (log: Broker['log']): FastifyBaseLogger =>
  pino(
    { level: 'debug', base: null, timestamp: false },
    {
      write(line: string) {
        const {
          level,
          msg = '',
          ...facts
        } = JSON.parse(line) as { level: keyof typeof LEVEL_OF; msg?: string };
        log.write(LEVEL_OF[level], facts, msg);
      },
    },
  );
