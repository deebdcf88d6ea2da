import { isIPv6 } from 'node:net';
import type { Options } from './options.ts';

/** Those in use; null = not listening. */
export type MqttPorts = Record<'tcp' | 'ssl' | 'ws' | 'wss', number | null>;
export type Ports = MqttPorts & { http: number | null };

export interface BannerFacts {
  version: string;
  ports: Ports;
  dataFolder: string;
  /** The file that devices have to be given; null when they know our certificate's issuer, or there is no TLS. */
  certificate: string | null;
  defaultPasswordInForce: boolean;
  /** No authenticator is enabled. */
  anybodyConnects: boolean;
}

/** What the terminal shows once everything listens: one line per address. */
export function banner(
  options: Options,
  { version, ports, dataFolder, certificate, defaultPasswordInForce, anybodyConnects }: BannerFacts,
): string {
  const { base, demo, host, upstream } = options;
  const open = host === '0.0.0.0' || host === '::';
  const name = open ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  const lines = [`mqdeck ${version}`];
  const line = (what: string, address: string) => lines.push(`  ${what.padEnd(20)} ${address}`);
  if (ports.http !== null) line('Console', `http://${name}:${ports.http}${base}/`);
  if (ports.tcp !== null) line('MQTT over TCP', `mqtt://${name}:${ports.tcp}`);
  if (ports.ssl !== null) line('MQTT over TLS', `mqtts://${name}:${ports.ssl}`);
  if (ports.ws !== null) line('MQTT over WebSocket', `ws://${name}:${ports.ws}/mqtt`);
  if (ports.wss !== null) line('WebSocket over TLS', `wss://${name}:${ports.wss}/mqtt`);
  if (certificate !== null) line('Certificate', `${certificate} (self-signed: devices have to be given it)`);
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
  if (isLoopback(host)) return lines.join('\n');
  if (defaultPasswordInForce && ports.http !== null)
    lines.push(
      'Any of them can sign in as admin with the password public. Sign in and change the password now.',
    );
  if (anybodyConnects && [ports.tcp, ports.ssl, ports.ws, ports.wss].some((port) => port !== null))
    lines.push('Any device can connect: no authenticator is enabled.');
  return lines.join('\n');
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');
