import type { redisClusterShape, redisSentinelShape, redisSingleShape } from '@mqdeck/contract/bridges/redis';
import { template } from '@mqdeck/rulesql/template';
import { textOf, type Value } from '@mqdeck/rulesql/values';
import type * as z from 'zod/mini';
import { BackendError, type RedisBackend } from '../../../backends/backend.ts';
import { openRedis } from '../../../backends/redis.ts';
import { DeliveryError, type Driver, type DriverContext, type Row } from '../../../resources/driver.ts';

type Of<S extends Record<string, z.ZodMiniType>> = { [K in keyof S]: z.output<S[K]> };
export type RedisBridgeConfig =
  | Of<typeof redisSingleShape>
  | Of<typeof redisSentinelShape>
  | Of<typeof redisClusterShape>;

/** What the server says of a command that stays wrong however often it is sent. */
const OF_ROWS = /^(?:WRONGTYPE|ERR (?:value|wrong number|syntax|invalid|unknown command))/i;

/** One command for each row. */
export function redisDriver(config: RedisBridgeConfig, context: DriverContext): Driver {
  const [name = '', ...words] = config.command_template.map((word) => template(word));
  let backend: RedisBackend | null = null;

  const argument = (value: Value): string | Buffer =>
    value instanceof Uint8Array ? Buffer.from(value) : textOf(value);

  async function send(row: Row): Promise<void> {
    if (backend === null || name === '') throw new DeliveryError('it is not open', true);
    try {
      await backend.command(
        name.text(row),
        words.map((word) => argument(word.value(row))),
      );
    } catch (cause) {
      const inner = cause instanceof BackendError ? cause.cause : null;
      const isOfRows = inner instanceof Error && OF_ROWS.test(inner.message);
      throw new DeliveryError(cause instanceof Error ? cause.message : 'it failed', !isOfRows);
    }
  }

  return {
    async open() {
      backend = openRedis(config, context);
      await backend.command('PING', []);
    },
    async check() {
      await backend?.command('PING', []);
    },
    async deliver(rows) {
      for (const row of rows) await send(row);
    },
    async close() {
      await backend?.close();
      backend = null;
    },
  };
}
