import * as dagre from '@dagrejs/dagre';
import type { GraphEdge, GraphNode, Point } from './graph.ts';

/** Where the nodes of a graph stand. */

export const NODE = { width: 212, height: 64 } as const;
const COLUMN_WIDTH = NODE.width + 56;
const ROW_GAP = 14;
/** Between parts that have nothing to do with each other. */
const PART_GAP = 26;
/** A part of more nodes is ordered in fewer rounds: nobody follows single edges there. */
const CAREFUL_MAX = 250;

/**
 * Each part that hangs together is ordered by itself and stands below the one before; dagre finds an order with few
 * crossings, the column alone says how far to the right. What has no edge stands at the end.
 */
export function layoutOf(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
): ReadonlyMap<string, Point> {
  const placed = new Map<string, Point>();
  const forward = edges.filter(({ back }) => !back);
  const left = Math.min(...nodes.map(({ column }) => column), Number.POSITIVE_INFINITY);
  const x = (column: number) => (column - left) * COLUMN_WIDTH;
  let top = 0;
  const alone: GraphNode[] = [];
  for (const part of partsOf(nodes, forward)) {
    if (part.nodes.length === 1) {
      alone.push(part.nodes[0]!);
      continue;
    }
    const heights = orderOf(part.nodes, part.edges);
    for (const { id, column } of part.nodes) placed.set(id, { x: x(column), y: top + heights.get(id)! });
    top += Math.max(...heights.values()) + NODE.height + PART_GAP;
  }
  const used = new Map<number, number>();
  for (const { id, column } of alone) {
    const row = used.get(column) ?? 0;
    used.set(column, row + 1);
    placed.set(id, { x: x(column), y: top + row * (NODE.height + ROW_GAP) });
  }
  return placed;
}

interface Part {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

function partsOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Part[] {
  const parent = new Map(nodes.map(({ id }) => [id, id]));
  const rootOf = (id: string): string => {
    let at = id;
    while (parent.get(at) !== at) {
      parent.set(at, parent.get(parent.get(at)!)!);
      at = parent.get(at)!;
    }
    return at;
  };
  for (const { from, to } of edges) parent.set(rootOf(from), rootOf(to));
  const parts = new Map<string, Part>();
  for (const node of nodes) {
    const root = rootOf(node.id);
    const part = parts.get(root) ?? { nodes: [], edges: [] };
    part.nodes.push(node);
    parts.set(root, part);
  }
  for (const edge of edges) parts.get(rootOf(edge.from))!.edges.push(edge);
  return [...parts.values()];
}

/** The top of each node, from 0. */
function orderOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Map<string, number> {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  // No ranker: the columns are known, and to find them again takes most of the time.
  graph.setGraph({ rankdir: 'LR', nodesep: ROW_GAP, edgesep: 4, ranksep: 40, ranker: 'none' });
  graph.setDefaultEdgeLabel(() => ({}));
  // dagre keeps every second rank for the labels of edges.
  for (const { id, column } of nodes) graph.setNode(id, { ...NODE, rank: 2 * column });
  for (const { id, from, to } of edges) graph.setEdge(from, to, {}, id);
  dagre.layout(graph, { disableOptimalOrderHeuristic: nodes.length > CAREFUL_MAX });
  const tops = new Map(nodes.map(({ id }) => [id, (graph.node(id) as Point).y - NODE.height / 2]));
  const least = Math.min(...tops.values());
  return new Map([...tops].map(([id, top]) => [id, top - least]));
}
