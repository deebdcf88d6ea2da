import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';

/** As much of the library's API as is used here; it has no types of its own. */
interface Message extends Readable {
  headers: Record<string, string>;
  readString(encoding: 'utf-8', done: (error: Error | null, body: string) => void): void;
}
interface Client {
  send(headers: Record<string, string>): Writable;
  subscribe(
    headers: Record<string, string>,
    onMessage: (error: Error | null, message: Message) => void,
  ): void;
  destroy(): void;
  on(event: 'error', run: (error: Error) => void): void;
}
interface Stompit {
  connect(
    options: { host: string; port: number; connectHeaders: Record<string, string> },
    done: (error: Error | null, client: Client) => void,
  ): void;
}
const stompit = createRequire(import.meta.url)('stompit') as Stompit;

export interface StompDevice {
  publish(destination: string, body: string): void;
  /** Settles with the body of the next message. */
  next(destination: string): Promise<string>;
  /** Settles when the broker has ended the connection. */
  readonly ended: Promise<void>;
}

const connected: Client[] = [];

/** A real client of STOMP, by a library that is not ours; throws when it is refused. */
export function connectStomp(
  port: number,
  { login = 'device', passcode = '' }: { login?: string; passcode?: string } = {},
): Promise<StompDevice> {
  const connectHeaders = { 'accept-version': '1.2', host: '/', login, passcode };
  return new Promise((resolve, reject) => {
    stompit.connect({ host: '127.0.0.1', port, connectHeaders }, (refused, client) => {
      if (refused) return reject(refused);
      connected.push(client);
      const ended = new Promise<void>((end) => client.on('error', () => end()));
      resolve({
        ended,
        publish: (destination, body) => {
          client.send({ destination }).end(body);
        },
        next: (destination) =>
          new Promise((heard, failed) => {
            client.subscribe({ destination, ack: 'auto' }, (error, message) => {
              if (error) return failed(error);
              message.readString('utf-8', (unread, body) => (unread ? failed(unread) : heard(body)));
            });
          }),
      });
    });
  });
}

export function disconnectStomp(): void {
  for (const client of connected.splice(0)) client.destroy();
}
