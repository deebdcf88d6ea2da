/** Where a listener listens, as operators write it: `1883`, `127.0.0.1:1883`, `[::1]:1883`. */

export const PORT_MAX = 65_535;

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/** What is wrong: the shape of it, or the port alone. */
export function bindFault(value: unknown): 'format' | 'port' | null {
  const text = String(value ?? '').trim();
  const [, address, port] = /^(?:(.*):)?(\d{1,15})$/.exec(text) ?? [];
  if (port === undefined) return 'format';
  if (address && !IPV4.test(address) && !isIpv6(address)) return 'format';
  return Number(port) > PORT_MAX ? 'port' : null;
}

/** In brackets, so that its colons are not taken for that of the port. */
function isIpv6(address: string): boolean {
  if (!/^\[[\da-f:.]+\]$/i.test(address)) return false;
  try {
    return new URL(`http://${address}/`).hostname.length > 2;
  } catch {
    return false;
  }
}

/** Every address of the machine: only the port is written. */
export const shownBind = (bind: unknown): string => String(bind ?? '').replace(/^:(?=\d+$)/, '');

/** A port alone goes as a number, as the API has it. */
export const sentBind = (text: string): string | number => {
  const bind = shownBind(text.trim());
  return /^\d+$/.test(bind) ? Number(bind) : bind;
};
