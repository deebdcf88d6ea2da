import type { QoS } from '@mqdeck/mqtt/packets';
import type { ClientFacts } from './client.ts';
import type { DropReason } from './hooks.ts';

type TrafficFacts = Pick<ClientFacts, Extract<keyof ClientFacts, `recv_${string}` | `send_${string}`>>;

/** A client's own counters. They begin with the session. */
export class Traffic {
  bytesIn = 0;
  readsIn = 0;
  packetsIn = 0;
  qos0In = 0;
  qos1In = 0;
  qos2In = 0;
  droppedIn = 0;
  awaitPubrelTimeout = 0;
  bytesOut = 0;
  writesOut = 0;
  packetsOut = 0;
  qos0Out = 0;
  qos1Out = 0;
  qos2Out = 0;
  droppedOut = 0;
  expired = 0;
  queueFull = 0;
  tooLarge = 0;

  published(qos: QoS): void {
    if (qos === 0) this.qos0In++;
    else if (qos === 1) this.qos1In++;
    else this.qos2In++;
  }

  sent(qos: QoS): void {
    this.packetsOut++;
    if (qos === 0) this.qos0Out++;
    else if (qos === 1) this.qos1Out++;
    else this.qos2Out++;
  }

  dropped(reason: DropReason): void {
    if (reason === 'await_pubrel_timeout') {
      this.droppedIn++;
      this.awaitPubrelTimeout++;
      return;
    }
    this.droppedOut++;
    if (reason === 'expired') this.expired++;
    else if (reason === 'queue_full') this.queueFull++;
    else if (reason === 'too_large') this.tooLarge++;
  }

  facts(): TrafficFacts {
    return {
      recv_oct: this.bytesIn,
      recv_cnt: this.readsIn,
      recv_pkt: this.packetsIn,
      recv_msg: this.qos0In + this.qos1In + this.qos2In,
      'recv_msg.qos0': this.qos0In,
      'recv_msg.qos1': this.qos1In,
      'recv_msg.qos2': this.qos2In,
      'recv_msg.dropped': this.droppedIn,
      'recv_msg.dropped.await_pubrel_timeout': this.awaitPubrelTimeout,
      send_oct: this.bytesOut,
      send_cnt: this.writesOut,
      send_pkt: this.packetsOut,
      send_msg: this.qos0Out + this.qos1Out + this.qos2Out,
      'send_msg.qos0': this.qos0Out,
      'send_msg.qos1': this.qos1Out,
      'send_msg.qos2': this.qos2Out,
      'send_msg.dropped': this.droppedOut,
      'send_msg.dropped.expired': this.expired,
      'send_msg.dropped.queue_full': this.queueFull,
      'send_msg.dropped.too_large': this.tooLarge,
    };
  }
}
