import { LISTENER_TYPES, type Listener, type ListenerType } from '@mqdeck/contract/listeners';
import { sentBind, shownBind } from './bind.ts';

/** What the form of a listener begins with, and what it sends. */

export type Values = Record<string, unknown>;

export const NO_LIMIT = 'infinity';

/** An address names the type; anything else is the simplest one. */
export const typeFrom = (value: unknown): ListenerType =>
  LISTENER_TYPES.find((type) => type === value) ?? 'tcp';

export const newListener = (type: ListenerType): Values => ({
  type,
  name: '',
  bind: '',
  enable: true,
  enable_authn: true,
  zone: 'default',
  mountpoint: '',
  access_rules: ['allow all'],
  ...noRates,
});

const noRates = { max_conn_rate: NO_LIMIT, messages_rate: NO_LIMIT, bytes_rate: NO_LIMIT };

/** What can be edited of a listener: how it stands at the moment is nobody's change. */
export function valuesOf(listener: Listener): Values {
  const { id: _id, name: _name, running, current_connections, certificate, failure, ...config } = listener;
  return { ...noRates, ...config, bind: shownBind(listener.bind) };
}

/** Of another one: under another name, at another address, with a key of its own. */
export function copyOf(listener: Listener): Values {
  const { ssl_options, ...values } = valuesOf(listener);
  const { certfile, keyfile, password, ...tls } = (ssl_options ?? {}) as Values;
  return {
    ...values,
    ...(ssl_options === undefined ? {} : { ssl_options: tls }),
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
