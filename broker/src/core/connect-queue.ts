import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { Refusal } from './refusal.ts';

/** Of one client id. More of them than this are hardly one device that reconnects. */
export const WAITING_MAX = 8;

/**
 * One CONNECT of a client id at a time opens its session: the next one takes over a client that was answered, instead of
 * one that still waits for the store [MQTT-3.1.4-3]. Keeps the client ids that are busy, each with those who wait for it.
 */
export class ConnectQueue {
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Null: it is this CONNECT's turn. Otherwise settles when it is. Each turn ends with `leave`. */
  enter(clientid: string): Promise<void> | null {
    const queue = this.waiting.get(clientid);
    if (queue === undefined) {
      this.waiting.set(clientid, []);
      return null;
    }
    if (queue.length >= WAITING_MAX)
      throw new Refusal(ReasonCode.ServerBusy, 'too many connections with this client ID wait already');
    return new Promise((resolve) => queue.push(resolve));
  }

  leave(clientid: string): void {
    const next = this.waiting.get(clientid)?.shift();
    if (next === undefined) this.waiting.delete(clientid);
    else next();
  }
}
