import { MqttError } from '@mqdeck/mqtt/reason-codes';
import type { Log } from '../../../core/core.ts';

/** What a device asks for takes effect in its order, also where it has to be waited for. Keeps how many wait. */
export class Line {
  private readonly log: Log;
  private readonly lengthMax: number;
  private last: Promise<void> = Promise.resolve();
  private length = 0;

  constructor(log: Log, lengthMax: number) {
    this.log = log;
    this.lengthMax = lengthMax;
  }

  get full(): boolean {
    return this.length >= this.lengthMax;
  }

  run(task: () => Promise<void> | void): void {
    this.length++;
    this.last = this.last.then(async () => {
      try {
        await task();
      } catch (err) {
        // A device that asks for what cannot be is its own affair
        if (err instanceof MqttError) this.log.debug({ reason: err.message }, 'mqttsn_request_refused');
        else this.log.error({ err }, 'mqttsn_request_failed');
      } finally {
        this.length--;
      }
    });
  }
}
