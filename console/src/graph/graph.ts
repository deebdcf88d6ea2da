/** Things in columns, and what runs between them from left to right. */

export interface GraphNode {
  id: string;
  /** From the left; edges lead to higher ones. */
  column: number;
}

export interface GraphEdge {
  id: string;
  from: string;
  to: string;
  /** Leads to a column that is no higher: drawn behind the others, and no part of the order. */
  back?: boolean | undefined;
}

export interface Point {
  x: number;
  y: number;
}

/** What each node has on its left and on its right; what comes by a way back stands last. */
export interface Links {
  before: ReadonlyMap<string, readonly string[]>;
  after: ReadonlyMap<string, readonly string[]>;
}

export function linksOf(edges: readonly GraphEdge[]): Links {
  const before = new Map<string, string[]>();
  const after = new Map<string, string[]>();
  const note = (map: Map<string, string[]>, key: string, value: string) => {
    const known = map.get(key);
    if (known) known.push(value);
    else map.set(key, [value]);
  };
  for (const back of [false, true]) {
    for (const edge of edges) {
      if ((edge.back === true) !== back) continue;
      note(after, edge.from, edge.to);
      note(before, edge.to, edge.from);
    }
  }
  return { before, after };
}

/** Which nodes can be reached from themselves, each with the others of its round. */
export function roundsOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Map<string, number> {
  // Tarjan, with a stack of its own: a chain of a thousand rules is no reason to run out of the engine's.
  const { after } = linksOf(edges);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const rounds = new Map<string, number>();
  let round = 0;
  for (const { id: root } of nodes) {
    if (index.has(root)) continue;
    const work: { id: string; next: number }[] = [{ id: root, next: 0 }];
    while (work.length > 0) {
      const at = work[work.length - 1]!;
      if (at.next === 0) {
        index.set(at.id, index.size);
        low.set(at.id, index.get(at.id)!);
        open.push(at.id);
        isOpen.add(at.id);
      }
      const to = after.get(at.id)?.[at.next];
      at.next += 1;
      if (to !== undefined) {
        if (!index.has(to)) work.push({ id: to, next: 0 });
        else if (isOpen.has(to)) low.set(at.id, Math.min(low.get(at.id)!, index.get(to)!));
        continue;
      }
      work.pop();
      const parent = work[work.length - 1];
      if (parent) low.set(parent.id, Math.min(low.get(parent.id)!, low.get(at.id)!));
      if (low.get(at.id) !== index.get(at.id)) continue;
      const members = open.splice(open.lastIndexOf(at.id));
      for (const id of members) isOpen.delete(id);
      if (members.length === 1) continue;
      round += 1;
      for (const id of members) rounds.set(id, round);
    }
  }
  return rounds;
}
