import type { influxdbV1Shape, influxdbV2Shape } from '@mqdeck/contract/bridges/influxdb';
import type * as z from 'zod/mini';
import { DeliveryError, type Driver, type DriverContext } from '../../../resources/driver.ts';
import { HttpTarget } from './http-target.ts';
import { lineTemplate } from './line-protocol.ts';

type Of<S extends Record<string, z.ZodMiniType>> = { [K in keyof S]: z.output<S[K]> };
export type InfluxdbV1Config = Of<typeof influxdbV1Shape>;
export type InfluxdbV2Config = Of<typeof influxdbV2Shape>;

const CONNECT_MS = 5000;
/** Of what an operator can mend. The body of an answer is not shown: it may be that of any server. */
const MEANINGS: Readonly<Record<number, string>> = {
  401: ': the login is refused',
  403: ': the login may not write there',
  404: ': the database, organization or bucket was not found',
};

/** What only one of the two generations wants. */
interface Dialect {
  path: string;
  authorization: string | null;
}

export const influxdbV1Driver = (config: InfluxdbV1Config, context: DriverContext): Driver => {
  const { database, precision, username, password } = config;
  const query = new URLSearchParams({ db: database, precision: precision === 'us' ? 'u' : precision });
  const login = `${username ?? ''}:${password ?? ''}`;
  return influxdbDriver(config, context, {
    path: `/write?${query}`,
    authorization: username ? `Basic ${Buffer.from(login).toString('base64')}` : null,
  });
};

export const influxdbV2Driver = (config: InfluxdbV2Config, context: DriverContext): Driver => {
  const { org, bucket, precision, token } = config;
  const query = new URLSearchParams({ org, bucket, precision });
  return influxdbDriver(config, context, { path: `/api/v2/write?${query}`, authorization: `Token ${token}` });
};

function influxdbDriver(
  config: InfluxdbV1Config | InfluxdbV2Config,
  { outbound }: DriverContext,
  { path, authorization }: Dialect,
): Driver {
  const lines = lineTemplate(config.write_syntax);
  let target: HttpTarget | null = null;
  /** What the server said that more tries do not mend, but an operator does: told until it takes something. */
  let trouble: string | null = null;

  async function ping(signal: AbortSignal): Promise<void> {
    const { status } = await opened().request({ method: 'GET', path: '/ping' }, signal);
    if (status >= 500) throw new Error(`the server answered ${status}`);
    if (trouble !== null) throw new Error(trouble);
  }
  const opened = (): HttpTarget => {
    if (target === null) throw new DeliveryError('it is not open', true);
    return target;
  };

  return {
    async open(signal) {
      trouble = null;
      target = new HttpTarget({
        outbound,
        origin: `${config.ssl.enable ? 'https' : 'http'}://${config.server}`,
        connections: config.pool_size,
        pipelining: 1,
        connectMs: CONNECT_MS,
        ssl: config.ssl,
      });
      await ping(signal);
    },
    check: ping,
    async deliver(rows, signal) {
      const body = rows.map(lines).filter((line) => line !== null);
      if (body.length === 0) throw new DeliveryError('no line has a field of the row', false);
      const headers = {
        'content-type': 'text/plain; charset=utf-8',
        ...(authorization && { authorization }),
      };
      const { status } = await opened().request(
        { method: 'POST', path, headers, body: body.join('\n') },
        signal,
      );
      if (status >= 200 && status < 300) {
        trouble = null;
        return rows.length - body.length;
      }
      const said = `the server answered ${status}${MEANINGS[status] ?? ''}`;
      if (status === 400 || status === 413 || status === 422) throw new DeliveryError(said, false);
      if (status === 401 || status === 403 || status === 404) trouble = said;
      throw new DeliveryError(said, true);
    },
    async close() {
      await target?.close();
      target = null;
    },
  };
}
