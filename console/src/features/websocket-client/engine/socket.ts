import type { Fault } from './faults.ts';

export interface SocketEvents {
  opened(protocol: string): void;
  bytes(chunk: Uint8Array): void;
  /** MQTT comes in binary frames only. */
  text(): void;
  closed(code: number): void;
}

/** As much of a WebSocket as the client needs; tests have one of their own. */
export interface Socket {
  send(bytes: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

export type OpenSocket = (url: string, events: SocketEvents) => Socket;

/** The sub-protocol of every version; brokers know it also for 3.1. */
const SUB_PROTOCOL = 'mqtt'; // [MQTT-6.0.0-3]

export const openWebSocket: OpenSocket = (url, events) => {
  const socket = new WebSocket(url, SUB_PROTOCOL);
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => events.opened(socket.protocol);
  socket.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data instanceof ArrayBuffer) events.bytes(new Uint8Array(data));
    else events.text();
  };
  socket.onclose = ({ code }) => events.closed(code);
  return {
    send: (bytes) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
    },
    close: () => socket.close(),
  };
};

/** What is wrong with an address before anybody tries it; `pageProtocol` is `location.protocol`. */
export function addressFault(url: string, pageProtocol: string): Fault | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed || !/^wss?:$/.test(parsed.protocol) || parsed.hostname === '' || parsed.hash !== '')
    return { kind: 'badAddress' };
  if (pageProtocol === 'https:' && parsed.protocol === 'ws:' && !isLoopback(parsed.hostname))
    return { kind: 'mixedContent' };
  return null;
}

/** Browsers trust what never leaves the machine. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\./.test(host);

const PROBE_TIMEOUT_MS = 3000;

/**
 * Whether anything speaks HTTP there: browsers do not say why a WebSocket could not be opened. Only on our own origin,
 * where the policy of the page lets us ask; nothing is known of any other.
 */
export async function answersHttp(url: string): Promise<boolean> {
  const asked = url.replace(/^ws/, 'http');
  if (new URL(asked).origin !== location.origin) return false;
  try {
    await fetch(asked, {
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    return true;
  } catch {
    return false;
  }
}
