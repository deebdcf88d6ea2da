import { useSyncExternalStore } from 'react';

/** Keeps how many connections of the WebSocket client are alive; the client alone changes it. It is large, this is not. */
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
