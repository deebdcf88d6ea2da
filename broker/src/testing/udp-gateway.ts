import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { GatewayName } from '@mqdeck/contract/gateways';
import type { TestBroker } from './start-test-broker.ts';

/** Starts a gateway with one listener of UDP, and gives its port. */
export async function startUdpGateway(
  broker: TestBroker,
  name: GatewayName,
  config: object,
  listener: object = {},
): Promise<number> {
  const port = await freePort();
  const listeners = [{ type: 'udp', name: 'default', bind: `127.0.0.1:${port}`, ...listener }];
  const { status, body } = await broker.inject('PUT', `/gateways/${name}`, {
    body: { name, ...config, listeners },
  });
  if (status !== 204) throw new Error(JSON.stringify(body));
  return port;
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}
