import type { ValidationFault } from '@mqdeck/contract/kit/faults';

/** The fields that faults of the broker speak of; those that no field of this form bears stay over. */
export function placeFaults(
  faults: readonly ValidationFault[],
  names: Iterable<string>,
): { placed: Map<string, ValidationFault>; over: ValidationFault[] } {
  const known = [...names];
  const placed = new Map<string, ValidationFault>();
  const over: ValidationFault[] = [];
  for (const fault of faults) {
    const name = fieldOf(fault, known);
    if (name === undefined || placed.has(name)) over.push(fault);
    else placed.set(name, fault);
  }
  return { placed, over };
}

/** Paths begin with names of the broker's own (`root.`), count items from 1, and may reach into a field. */
function fieldOf({ path, unknown }: ValidationFault, names: readonly string[]): string | undefined {
  const parts = path.split('.').map((part) => (/^[1-9]\d*$/.test(part) ? String(Number(part) - 1) : part));
  for (let from = 0; from < parts.length; from += 1) {
    for (let to = parts.length; to > from; to -= 1) {
      const name = parts.slice(from, to).join('.');
      if (names.includes(name)) return name;
    }
  }
  // An unknown key is named beside the path of its parent.
  return unknown === undefined ? undefined : names.find((name) => name === unknown);
}
