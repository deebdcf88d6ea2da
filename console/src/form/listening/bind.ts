import { parseBind } from '@mqdeck/contract/listeners';

/** Where a listener listens, as operators write it: `1883`, `127.0.0.1:1883`, `[::1]:1883`. */

export const PORT_MAX = 65_535;

/** What is wrong with it: the shape, or the port alone. */
export function bindFault(value: unknown): 'format' | 'port' | null {
  const text = String(value ?? '').trim();
  if (typeof parseBind(text) === 'object') return null;
  // With a port that can be, would it be right?
  const [, before, port] = /^(.*?)(\d{1,15})$/.exec(text) ?? [];
  return Number(port) > PORT_MAX && typeof parseBind(`${before}1`) === 'object' ? 'port' : 'format';
}

/** Every address of the machine: only the port is written. */
export const shownBind = (bind: unknown): string => String(bind ?? '').replace(/^:(?=\d+$)/, '');

/** A port alone goes as a number, as the API has it. */
export const sentBind = (bind: unknown): string | number => {
  const text = shownBind(String(bind ?? '').trim());
  return /^\d+$/.test(text) ? Number(text) : text;
};
