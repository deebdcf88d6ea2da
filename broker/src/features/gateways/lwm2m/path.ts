/** `/3/0/7/1`: object, instance, resource, and of a resource with several values the one. */
export type Path = readonly number[];

const ID_MAX = 65_535;

/** Null: it is none. Slashes at both ends may be missing, or be there. */
export function readPath(text: unknown): Path | null {
  if (typeof text !== 'string' || text.length > 30) return null;
  const trimmed = text.replace(/^\//, '').replace(/\/$/, '');
  if (!/^\d{1,5}(\/\d{1,5}){0,3}$/.test(trimmed)) return null;
  const ids = trimmed.split('/').map(Number);
  return ids.every((id) => id <= ID_MAX) ? ids : null;
}

export const writePath = (path: Path): string => `/${path.join('/')}`;
