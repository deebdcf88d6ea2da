import { ReasonCode, reasonName } from '@mqdeck/mqtt/reason-codes';
import { type Core, type CoreOptions, startCore } from '../core/core.ts';
import { Clock, TICK_MS } from '../core/timer-wheel.ts';
import type { MemoryConnection } from './memory-connection.ts';
import { type ClientOptions, dial, type TestClient } from './test-client.ts';

export interface TestCore {
  readonly core: Core;
  /** A connected client. */
  client(clientid: string, options?: ClientOptions): Promise<TestClient>;
  /** A client with its connection, CONNECT not yet sent. */
  dial(clientid: string, options?: ClientOptions): { client: TestClient; connection: MemoryConnection };
  /** Lets the broker's time pass; real time does not matter. */
  pass(ms: number): void;
  close(): Promise<void>;
}

const STANDS_STILL = () => 1;

/**
 * The MQTT side of the test fixture: a core in memory, without ports, whose clock stands still until told. No turn of the
 * event loop takes too long there, however busy the machine, unless a test brings its own `turnClock`.
 */
export function startTestCore(options: Omit<CoreOptions, 'clock'> = {}): TestCore {
  let now = Math.ceil(Date.now() / TICK_MS) * TICK_MS + 1; // each test begins right behind a tick
  const clock = new Clock(() => now);
  const core = startCore({ turnClock: STANDS_STILL, ...options, clock });
  return {
    core,
    dial: (clientid, clientOptions) => dial(core, clientid, clientOptions),
    async client(clientid, clientOptions) {
      const { client } = dial(core, clientid, clientOptions);
      const { reasonCode } = await client.connect();
      if (reasonCode !== ReasonCode.Success)
        throw new Error(`${clientid} was refused: ${reasonName(reasonCode)}`);
      return client;
    },
    pass(ms) {
      const until = now + ms;
      // In steps, so that timers armed by timers come in time; in few, so that hours cost nothing
      const step = Math.max(TICK_MS, Math.ceil(ms / 100));
      while (now < until) {
        now = Math.min(now + step, until);
        clock.refresh();
        core.timers.turn();
      }
      now += TICK_MS; // a timer may come a tick late
      clock.refresh();
      core.timers.turn();
    },
    close: () => core.close(),
  };
}
