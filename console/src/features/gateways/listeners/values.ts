import {
  GatewayDtlsListener,
  type GatewayListener,
  type GatewayName,
  GatewaySslListener,
  gatewayPresets,
  LISTENER_TYPES_OF,
  NEW_LISTENER_PRESET,
} from '@mqdeck/contract/gateways';
import * as z from 'zod/mini';
import { sentBind, shownBind } from '../../../form/listening/bind.ts';
import { differing } from '../../../form/listening/differing.ts';

/** What the form of a gateway's listener begins with, and what it sends. */

export type Values = Record<string, unknown>;

export const NO_LIMIT = 'infinity';

/** Every field at its default, those of all types: which type it will be is chosen in the form. */
const standards = (): Values => {
  const { type: _, bind: __, ...stream } = z.parse(GatewaySslListener, { type: 'ssl', bind: 0 });
  const { type: ___, bind: ____, ...datagram } = z.parse(GatewayDtlsListener, { type: 'dtls', bind: 0 });
  return { ...stream, ...datagram, mountpoint: '', health_check: { request: '', reply: '' } };
};

export const newListener = (gateway: GatewayName): Values => ({
  ...standards(),
  ...NEW_LISTENER_PRESET,
  type: LISTENER_TYPES_OF[gateway][0],
  name: '',
  bind: '',
});

/** The one that a new gateway begins with. */
export const firstListener = (gateway: GatewayName): Values => ({
  ...newListener(gateway),
  name: 'default',
  bind: String(gatewayPresets[gateway].port),
});

/** What can be edited of a listener: how it stands at the moment is nobody's change. */
export function valuesOf(listener: GatewayListener): Values {
  const { id: _, running, status, node_status, failure, address, authentication, ...config } = listener;
  return { enable_authn: true, ...config, bind: shownBind(listener.bind) };
}

/** An emptied limit is none. */
export function bodyFrom(values: Values): Values {
  const { health_check, max_conn_rate, max_connections, ...rest } = values;
  const health = (health_check ?? {}) as Values;
  const limit = (value: unknown) => (value === '' ? NO_LIMIT : value);
  return {
    ...rest,
    max_connections: limit(max_connections),
    max_conn_rate: limit(max_conn_rate),
    bind: sentBind(values.bind),
    ...(health.request ? { health_check: health } : {}),
  };
}

/** What is at its default is left to the broker, which may have another one. */
export function newBodyFrom(values: Values): Values {
  const { type, name, bind, ...rest } = bodyFrom(values);
  return { type, name, bind, ...differing(rest, standards()) };
}

export const idOf = (gateway: GatewayName, { type, name }: Values): string =>
  `${gateway}:${String(type)}:${String(name)}`;
