import { counterOf, type Flow, type FlowNode } from './flow.ts';
import { linksOf } from './graph.ts';

/** The graph as a table: each way that data can take, from where to where. */

export interface PathRow {
  id: string;
  source: FlowNode | undefined;
  rule: FlowNode | undefined;
  output: FlowNode | undefined;
  passed: number | undefined;
  failed: number | undefined;
  rate: number | undefined;
  /** Topics of rules that the output leads back to. */
  feeds: readonly FlowNode[];
}

export function pathRows(flow: Flow): PathRow[] {
  const byId = new Map(flow.nodes.map((node) => [node.id, node]));
  const { before, after } = linksOf(flow.edges.filter(({ back }) => !back));
  const backs = linksOf(flow.edges.filter(({ back }) => back)).after;
  const nodesOf = (ids: readonly string[] | undefined) => (ids ?? []).flatMap((id) => byId.get(id) ?? []);
  const feedsOf = (node: FlowNode | undefined) => nodesOf(node && backs.get(node.id));
  const orNone = (nodes: readonly FlowNode[]): readonly (FlowNode | undefined)[] =>
    nodes.length > 0 ? nodes : [undefined];
  const rows: PathRow[] = [];
  for (const node of flow.nodes) {
    const { id, kind, counters } = node;
    if (kind === 'rule') {
      for (const source of orNone(nodesOf(before.get(id))))
        for (const output of orNone(nodesOf(after.get(id))))
          rows.push({
            id: [source?.id, id, output?.id].join('>'),
            source,
            rule: node,
            output,
            passed: counterOf(counters, 'passed'),
            failed: counterOf(counters, 'failed.exception'),
            rate: node.rate,
            feeds: feedsOf(output),
          });
    } else if (kind === 'ingress' || kind === 'egress') {
      // What a bridge does without any rule.
      const own = nodesOf(kind === 'ingress' ? after.get(id) : before.get(id));
      if (own.some((one) => one.kind === 'rule')) continue;
      const rest = { rule: undefined, passed: undefined, failed: undefined, rate: node.rate };
      if (kind === 'ingress')
        rows.push({ id, source: node, output: undefined, ...rest, feeds: feedsOf(node) });
      else
        for (const source of orNone(own))
          rows.push({ id: `${source?.id}>${id}`, source, output: node, ...rest, feeds: [] });
    }
  }
  return rows;
}
