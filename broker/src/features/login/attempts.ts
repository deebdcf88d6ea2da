import type { FairQueue } from '../../fair-queue.ts';
import { networkOf } from '../../network.ts';
import { ADDRESS_LOCK, Lockout, USER_LOCK } from './lockout.ts';

/** Who has to wait, and for how long; `address`: whatever the name. */
export interface Locked {
  locked: 'name' | 'address';
  seconds: number;
}

/** Guesses at passwords or secrets. Each one is counted, for its name and its address, before it is checked. */
export class Attempts {
  private readonly queue: FairQueue;
  private readonly names = new Lockout(USER_LOCK);
  private readonly addresses = new Lockout(ADDRESS_LOCK);

  /** Checks are slow hashes: they wait in the queue by address. */
  constructor(queue: FairQueue) {
    this.queue = queue;
  }

  /** Whether the check says that the guess is right, unless the name or the address is locked. */
  async check(name: string, address: string, check: () => Promise<boolean>): Promise<boolean | Locked> {
    const network = networkOf(address);
    const locked = this.locked(name, network);
    if (locked) return locked; // before it takes a place in the queue
    return this.queue.run(network, () => this.checkNow(name, network, check));
  }

  private async checkNow(
    name: string,
    network: string,
    check: () => Promise<boolean>,
  ): Promise<boolean | Locked> {
    const ofAddress = this.addresses.begin(network);
    if (!ofAddress) return this.locked(name, network)!;
    const ofName = this.names.begin(name);
    if (!ofName) {
      ofAddress.withdrawn();
      return this.locked(name, network)!;
    }
    let right = false;
    try {
      right = await check();
      return right;
    } finally {
      if (right) this.queue.trust(network);
      if (right) ofName.succeeded();
      else ofName.failed();
      // A right guess does not clear an address: somebody with a password would guess without end.
      if (right) ofAddress.withdrawn();
      else ofAddress.failed();
    }
  }

  private locked(name: string, network: string): Locked | null {
    const ofName = this.names.secondsLeft(name);
    if (ofName > 0) return { locked: 'name', seconds: ofName };
    const ofAddress = this.addresses.secondsLeft(network);
    return ofAddress > 0 ? { locked: 'address', seconds: ofAddress } : null;
  }
}
