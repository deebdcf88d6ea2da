import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestBroker } from './start-test-broker.ts';

export interface StompDevice {
  /** A frame of STOMP, answered by the first frame that comes next. */
  send(command: string, headers: Record<string, string>, body?: string): Promise<string>;
  close(): void;
}

/** Loads the gateway of STOMP; its devices come in by the answer. */
export async function startStomp(broker: TestBroker): Promise<(clientid: string) => Promise<StompDevice>> {
  const body = { listeners: [{ type: 'tcp', name: 'default', bind: '127.0.0.1:0' }] };
  const { status } = await broker.inject('PUT', '/gateways/stomp', { body });
  if (status !== 204) throw new Error(`the gateway of STOMP was not loaded: ${status}`);
  const { body: rows } = await broker.inject<{ bind: string }[]>('GET', '/gateways/stomp/listeners');
  const port = Number(rows[0]!.bind.split(':')[1]);
  return async (clientid) => {
    const socket: Socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const device: StompDevice = {
      async send(command, headers, text = '') {
        const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
        socket.write(`${command}\n${lines.join('')}\n${text}\0`);
        const [bytes] = (await once(socket, 'data')) as [Buffer];
        return bytes.toString();
      },
      close: () => socket.destroy(),
    };
    await device.send('CONNECT', { 'accept-version': '1.2', 'client-id': clientid, login: 'u' });
    return device;
  };
}
