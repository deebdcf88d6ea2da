import type { Zone } from '@mqdeck/contract/zones';
import { copyOf, same } from '../../form/values.ts';

/** What a zone says itself, and what its clients have: that, and for the rest what is global. */

type Keys = Readonly<Record<string, unknown>>;
/** Settings by root (`mqtt`), then by key. */
export type Roots = Readonly<Record<string, unknown>>;

/** The roots that the pages edit; a zone may hold others, which stay as they are. */
const EDITED_ROOTS = ['mqtt', 'force_shutdown'] as const;

const keysOf = (roots: Roots | undefined, root: string): Keys => {
  const keys = roots?.[root];
  return typeof keys === 'object' && keys !== null ? (keys as Keys) : {};
};

/** What holds for the clients of a zone. */
export const effective = (global: Roots, own: Roots | undefined): Record<string, Keys> =>
  Object.fromEntries(
    EDITED_ROOTS.filter((root) => global[root] !== undefined).map((root) => [
      root,
      { ...keysOf(global, root), ...keysOf(own, root) },
    ]),
  );

/** The keys of each root that differ from those of before. */
export function changedKeys(before: Roots, now: Roots): Record<string, Keys> {
  return Object.fromEntries(
    Object.keys(now).map((root) => {
      const old = keysOf(before, root);
      const entries = Object.entries(keysOf(now, root)).filter(([key, value]) => !same(old[key], value));
      return [root, Object.fromEntries(entries)];
    }),
  );
}

/** The global settings with some keys changed; all else stays as it is now. */
export const withKeys = (now: Roots, change: Roots): Roots => ({
  ...now,
  ...Object.fromEntries(
    Object.keys(change).map((root) => [root, { ...keysOf(now, root), ...keysOf(change, root) }]),
  ),
});

/** A zone with some keys changed. It keeps only what differs from what is global. */
export function ownWith(own: Roots, change: Roots, global: Roots): Zone {
  const zone: Record<string, unknown> = { ...copyOf(own) };
  for (const root of EDITED_ROOTS) {
    const inherited = keysOf(global, root);
    const all = Object.entries({ ...keysOf(own, root), ...keysOf(change, root) });
    const kept = all.filter(([key, value]) => !same(inherited[key], value));
    if (kept.length > 0) zone[root] = Object.fromEntries(kept);
    else delete zone[root];
  }
  return zone as Zone;
}
