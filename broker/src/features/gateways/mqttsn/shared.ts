import type { MqttsnConfig } from '@mqdeck/contract/gateways';
import type { Gateway } from '../protocol.ts';
import type { Line } from './line.ts';
import type { Session } from './session.ts';
import type { Timing } from './timing.ts';
import type { PredefinedTopics } from './topics.ts';

/** What all devices of the gateway have in common. */
export interface Shared {
  readonly gateway: Gateway<MqttsnConfig>;
  readonly timing: Timing;
  readonly idleMs: number;
  readonly predefined: PredefinedTopics;
  /** Messages of those who are not connected. */
  readonly unconnected: Line;
  /** By the client id that the device gives: those who are there, asleep, or gone with their session kept. */
  readonly sessions: Map<string, Session>;
}
