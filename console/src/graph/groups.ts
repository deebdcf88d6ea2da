import { counterOf, type Flow, type FlowEdge, type FlowNode } from './flow.ts';

/** Many rules as few nodes: those of the same sources, or of the same bridges. */

export const GROUPINGS = ['none', 'source', 'bridge'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** With more rules than this they are drawn together unless told otherwise. */
const AT_ONCE_MAX = 40;
const GROUP_MIN = 2;

interface Ends {
  sources: readonly string[];
  outputs: readonly string[];
}

function endsOf(flow: Flow): Map<string, Ends> {
  const ends = new Map<string, { sources: string[]; outputs: string[] }>();
  for (const { id, kind } of flow.nodes) if (kind === 'rule') ends.set(id, { sources: [], outputs: [] });
  for (const { from, to, back } of flow.edges) {
    if (back) continue;
    ends.get(to)?.sources.push(from);
    ends.get(from)?.outputs.push(to);
  }
  return ends;
}

/** The rules of each group, by its key: sources or bridges, in order. */
function membersOf(flow: Flow, by: 'source' | 'bridge'): Map<string, FlowNode[]> {
  const ends = endsOf(flow);
  const groups = new Map<string, FlowNode[]>();
  for (const node of flow.nodes) {
    if (node.kind !== 'rule') continue;
    const { sources, outputs } = ends.get(node.id)!;
    const bridges = outputs.filter((id) => id.startsWith('egress:'));
    // Rules without any bridge have their sources in common at best.
    const common = by === 'source' || bridges.length === 0 ? sources : bridges;
    const key = [...common].sort().join('\n');
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  return groups;
}

/** What is easiest to look at: nothing together while it is little, else whatever leaves the fewest nodes. */
export function groupingFor(flow: Flow): Grouping {
  const count = flow.nodes.filter(({ kind }) => kind === 'rule').length;
  if (count <= AT_ONCE_MAX) return 'none';
  return membersOf(flow, 'bridge').size < membersOf(flow, 'source').size ? 'bridge' : 'source';
}

export interface Grouped extends Flow {
  /** The node that stands for one that is not drawn. */
  holder: ReadonlyMap<string, string>;
  /** Groups that were opened: their id, what they have in common, how many rules. */
  opened: readonly FlowNode[];
}

export const groupIdOf = (by: Grouping, key: string): string => `group:${by}:${key}`;

export function grouped(flow: Flow, by: Grouping, open: ReadonlySet<string>): Grouped {
  const holder = new Map<string, string>();
  const opened: FlowNode[] = [];
  const made: FlowNode[] = [];
  if (by !== 'none') {
    const names = new Map(flow.nodes.map(({ id, name }) => [id, name]));
    for (const [key, members] of membersOf(flow, by)) {
      if (members.length < GROUP_MIN) continue;
      const name = key
        .split('\n')
        .map((id) => names.get(id) ?? '')
        .join(', ');
      const group = groupOf(groupIdOf(by, key), name, members);
      if (open.has(group.id)) {
        opened.push(group);
        continue;
      }
      made.push(group);
      for (const { id } of members) holder.set(id, group.id);
    }
    made.push(...bundlesOf(flow, holder));
  }
  return {
    nodes: [...flow.nodes.filter(({ id }) => !holder.has(id)), ...made],
    edges: mergedEdges(flow.edges, holder),
    holder,
    opened,
  };
}

function groupOf(id: string, name: string, members: readonly FlowNode[]): FlowNode {
  return {
    id,
    kind: 'group',
    name,
    column: members[0]!.column,
    off: members.every(({ off }) => off),
    trouble: members.some(({ trouble }) => trouble),
    loop: members.some(({ loop }) => loop),
    rate: sumOf(members.map(({ rate }) => rate)),
    counters: {
      passed: sumOf(members.map(({ counters }) => counterOf(counters, 'passed'))),
      failed: sumOf(members.map(({ counters }) => counterOf(counters, 'failed.exception'))),
    },
    holds: members,
  };
}

const BUNDLED: ReadonlySet<string> = new Set(['topic', 'event', 'republish', 'function']);

/** Topics that only one group has to do with are one node as well; `holder` learns of them. */
function bundlesOf(flow: Flow, holder: Map<string, string>): FlowNode[] {
  const users = new Map<string, Set<string>>();
  for (const { from, to, back } of flow.edges) {
    if (back) continue;
    for (const [end, other] of [
      [from, to],
      [to, from],
    ] as const)
      users.set(end, (users.get(end) ?? new Set()).add(holder.get(other) ?? other));
  }
  const bundles = new Map<string, FlowNode[]>();
  for (const node of flow.nodes) {
    const of = users.get(node.id);
    if (!BUNDLED.has(node.kind) || of?.size !== 1) continue;
    const [group] = of;
    if (!group!.startsWith('group:')) continue;
    const id = `${node.column < 2 ? 'sources' : 'outputs'}:${group}`;
    bundles.set(id, [...(bundles.get(id) ?? []), node]);
  }
  const made: FlowNode[] = [];
  for (const [id, members] of bundles) {
    if (members.length < GROUP_MIN) continue;
    for (const member of members) holder.set(member.id, id);
    made.push({
      id,
      kind: 'topics',
      name: members.map(({ name }) => name).join(', '),
      column: members[0]!.column,
      off: false,
      trouble: false,
      loop: members.some(({ loop }) => loop),
      holds: members,
    });
  }
  return made;
}

/** One edge between two nodes, with all that runs there. */
function mergedEdges(edges: readonly FlowEdge[], holder: ReadonlyMap<string, string>): FlowEdge[] {
  const merged = new Map<string, FlowEdge>();
  for (const edge of edges) {
    const from = holder.get(edge.from) ?? edge.from;
    const to = holder.get(edge.to) ?? edge.to;
    const id = `${from}>${to}`;
    const before = merged.get(id);
    merged.set(id, {
      ...edge,
      id,
      from,
      to,
      rate: before ? sumOf([before.rate, edge.rate]) : edge.rate,
      shut: before && before.shut === undefined ? undefined : edge.shut,
      loop: (before?.loop ?? false) || edge.loop,
    });
  }
  return [...merged.values()];
}

/** Of the numbers that are known; undefined when none is. */
function sumOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

/** Nodes whose name, SQL or note holds the text, from the top left; of what is drawn together each by itself. */
export function foundIn(flow: Flow, text: string): FlowNode[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const holds = (value: unknown) => typeof value === 'string' && value.toLowerCase().includes(wanted);
  return flow.nodes.filter(
    ({ name, rule, bridge }) =>
      holds(name) ||
      (rule && (holds(rule.name) || holds(rule.description) || holds(rule.sql))) ||
      holds(bridge?.description),
  );
}
