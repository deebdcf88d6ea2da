import type { GraphNode, Links, Point } from './graph.ts';

export interface Ground {
  nodes: readonly GraphNode[];
  links: Links;
  places: ReadonlyMap<string, Point>;
}

/** Where an arrow key leads from a node: along its edges to the side, up and down within its column. */
export function stepFrom(id: string, key: string, { nodes, links, places }: Ground): string | undefined {
  const here = places.get(id);
  const column = nodes.find((node) => node.id === id)?.column;
  if (!here || column === undefined) return undefined;
  const height = (one: string) => places.get(one)?.y ?? 0;
  const nearest = (ids: readonly string[] | undefined) =>
    ids?.reduce((best, one) =>
      Math.abs(height(one) - here.y) < Math.abs(height(best) - here.y) ? one : best,
    );
  if (key === 'ArrowRight') return nearest(ahead(links.after.get(id), places, here, 1));
  if (key === 'ArrowLeft') return nearest(ahead(links.before.get(id), places, here, -1));
  const mates = nodes
    .filter((node) => node.column === column)
    .map((node) => node.id)
    .sort((a, b) => height(a) - height(b));
  const at = mates.indexOf(id);
  switch (key) {
    case 'ArrowDown':
      return mates[at + 1];
    case 'ArrowUp':
      return mates[at - 1];
    case 'Home':
      return mates[0];
    case 'End':
      return mates[mates.length - 1];
    default:
      return undefined;
  }
}

/** Those on the side the arrow points to; only where there is none the ones that a way back leads to. */
function ahead(
  ids: readonly string[] | undefined,
  places: ReadonlyMap<string, Point>,
  here: Point,
  side: 1 | -1,
): readonly string[] | undefined {
  if (!ids || ids.length === 0) return undefined;
  const onSide = ids.filter((id) => ((places.get(id)?.x ?? 0) - here.x) * side > 0);
  return onSide.length > 0 ? onSide : ids;
}
