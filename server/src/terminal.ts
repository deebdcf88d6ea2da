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

/** The error output. Nobody waits for a reader that has fallen asleep: lines that it leaves lying are dropped. */
export function errorOutput(): Terminal {
  const output = pino.destination({ fd: 2, sync: false, maxLength: WAITING_BYTES_MAX });
  return {
    write: (line) => void output.write(line),
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
