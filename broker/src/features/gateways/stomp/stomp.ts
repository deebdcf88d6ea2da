import type { StompConfig } from '@mqdeck/contract/gateways';
import { parseDuration } from '@mqdeck/contract/kit/values';
import type { Gateway, Link, LinkEvents, Protocol } from '../protocol.ts';
import { StompSession } from './session.ts';

/** STOMP 1.0 to 1.2 for devices; README.md says how it meets MQTT. */
export function startStomp(gateway: Gateway<StompConfig>): Protocol {
  const { config } = gateway;
  const limits = {
    headersMax: config.frame.max_headers,
    headerBytesMax: config.frame.max_headers_length,
    bodyBytesMax: config.frame.max_body_length,
  };
  const idleMs = parseDuration(config.idle_timeout) ?? 30_000;
  return {
    accept: (link: Link): LinkEvents => new StompSession(gateway, link, limits, idleMs),
    close: () => undefined,
  };
}
