import { LISTENER_TYPES, type Listener, type ListenerType, WssListener } from '@mqdeck/contract/listeners';
import * as z from 'zod/mini';
import { sentBind, shownBind } from '../../form/listening/bind.ts';
import { differing } from '../../form/listening/differing.ts';

/** What the form of a listener begins with, and what it sends. */

export type Values = Record<string, unknown>;

export const NO_LIMIT = 'infinity';
const noRates = { max_conn_rate: NO_LIMIT, messages_rate: NO_LIMIT, bytes_rate: NO_LIMIT };

/** Every field at its default, those of other types too: which type it will be is chosen in the form. */
const standards = (): Values => ({ ...noRates, ...z.parse(WssListener, { type: 'wss' }) });

/** An address names the type; anything else is the simplest one. */
export const typeFrom = (value: unknown): ListenerType =>
  LISTENER_TYPES.find((type) => type === value) ?? 'tcp';

export const newListener = (type: ListenerType): Values => ({ ...standards(), type, name: '', bind: '' });

/** What can be edited of a listener: how it stands at the moment is nobody's change. */
export function valuesOf(listener: Listener): Values {
  const { id: _id, name: _name, running, current_connections, certificate, failure, ...config } = listener;
  return { ...noRates, ...config, bind: shownBind(listener.bind) };
}

/** One like another, under another name, at another address, with a key of its own. */
export function copyOf(listener: Listener): Values {
  const { ssl_options, ...values } = valuesOf(listener);
  const { certfile, keyfile, password, ...tls } = (ssl_options ?? {}) as Values;
  const { ssl_options: standardTls, ...standard } = standards();
  return {
    ...standard,
    ...values,
    ssl_options: { ...(standardTls as Values), ...tls },
    name: '',
    bind: '',
    enable: true,
  };
}

/** An emptied rate is no limit. */
export function bodyFrom(values: Values): Values {
  const rates = Object.keys(noRates).map((name) => [name, values[name] === '' ? NO_LIMIT : values[name]]);
  return { ...values, ...Object.fromEntries(rates), bind: sentBind(values.bind) };
}

/** What is at its default is left to the broker, which may have another one. */
export function newBodyFrom(values: Values): Values {
  const { type, name, bind, ...rest } = bodyFrom(values);
  return { type, name, bind, ...differing(rest, standards()) };
}
