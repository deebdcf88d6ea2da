import { useSyncExternalStore } from 'react';

/** Keeps which overlay of the shell is open; at most one. */
export type Overlay = 'palette' | 'keys' | null;

let overlay: Overlay = null;
const listeners = new Set<() => void>();

export function openOverlay(next: Overlay): void {
  overlay = next;
  for (const listener of listeners) listener();
}

export const getOverlay = (): Overlay => overlay;

export const useOverlay = (): Overlay =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, getOverlay);
