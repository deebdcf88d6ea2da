import type { Message } from './message.ts';
import type { Subscription } from './router.ts';
import type { ZoneSettings } from './settings.ts';
import { Standing, type Subscriber } from './subscriber.ts';

/** A virtual subscriber for the one who holds `$exclusive/filter`: nobody else may have it meanwhile. */
export class Exclusive implements Subscriber {
  readonly filter: string; // `$exclusive/filter`
  /** Its own link in the chain of the filter. */
  link: Subscription | null = null;
  holder: Subscription | null = null;

  constructor(filter: string) {
    this.filter = filter;
  }

  get standing(): Standing {
    return this.holder?.subscriber.standing ?? Standing.Gone;
  }

  get settings(): ZoneSettings | null {
    return this.holder?.subscriber.settings ?? null;
  }

  deliver(message: Message): boolean {
    return this.holder?.subscriber.deliver(message, this.holder) ?? false;
  }
}
