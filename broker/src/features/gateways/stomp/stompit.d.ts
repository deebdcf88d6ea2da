/** As much of the client's API as the tests use; it has no types of its own. */
declare module 'stompit' {
  import type { Readable, Writable } from 'node:stream';

  interface Message extends Readable {
    headers: Record<string, string>;
    readString(encoding: string, done: (error: Error | null, body: string) => void): void;
  }
  interface Client {
    send(
      headers: Record<string, string>,
      options?: { onReceipt?: () => void; onError?: (error: Error) => void },
    ): Writable;
    subscribe(
      headers: Record<string, string>,
      onMessage: (error: Error | null, message: Message) => void,
    ): { unsubscribe(): void };
    ack(message: Message): void;
    nack(message: Message): void;
    begin(headers?: Record<string, string>): {
      send(headers: Record<string, string>): Writable;
      commit(options?: { onReceipt?: () => void }): void;
      abort(options?: { onReceipt?: () => void }): void;
    };
    disconnect(done?: (error: Error | null) => void): void;
    destroy(): void;
    on(event: 'error', run: (error: Error) => void): void;
  }
  interface Options {
    host: string;
    port: number;
    connectHeaders: Record<string, string>;
  }
  export function connect(options: Options, done: (error: Error | null, client: Client) => void): void;
}
