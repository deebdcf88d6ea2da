import { createSocket, type Socket } from 'node:dgram';
import { parseDuration } from '@mqdeck/contract/kit/values';
import type { StatsdSettings } from '@mqdeck/contract/prometheus';
import type { OutboundPolicy } from '../../backends/outbound.ts';
import { networkReason } from '../../backends/reasons.ts';
import type { Core } from '../../core/core.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import type { Figure } from './figures.ts';

const PORT = 8125;
const PACKET_BYTES_MAX = 1400; // what passes most networks in one piece

export interface StatsdParts {
  core: Core;
  settings: SettingsStore;
  outbound: OutboundPolicy;
  figures: () => Figure[];
}

/** Sends gauges and what counters have grown by to a StatsD server, over UDP. The answer ends it. */
export function startStatsd({ core, settings, outbound, figures }: StatsdParts): () => void {
  let socket: Socket | null = null;
  let timers: Timer[] = [];

  function leave(): void {
    for (const timer of timers) timer.cancel();
    timers = [];
    socket?.close();
    socket = null;
  }

  function repeat(place: number, interval: string | number, run: () => void): void {
    const go = () => {
      timers[place] = core.timers.after(parseDuration(interval)!, go);
      run();
    };
    timers[place] = core.timers.after(parseDuration(interval)!, go);
  }

  function follow({ enable, server, sample_time_interval, flush_time_interval }: StatsdSettings): void {
    leave();
    if (!enable) return;
    const { host, port } = placeOf(server);
    const open = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket = open;
    let told = '';
    const tellOnce = (err: Error | null) => {
      const reason = err === null ? '' : (networkReason(err, server) ?? err.message);
      if (reason !== told && reason !== '')
        core.log.warn({ reason, server }, 'figures could not be handed to StatsD');
      told = reason;
    };
    const send = async (packets: readonly string[]) => {
      try {
        const [target] = await outbound.resolve(host);
        if (socket === open) for (const packet of packets) open.send(packet, port, target!.address, tellOnce);
      } catch (cause) {
        tellOnce(cause as Error);
      }
    };
    open.on('error', tellOnce);
    open.unref();
    const counted = new Map<string, number>();
    for (const { name, type, value } of figures()) if (type === 'counter') counted.set(name, value);
    let waiting: string[] = [];
    repeat(0, sample_time_interval, () => {
      waiting = figures().flatMap(({ name, type, value, labels }) => {
        if (labels) return [];
        if (type === 'gauge') return [`${name}:${value}|g`];
        return [`${name}:${Math.max(0, value - (counted.get(name) ?? 0))}|c`];
      });
    });
    repeat(1, flush_time_interval, () => {
      if (waiting.length === 0) return;
      void send(packetsOf(waiting));
      for (const { name, type, value } of figures()) if (type === 'counter') counted.set(name, value);
      waiting = [];
    });
  }

  follow(settings.get('statsd'));
  const off = settings.onChange('statsd', follow);
  return () => {
    off();
    leave();
  };
}

function placeOf(server: string): { host: string; port: number } {
  const [, host = server, port] = /^(\[.+\]|[^:]+)(?::(\d+))?$/.exec(server) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? PORT : Number(port) };
}

/** Lines together as far as a packet carries them. */
function packetsOf(lines: readonly string[]): string[] {
  const packets: string[] = [];
  let packet = '';
  for (const line of lines) {
    if (packet.length + line.length + 1 > PACKET_BYTES_MAX) {
      packets.push(packet);
      packet = '';
    }
    packet += `${packet === '' ? '' : '\n'}${line}`;
  }
  return packet === '' ? packets : [...packets, packet];
}
