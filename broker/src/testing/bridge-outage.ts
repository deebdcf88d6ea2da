import type { Bridge, BridgeMetricsAnswer } from '@mqdeck/contract/bridges';
import { expect, vi } from 'vitest';
import { isFull } from './extent.ts';
import type { TestBroker } from './start-test-broker.ts';

export const MESSAGES = isFull ? 10_000 : 1000;
/** So many are published before the target goes. */
export const BEFORE = 0.3 * MESSAGES;
/** So many are published before the target comes back. */
const BEFORE_RETURN = 0.7 * MESSAGES;
export const patience = { timeout: 60_000, interval: 100 };

export const metricsOf = async (broker: TestBroker, id: string) =>
  (await broker.inject<BridgeMetricsAnswer>('GET', `/bridges/${id}/metrics`)).body.metrics;

/** Messages `t/N` with the payload of their number. */
export function publishNumbers(
  broker: TestBroker,
  from: number,
  to: number,
  payload: (n: number) => string = String,
): void {
  for (let n = from; n < to; n++)
    void broker.core.publish({ topic: `t/${n % 7}`, payload: payload(n), qos: 1, clientid: `c${n % 7}` });
}

interface Target {
  kill(): Promise<unknown>;
  start(): Promise<unknown>;
}

/** All messages while the target of a bridge goes in the middle and comes back; none is dropped or given up. */
export async function sendThroughAnOutage(
  broker: TestBroker,
  target: Target,
  bridge: string,
  { payload = String, settled = false }: { payload?: (n: number) => string; settled?: boolean } = {},
): Promise<void> {
  publishNumbers(broker, 0, BEFORE, payload);
  // A target that keeps nothing is not taken away before it has confirmed what it has.
  if (settled)
    await vi.waitFor(
      async () => expect(await metricsOf(broker, bridge)).toMatchObject({ success: BEFORE }),
      patience,
    );
  await target.kill();
  publishNumbers(broker, BEFORE, BEFORE_RETURN, payload);
  await vi.waitFor(async () => {
    const { body } = await broker.inject<Bridge>('GET', `/bridges/${bridge}`);
    expect(body.status).toBe('disconnected');
  }, patience);
  await target.start();
  publishNumbers(broker, BEFORE_RETURN, MESSAGES, payload);
  await vi.waitFor(
    async () => expect(await metricsOf(broker, bridge)).toMatchObject({ queuing: 0, inflight: 0 }),
    patience,
  );
  expect(await metricsOf(broker, bridge)).toMatchObject({ matched: MESSAGES, dropped: 0, failed: 0 });
}

/** Each at least once: what was on its way when the target went may be there twice. */
export function expectAll(payloads: Iterable<unknown>): void {
  const numbers = [...payloads].map(Number);
  expect(new Set(numbers).size).toBe(MESSAGES);
  expect(numbers.length).toBeLessThan(Math.min(2 * MESSAGES, MESSAGES + 2000));
}
