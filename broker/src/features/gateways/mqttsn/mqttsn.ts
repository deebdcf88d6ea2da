import type { MqttsnConfig } from '@mqdeck/contract/gateways';
import { parseDuration } from '@mqdeck/contract/kit/values';
import type { Gateway, Protocol } from '../protocol.ts';
import { broadcastAddresses, startAdvertising } from './advertise.ts';
import { Line } from './line.ts';
import type { Shared } from './shared.ts';
import { TIMING, type Timing } from './timing.ts';
import { PredefinedTopics } from './topics.ts';
import { Wire } from './wire.ts';

const UNCONNECTED_MAX = 1024; // messages that wait to be allowed

/** MQTT-SN 1.2 over datagrams: a gateway that aggregates, so that all devices are clients of this broker. */
export function startMqttsn(gateway: Gateway<MqttsnConfig>, timing: Timing = TIMING): Protocol {
  const shared: Shared = {
    gateway,
    timing,
    idleMs: parseDuration(gateway.config.idle_timeout) ?? 30_000,
    predefined: new PredefinedTopics(gateway.config.predefined),
    unconnected: new Line(gateway.log, UNCONNECTED_MAX),
    sessions: new Map(),
  };
  const { config, core, log } = gateway;
  const silence = config.broadcast
    ? startAdvertising(core, log, {
        gatewayId: config.gateway_id,
        intervalMs: timing.advertiseMs,
        targets: () => broadcastsOf(gateway),
      })
    : null;
  return {
    accept: (link) => new Wire(shared, link),
    close: () => silence?.(),
  };
}

/** Devices listen where the gateway does, in each of its networks. */
const broadcastsOf = (gateway: Gateway<MqttsnConfig>) =>
  gateway
    .listening()
    .filter(({ transport }) => transport === 'udp')
    .flatMap(({ host, port }) => broadcastAddresses(host).map((address) => ({ address, port })));
