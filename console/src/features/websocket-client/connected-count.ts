import { useSyncExternalStore } from 'react';

/** How many connections of the WebSocket client are alive, for the menu: it is small, the client is not. */
let count = 0;
const listeners = new Set<() => void>();

export function setConnectedCount(next: number): void {
  if (next === count) return;
  count = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useConnectedCount = (): number => useSyncExternalStore(subscribe, () => count);
