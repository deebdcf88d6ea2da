import { randomBytes } from 'node:crypto';
import type { ExprotoConfig } from '@mqdeck/contract/gateways';
import { parseDuration } from '@mqdeck/contract/kit/values';
import type { StartProtocol } from '../protocol.ts';
import { startAdapter } from './adapter.ts';
import { Device } from './device.ts';
import { openHandler } from './handler.ts';

const GOODBYE_MS = 500;

/**
 * Lets a handler of somebody else speak a protocol of its own: it is told what devices send, and says by gRPC what they
 * are sent, publish and subscribe to. Keeps the connections by the name under which the handler knows them.
 */
export const startExproto: StartProtocol<ExprotoConfig> = async (gateway) => {
  const { config, core, log, outbound } = gateway;
  const devices = new Map<string, Device>();
  const handler = openHandler(config.handler, { log, outbound });
  let stopAdapter: () => void;
  try {
    stopAdapter = await startAdapter(config.server, core, (conn) => devices.get(conn));
  } catch (cause) {
    handler.close();
    throw cause;
  }
  const parts = {
    gateway,
    handler,
    idleMs: parseDuration(config.idle_timeout)!,
    onEnd: ({ conn }: Device) => void devices.delete(conn),
  };
  return {
    accept: (link) => {
      // Nobody guesses it: the gRPC server asks for nothing else
      const device = new Device(randomBytes(16).toString('hex'), link, parts);
      devices.set(device.conn, device);
      return device;
    },
    close: () => {
      for (const device of [...devices.values()]) device.end('stopped');
      stopAdapter();
      // What is on its way to the handler still arrives
      core.timers.after(GOODBYE_MS, () => handler.close());
    },
  };
};
