/**
 * Wildcard filters by their levels. Nodes and segments are numbers and all edges lie in one table, because a tree
 * of objects takes twice the memory. Keeps no empty branches: a node, edge or segment without use is recycled.
 */
export class SegmentTrie<T> {
  size = 0;
  private readonly edges = new EdgeTable();
  private readonly segments = new Map<string, number>();
  private readonly segmentNames: string[] = ['', PLUS];
  private readonly segmentUses: number[] = [0, 1];
  private readonly freeSegments: number[] = [];
  /** Four numbers a node, see below; node 0 is none and 1 the root. */
  private nodes = new Int32Array(64 * NODE);
  private nodeCount = 2;
  /** Two values a node: of the filter ending there, and of the one ending with `/#` after it. */
  private readonly ends: (T | undefined)[] = [undefined, undefined, undefined, undefined];
  private readonly freeNodes: number[] = [];
  private readonly path: number[] = [];

  get(filter: string): T | undefined {
    const levels = filter.split('/');
    const hash = levels.at(-1) === HASH;
    if (hash) levels.pop();
    let node = ROOT;
    for (const level of levels) {
      node = level === PLUS ? this.nodes[node * NODE + BEHIND_PLUS]! : this.child(node, level);
      if (node === 0) return undefined;
    }
    return this.ends[node * 2 + (hash ? 1 : 0)];
  }

  /** The filter must not be there yet. */
  set(filter: string, value: T): void {
    const levels = filter.split('/');
    const hash = levels.at(-1) === HASH;
    if (hash) levels.pop();
    let node = ROOT;
    for (const level of levels) node = this.grow(node, level);
    this.ends[node * 2 + (hash ? 1 : 0)] = value;
    this.size++;
  }

  delete(filter: string): void {
    const levels = filter.split('/');
    const hash = levels.at(-1) === HASH;
    if (hash) levels.pop();
    let node = ROOT;
    for (const level of levels) {
      node = level === PLUS ? this.nodes[node * NODE + BEHIND_PLUS]! : this.child(node, level);
      if (node === 0) return;
    }
    const at = node * 2 + (hash ? 1 : 0);
    if (this.ends[at] === undefined) return;
    this.ends[at] = undefined;
    this.size--;
    this.prune(node);
  }

  *values(): Generator<T> {
    for (let at = 0; at < this.ends.length; at++) {
      const value = this.ends[at];
      if (value !== undefined) yield value;
    }
  }

  match(topic: string): T[] {
    const found: T[] = [];
    const { path } = this;
    let depth = 0;
    for (let start = 0; ; ) {
      const end = topic.indexOf('/', start);
      const level = end === -1 ? topic.slice(start) : topic.slice(start, end);
      path[depth++] = this.segments.get(level) ?? 0;
      if (end === -1) break;
      start = end + 1;
    }
    if (topic.charCodeAt(0) !== DOLLAR) this.collect(ROOT, 0, depth, found);
    else if (path[0] !== 0) {
      // [MQTT-4.7.2-1]
      const child = this.edges.get(ROOT, path[0]!);
      if (child !== 0) this.collect(child, 1, depth, found);
    }
    return found;
  }

  private collect(node: number, level: number, depth: number, found: T[]): void {
    const below = this.ends[node * 2 + 1];
    if (below !== undefined) found.push(below);
    if (level === depth) {
      const here = this.ends[node * 2];
      if (here !== undefined) found.push(here);
      return;
    }
    const at = node * NODE;
    if (this.nodes[at + CHILDREN] === 0) return;
    const plus = this.nodes[at + BEHIND_PLUS]!;
    if (plus !== 0) this.collect(plus, level + 1, depth, found);
    const segment = this.path[level]!;
    if (segment === 0) return;
    const child = this.edges.get(node, segment);
    if (child !== 0) this.collect(child, level + 1, depth, found);
  }

  private child(node: number, level: string): number {
    const segment = this.segments.get(level);
    return segment === undefined ? 0 : this.edges.get(node, segment);
  }

  private grow(node: number, level: string): number {
    const known = level === PLUS ? this.nodes[node * NODE + BEHIND_PLUS]! : this.child(node, level);
    if (known !== 0) return known;
    const child = this.newNode();
    const { nodes } = this;
    nodes[child * NODE + PARENT] = node;
    nodes[node * NODE + CHILDREN]!++;
    if (level === PLUS) {
      nodes[node * NODE + BEHIND_PLUS] = child;
      nodes[child * NODE + SEGMENT] = PLUS_SEGMENT;
      return child;
    }
    let segment = this.segments.get(level);
    if (segment === undefined) {
      segment = this.freeSegments.pop() ?? this.segmentNames.length;
      this.segments.set(level, segment);
      this.segmentNames[segment] = level;
      this.segmentUses[segment] = 0;
    }
    this.segmentUses[segment]!++;
    nodes[child * NODE + SEGMENT] = segment;
    this.edges.set(node, segment, child);
    return child;
  }

