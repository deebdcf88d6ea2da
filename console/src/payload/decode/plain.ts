/** Decoded values as JSON can say them: what JSON has no word for becomes a text. */

const DEPTH_MAX = 64;

export function plain(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) return '…';
  if (typeof value === 'bigint')
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : `${value}`;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value === undefined) return null;
  if (value instanceof Uint8Array)
    return `0x${Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((one) => plain(one, depth + 1));
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, one]) => [keyOf(key), plain(one, depth + 1)]));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one, depth + 1)]));
  return value;
}

const keyOf = (key: unknown): string => (typeof key === 'string' ? key : JSON.stringify(plain(key)));

export interface NumericField {
  /** `a.b[0]`; of a list whose entries have names, `metrics[speed]`. */
  path: string;
  value: number;
}

const FIELDS_MAX = 200;

/** Every number of a value with its place, so that it can be drawn over time. */
export function numericFields(value: unknown): NumericField[] {
  const found: NumericField[] = [];
  const walk = (one: unknown, path: string, depth: number) => {
    if (found.length >= FIELDS_MAX || depth > DEPTH_MAX) return;
    if (typeof one === 'number') found.push({ path: path === '' ? 'value' : path, value: one });
    else if (typeof one === 'boolean') found.push({ path: path === '' ? 'value' : path, value: one ? 1 : 0 });
    else if (Array.isArray(one))
      for (const [i, entry] of one.entries()) walk(entry, `${path}[${nameIn(entry) ?? i}]`, depth + 1);
    else if (typeof one === 'object' && one !== null)
      for (const [key, entry] of Object.entries(one))
        walk(entry, path === '' ? key : `${path}.${key}`, depth + 1);
  };
  walk(value, '', 0);
  return found;
}

function nameIn(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null || !('name' in entry)) return undefined;
  return typeof entry.name === 'string' && entry.name !== '' ? entry.name : undefined;
}
