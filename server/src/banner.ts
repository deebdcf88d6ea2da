import { isIPv6 } from 'node:net';
import type { Options } from './options.ts';

export interface Ports {
  http: number | null;
  tcp: number | null;
  ws: number | null;
}

export interface BannerFacts {
  version: string;
  ports: Ports;
  dataFolder: string;
  defaultPasswordInForce: boolean;
}

/** What the terminal shows once everything listens: one line per address. */
export function banner(
  options: Options,
  { version, ports, dataFolder, defaultPasswordInForce }: BannerFacts,
): string {
  const { base, demo, host, upstream } = options;
  const open = host === '0.0.0.0' || host === '::';
  const name = open ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  const lines = [`mqdeck ${version}`];
  const line = (what: string, address: string) => lines.push(`  ${what.padEnd(20)} ${address}`);
  if (ports.http !== null) line('Console', `http://${name}:${ports.http}${base}/`);
  if (ports.tcp !== null) line('MQTT over TCP', `mqtt://${name}:${ports.tcp}`);
  if (ports.ws !== null) line('MQTT over WebSocket', `ws://${name}:${ports.ws}/mqtt`);
  if (upstream)
    line(
      'In front of',
      upstream.name === upstream.url.host ? upstream.url.href : `${upstream.name}, ${upstream.url.href}`,
    );
  line('Data', dataFolder);
  if (defaultPasswordInForce && ports.http !== null) line('First sign-in', 'admin / public: change it soon');
  if (demo) lines.push('A simulated fleet of devices connects now (--demo).');
  if (open)
    lines.push(`Everyone who can reach this machine can reach these ports, because of --host ${host}.`);
  else if (!isLoopback(host))
    lines.push(`Everyone who can reach ${host} can reach these ports, because of --host.`);
  if (!isLoopback(host) && (ports.tcp !== null || ports.ws !== null))
    lines.push('MQTT asks nobody for a password yet: any device that reaches a port may connect.');
  return lines.join('\n');
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');
