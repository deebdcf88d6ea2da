import { randomBytes } from 'node:crypto';
import type { CoapConfig } from '@mqdeck/contract/gateways';
import type { QoS } from '@mqdeck/mqtt/packets';
import type { Gateway, Guest, GuestDelivery } from '../protocol.ts';
import { blockOf, SZX_MAX } from './block.ts';
import { resourceOf } from './downloads.ts';
import { Code, uintOption } from './message.ts';
import { type CoapPeer, type CoapRequest, type CoapResponse, problem } from './peer.ts';
import { isRefused, refusal } from './refusals.ts';

const OBSERVATIONS_MAX = 1000; // of a device
const HELD_MAX = 1000;

/** A filter that a device observes: its notifications carry the token of the request [RFC 7641, 3.2]. */
interface Observation {
  readonly filter: string;
  readonly token: Buffer;
  readonly resource: string;
  readonly szx: number;
  /** Messages that came before the answer to the request has left; null from then on. */
  held: GuestDelivery[] | null;
}

/** Who is let in, as he said it. */
export interface Identity {
  readonly clientid: string; // '' = one is made
  readonly username: string | null;
  readonly password: string | null;
}

/** A device that was let in, and what it observes. */
export class Visitor {
  /** Proves, where devices connect first, that a request is this one's. */
  readonly token = randomBytes(8).toString('hex');
  readonly identity: Identity;
  peer: CoapPeer;
  private readonly gateway: Gateway<CoapConfig>;
  private readonly observations = new Map<string, Observation>();
  private letIn: Guest | null = null;
  private isGone = false;

  constructor(gateway: Gateway<CoapConfig>, identity: Identity, peer: CoapPeer) {
    this.gateway = gateway;
    this.identity = identity;
    this.peer = peer;
  }

  get guest(): Guest {
    if (this.letIn === null) throw new Error('not let in yet');
    return this.letIn;
  }

  /** '' until it was let in. */
  get clientid(): string {
    return this.letIn?.clientid ?? '';
  }

  get gone(): boolean {
    return this.isGone;
  }

  get observesAnything(): boolean {
    return this.observations.size > 0;
  }

  enter(guest: Guest): void {
    this.letIn = guest;
  }

  /** The same device, wherever it is now. */
  comesFrom(peer: CoapPeer): void {
    if (this.peer === peer) return;
    this.peer = peer;
    this.guest.moveTo(peer.link);
  }

  async observe(request: CoapRequest, filter: string, qos: QoS): Promise<CoapResponse> {
    if (!this.observations.has(filter) && this.observations.size >= OBSERVATIONS_MAX)
      return problem(Code.ServiceUnavailable, 'no more observations');
    const observation: Observation = {
      filter,
      token: request.token,
      resource: resourceOf(request.message),
      szx: blockOf(request.message, 'Block2')?.szx ?? SZX_MAX,
      held: [],
    };
    const before = this.observations.get(filter);
    this.observations.set(filter, observation);
    const granted = await this.guest.subscribe(filter, { qos });
    if (isRefused(granted)) {
      if (before) this.observations.set(filter, before);
      else this.observations.delete(filter);
      return refusal(granted);
    }
    return {
      code: Code.Content,
      options: [uintOption('Observe', this.peer.nextObserve())],
      sent: () => this.release(observation),
    };
  }

  unobserve(filter: string): CoapResponse {
    this.observations.delete(filter);
    this.guest.unsubscribe(filter);
    return { code: Code.NoContent };
  }

  /** A message for it. */
  deliver(delivery: GuestDelivery): void {
    const observation = this.observations.get(delivery.filter);
    if (!observation)
      this.guest.dropped(delivery, 'unencodable'); // an operator subscribed it: there is no token
    else if (observation.held === null) this.tell(observation, delivery);
    else if (observation.held.length < HELD_MAX) observation.held.push(delivery);
    else this.guest.dropped(delivery, 'queue_full');
  }

  /** Nobody answers there any more: what it observed it has to ask for again. */
  forgetObservations(): void {
    for (const filter of [...this.observations.keys()]) this.unobserve(filter);
  }

  leave(reason: string): void {
    if (this.isGone) return;
    this.isGone = true;
    this.observations.clear();
    this.letIn?.leave(reason, false);
  }

  /** The broker has sent it away. */
  sentAway(why: string): void {
    this.isGone = true;
    const code = why === 'stopped' ? Code.ServiceUnavailable : Code.Unauthorized;
    for (const { token } of this.observations.values()) this.peer.endObservation(token, code, why);
    this.observations.clear();
  }

  private release(observation: Observation): void {
    const held = observation.held ?? [];
    observation.held = null;
    for (const delivery of held) this.tell(observation, delivery);
  }

  private tell(observation: Observation, delivery: GuestDelivery): void {
    const { guest } = this;
    const { clock } = this.gateway.core;
    let sentAt = 0;
    const isTold = this.peer.notify({
      token: observation.token,
      confirmable: this.isConfirmed(delivery.qos),
      payload: Buffer.from(delivery.payload), // of its own: a message is a part of something larger
      resource: observation.resource,
      szx: observation.szx,
      wanted: () => {
        if (this.observations.get(observation.filter) !== observation) return false;
        const { expiresAt } = delivery.message;
        if (expiresAt === 0 || expiresAt > clock.now) return true;
        guest.dropped(delivery, 'expired');
        return false;
      },
      onSent: () => {
        sentAt = clock.now;
        guest.delivered(delivery);
      },
      onAcked: () => guest.acked(delivery, sentAt),
      onFailed: (why) => {
        if (why === 'reset' && this.observations.get(observation.filter) === observation)
          this.unobserve(observation.filter);
      },
    });
    if (!isTold) guest.dropped(delivery, 'queue_full');
  }

  private isConfirmed(qos: QoS): boolean {
    const { notify_type } = this.gateway.config;
    return notify_type === 'qos' ? qos > 0 : notify_type === 'con';
  }
}
