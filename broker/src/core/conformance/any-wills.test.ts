import { PacketType } from '@mqdeck/mqtt/packets';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';

const NEVER = 0xffff_ffff;
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      cleanStart: fc.boolean(),
      expiry: fc.constantFrom(0, 5, 50, NEVER),
      delay: fc.constantFrom(null, 0, 10, 200), // of the will; null = none
    }),
  },
  { weight: 1, arbitrary: fc.constant({ leave: 'breaks' as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ leave: 0x00 }, { leave: 0x04 }) },
  { weight: 3, arbitrary: fc.record({ seconds: fc.constantFrom(3, 6, 60, 300) }) }, // never just when something is due
);

test('however a client comes and goes, its will is published when it should be, once [MQTT-3.1.2-8] [MQTT-3.1.2-10] [MQTT-3.1.3-9] [MQTT-3.14.4-3]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const broker = startTestCore();
      const watcher = await broker.client('watcher');
      await watcher.subscribe('wills');
      let client: TestClient | null = null;
      let now = 0; // seconds
      let number = 0;
      let armed: { payload: string; delay: number } | null = null; // of the connection
      let pending: { payload: string; at: number } | null = null; // of the session without one
      let expiry = 0;
      let ends = 0; // when the session does
      const expected: string[] = [];
      const publishPending = () => {
        if (pending) expected.push(pending.payload);
        pending = null;
      };
      const leave = () => {
        const delay = Math.min(armed?.delay ?? 0, expiry);
        pending = armed && { payload: armed.payload, at: now + delay };
        if (delay === 0) publishPending();
        ends = expiry === NEVER ? Number.POSITIVE_INFINITY : now + expiry;
        armed = null;
        client = null;
      };
      for (const each of steps) {
        if ('cleanStart' in each) {
          if (client) leave();
          const { cleanStart, delay } = each;
          if (cleanStart) publishPending(); // the session ends here, where there is one
          pending = null;
          armed = delay === null ? null : { payload: `${number++}`, delay };
          expiry = each.expiry;
          client = await broker.client('a', {
            cleanStart,
            properties: { sessionExpiryInterval: expiry },
            ...(armed && {
              will: {
                topic: 'wills',
                payload: Buffer.from(armed.payload),
                properties: { willDelayInterval: armed.delay },
              },
            }),
          });
        } else if ('seconds' in each) {
          broker.pass(each.seconds * 1000 - 100); // which passes a tick more by itself
          now += each.seconds;
          if (!client && pending && (pending as { at: number }).at <= now) publishPending();
          if (!client && ends <= now) publishPending();
        } else if (client) {
          const leaving: TestClient = client;
          if (each.leave === 0x00) armed = null;
          leave();
          if (each.leave === 'breaks') leaving.close();
          else await leaving.disconnect(each.leave);
        }
        await watcher.ping();
        const seen = watcher.packets.flatMap((packet) =>
          packet.type === PacketType.PUBLISH ? [Buffer.from(packet.payload).toString()] : [],
        );
        expect(seen).toEqual(expected);
      }
    }),
    { numRuns: 200 },
  );
});
