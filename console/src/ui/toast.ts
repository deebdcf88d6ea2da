/** Keeps the toasts on screen; `toast` and `dismiss` alone change them. */
export type ToastKind = 'good' | 'bad' | 'warn' | 'info';

export interface Toast {
  id: number;
  kind: ToastKind;
  text: string;
  action?: { label: string; run: () => void } | undefined;
  /** The same text came again this often. */
  times: number;
}

/** More at once would hide the page they speak of. */
const TOASTS_MAX = 4;
const SHOWN_MS = 5000;
/** Failures and what can be undone stay longer: somebody must read or decide. */
const SHOWN_LONG_MS = 10_000;

let toasts: readonly Toast[] = [];
let nextId = 1;
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function toast(kind: ToastKind, text: string, action?: Toast['action']): number {
  const same = action ? undefined : toasts.find((one) => one.kind === kind && one.text === text);
  const id = same?.id ?? nextId++;
  if (same) set(toasts.map((one) => (one === same ? { ...one, times: one.times + 1 } : one)));
  else set([...toasts, { id, kind, text, action, times: 1 }].slice(-TOASTS_MAX));
  startTimer(id);
  return id;
}

export function dismiss(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
  set(toasts.filter((one) => one.id !== id));
}

/** While somebody points at the toasts, none disappears. */
export function holdToasts(): void {
  for (const timer of timers.values()) clearTimeout(timer);
  timers.clear();
}

export function releaseToasts(): void {
  for (const { id } of toasts) startTimer(id);
}

function startTimer(id: number): void {
  clearTimeout(timers.get(id));
  const one = toasts.find((toast) => toast.id === id);
  if (!one) return;
  const ms = one.kind === 'bad' || one.action ? SHOWN_LONG_MS : SHOWN_MS;
  timers.set(
    id,
    setTimeout(() => dismiss(id), ms),
  );
}

export const getToasts = (): readonly Toast[] => toasts;

export function onToastsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
