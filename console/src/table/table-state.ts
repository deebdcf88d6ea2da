import { useCallback, useMemo, useState } from 'react';

/** What a list keeps in the URL: flat, a key may be repeated. */
export type StateValues = Readonly<Record<string, string | readonly string[]>>;
/** `undefined` takes a key away; keys not named stay as they are. */
export type StateChanges = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Where the state of a list lives. `push` makes a step for Back, `replace` (typing, corrections) makes none. */
export interface TableState {
  values: StateValues;
  set(changes: StateChanges, how: 'push' | 'replace'): void;
}

/** A hook, so that the router's own subscription re-renders the list. */
export type UseTableState = () => TableState;

export function applyChanges(values: StateValues, changes: StateChanges): StateValues {
  const next: Record<string, string | readonly string[]> = { ...values };
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined || value.length === 0) delete next[key];
    else next[key] = value;
  }
  return next;
}

/** Keeps the state in memory: for lists that are not the page's own (drawers, tabs in dialogs) and for tests. */
export function useMemoryState(initial: StateValues = {}): TableState {
  const [values, setValues] = useState<StateValues>(initial);
  const set = useCallback(
    (changes: StateChanges) => setValues((before) => applyChanges(before, changes)),
    [],
  );
  return useMemo(() => ({ values, set }), [values, set]);
}

export function prefixed(whole: TableState, prefix: string): TableState {
  const own = Object.entries(whole.values)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, value]) => [key.slice(prefix.length), value] as const);
  return {
    values: Object.fromEntries(own),
    set: (changes, how) =>
      whole.set(
        Object.fromEntries(Object.entries(changes).map(([key, value]) => [prefix + key, value])),
        how,
      ),
  };
}
