import { basePrefix } from './base.ts';
import { router } from './router.ts';

/** Goes to an address of `paths`. */
export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  router.history[how](basePrefix() + to);
}

/** The address on screen, below the base path. */
export function currentPath(): string {
  const { pathname, search, hash } = window.location;
  return pathname.slice(basePrefix().length) + search + hash;
}
