import type { Socket } from 'node:net';
import type { ClientInfo } from '../../core/hooks.ts';

/** In the trail of a message that a bridge sent to this broker itself. */
export const CAME_BACK = 'a bridge to this broker';

/**
 * The connections of bridges to MQTT brokers, by their local end. A client that comes from one of them is a bridge whose
 * other broker is this one. State: which sockets are open, and which bridges are known to lead here.
 */
export class OwnConnections {
  private readonly byPort = new Map<number, { address: string; id: string }>();
  private readonly leadingHere = new Set<string>();
  private readonly onChange: (any: boolean) => void;

  /** `onChange` hears whether there are connections. */
  constructor(onChange: (any: boolean) => void) {
    this.onChange = onChange;
  }

  add(id: string, socket: Socket): void {
    socket.once('connect', () => {
      const { localAddress = '', localPort = 0 } = socket;
      this.byPort.set(localPort, { address: plain(localAddress), id });
      this.onChange(true);
      socket.once('close', () => {
        this.byPort.delete(localPort);
        this.leadingHere.delete(id); // its next message says so again
        this.onChange(this.byPort.size > 0);
      });
    });
  }

  /** Whether the client is a bridge of this broker. */
  has(who: ClientInfo | null): boolean {
    const own = who === null ? undefined : this.byPort.get(who.port);
    if (own === undefined || own.address !== plain(who!.address)) return false;
    this.leadingHere.add(own.id);
    return true;
  }

  /** Whether a message of this trail would only come back once more. */
  endsLoop(id: string, trail: readonly string[]): boolean {
    return trail.includes(CAME_BACK) && this.leadingHere.has(id);
  }
}

const plain = (address: string): string => address.replace(/^::ffff:/i, '');