  private newNode(): number {
    const node = this.freeNodes.pop() ?? this.nodeCount++;
    if ((node + 1) * NODE > this.nodes.length) {
      const more = new Int32Array(this.nodes.length * 2);
      more.set(this.nodes);
      this.nodes = more;
    }
    this.nodes.fill(0, node * NODE, (node + 1) * NODE);
    this.ends[node * 2] = undefined;
    this.ends[node * 2 + 1] = undefined;
    return node;
  }

  private prune(from: number): void {
    const { nodes, ends } = this;
    let node = from;
    while (
      node !== ROOT &&
      nodes[node * NODE + CHILDREN] === 0 &&
      ends[node * 2] === undefined &&
      ends[node * 2 + 1] === undefined
    ) {
      const parent = nodes[node * NODE + PARENT]!;
      const segment = nodes[node * NODE + SEGMENT]!;
      if (segment === PLUS_SEGMENT) nodes[parent * NODE + BEHIND_PLUS] = 0;
      else {
        this.edges.delete(parent, segment);
        this.segmentUses[segment]!--;
        if (this.segmentUses[segment] === 0) {
          this.segments.delete(this.segmentNames[segment]!);
          this.segmentNames[segment] = '';
          this.freeSegments.push(segment);
        }
      }
      nodes[parent * NODE + CHILDREN]!--;
      this.freeNodes.push(node);
      node = parent;
    }
  }
}

// A node's numbers lie together, so that one cache line answers for it
const NODE = 4;
const PARENT = 0;
const SEGMENT = 1; // on the edge from the parent
const CHILDREN = 2;
const BEHIND_PLUS = 3; // the node behind a `+`

const ROOT = 1;
const PLUS = '+';
const PLUS_SEGMENT = 1;
const HASH = '#';
const DOLLAR = 0x24;

const WIDTH = 4; // node, segment, child, and one unused, so that an edge never lies across two cache lines

/** (node, segment) → child in one typed array with open addressing: a third of a Map's memory, and no key objects. */
class EdgeTable {
  private cells = new Int32Array(64 * WIDTH);
  private mask = 63;
  private size = 0;

  get(node: number, segment: number): number {
    const { cells, mask } = this;
    for (let slot = hash(node, segment) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * WIDTH;
      const child = cells[at + 2]!;
      if (child === 0 || (cells[at] === node && cells[at + 1] === segment)) return child;
    }
  }

  /** The edge must not be there yet. */
  set(node: number, segment: number, child: number): void {
    if (this.size * 3 > this.mask * 2) this.resize();
    this.size++;
    this.place(node, segment, child);
  }

  delete(node: number, segment: number): void {
    const { cells, mask } = this;
    let slot = hash(node, segment) & mask;
    while (cells[slot * WIDTH] !== node || cells[slot * WIDTH + 1] !== segment) {
      if (cells[slot * WIDTH + 2] === 0) return;
      slot = (slot + 1) & mask;
    }
    this.size--;
    // Close the gap: whatever follows and could stand nearer to its own slot moves up
    for (let next = (slot + 1) & mask; cells[next * WIDTH + 2] !== 0; next = (next + 1) & mask) {
      const home = hash(cells[next * WIDTH]!, cells[next * WIDTH + 1]!) & mask;
      if (((next - home) & mask) < ((next - slot) & mask)) continue;
      cells.copyWithin(slot * WIDTH, next * WIDTH, (next + 1) * WIDTH);
      slot = next;
    }
    cells.fill(0, slot * WIDTH, (slot + 1) * WIDTH);
  }

  private place(node: number, segment: number, child: number): void {
    const { cells, mask } = this;
    let slot = hash(node, segment) & mask;
    while (cells[slot * WIDTH + 2] !== 0) slot = (slot + 1) & mask;
    cells[slot * WIDTH] = node;
    cells[slot * WIDTH + 1] = segment;
    cells[slot * WIDTH + 2] = child;
  }

  private resize(): void {
    const old = this.cells;
    this.cells = new Int32Array(old.length * 2);
    this.mask = this.mask * 2 + 1;
    for (let at = 0; at < old.length; at += WIDTH)
      if (old[at + 2] !== 0) this.place(old[at]!, old[at + 1]!, old[at + 2]!);
  }
}

function hash(node: number, segment: number): number {
  let h = Math.imul(node, 0x9e3779b1) ^ Math.imul(segment, 0x85ebca6b);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  return h ^ (h >>> 13);
}
