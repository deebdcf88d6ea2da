import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import type { Core, Log } from '../../../core/core.ts';
import type { Timer } from '../../../core/timer-wheel.ts';
import { encode } from './encode.ts';
import { MsgType } from './packets.ts';

/** The broadcast addresses of the machine's IPv4 networks, or of the one that `host` is in. */
export function broadcastAddresses(host: string, interfaces = networkInterfaces()): string[] {
  const everywhere = host === '0.0.0.0' || host === '::';
  const found = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, address }) => family === 'IPv4' && (everywhere || address === host))
    .map(({ address, netmask }) => lastOf(numberOf(address), numberOf(netmask)));
  return [...new Set(found)];
}

const numberOf = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

function lastOf(address: number, netmask: number): string {
  const last = (address | ~netmask) >>> 0;
  return [24, 16, 8, 0].map((shift) => (last >>> shift) & 0xff).join('.');
}

export interface Advertisement {
  gatewayId: number;
  intervalMs: number;
  /** Where to, looked up each time: networks come and go. */
  targets(): { address: string; port: number }[];
}

const FIRST_MS = 1000; // by then the listeners are open

/** Sends ADVERTISE soon and after each interval; the returned function ends it. */
export function startAdvertising(core: Core, log: Log, advertisement: Advertisement): () => void {
  const { gatewayId, intervalMs } = advertisement;
  const duration = Math.min(0xffff, Math.round(intervalMs / 1000));
  const datagram = encode({ type: MsgType.ADVERTISE, gatewayId: gatewayId & 0xff, duration });
  const socket = createSocket('udp4');
  let timer: Timer = core.timers.after(FIRST_MS, advertise);
  socket.unref();
  socket.on('error', (err) => log.warn({ err }, 'mqttsn_advertise_failed'));
  socket.bind(0, () => socket.setBroadcast(true));

  function advertise(): void {
    for (const { address, port } of advertisement.targets())
      socket.send(datagram, port, address, (err) => {
        if (err) log.debug({ err, address }, 'mqttsn_advertise_failed');
      });
    timer = core.timers.after(intervalMs, advertise);
  }

  return () => {
    timer.cancel();
    socket.close();
  };
}
