const STEPS = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 } as const;

/** Bytes of "23.54G", as nodes write their memory, or of a number; null when it is neither. */
export function memoryBytes(value: string | number | undefined): number | null {
  if (typeof value === 'number') return value;
  const match = /^\s*([\d.]+)\s*([KMGT]?)i?B?\s*$/i.exec(value ?? '');
  if (!match) return null;
  return Number(match[1]) * STEPS[(match[2] ?? '').toUpperCase() as keyof typeof STEPS];
}
