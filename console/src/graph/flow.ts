import type { Bridge } from '@mqdeck/contract/bridges';
import type { Rule } from '@mqdeck/contract/rules';
import { type StateName, stateOf } from '../ui/State.tsx';
import { type GraphEdge, type GraphNode, linksOf, roundsOf } from './graph.ts';
import { filterOfTemplate, filtersMeet } from './templates.ts';

/** Rules and bridges as a graph: what goes in, the rules, where it comes out. */

export type FlowKind =
  | 'remote' // a topic of another broker
  | 'topic'
  | 'event'
  | 'ingress'
  | 'rule'
  | 'group' // rules that have something in common, as one
  | 'topics' // topics of such a group, as one
  | 'console'
  | 'function'
  | 'republish'
  | 'egress';

export type Counters = Readonly<Record<string, unknown>>;

export interface FlowNode extends GraphNode {
  kind: FlowKind;
  /** A topic, a rule's id, a bridge's id; of a group what its rules have in common. */
  name: string;
  rule?: Rule;
  bridge?: Bridge;
  counters?: Counters | undefined;
  /** Rules name a bridge, or a direction of one, that is not there. */
  missing?: 'bridge' | 'direction';
  state?: StateName;
  off: boolean;
  trouble: boolean;
  /** It may get what it has made. */
  loop: boolean;
  /** Messages or events per second. */
  rate?: number | undefined;
  /** What stands behind a group or its topics. */
  holds?: readonly FlowNode[];
}

export interface FlowEdge extends GraphEdge {
  rate?: number | undefined;
  /** Nothing gets through: one of its ends is off, or missing or not connected. */
  shut?: 'off' | 'broken' | undefined;
  loop: boolean;
}

export interface Flow {
  nodes: readonly FlowNode[];
  edges: readonly FlowEdge[];
}

export interface FlowFacts {
  rules: readonly Rule[];
  /** Undefined: not known, so none is called missing. */
  bridges: readonly Bridge[] | undefined;
  ruleCounters: ReadonlyMap<string, Counters>;
  bridgeCounters: ReadonlyMap<string, Counters>;
  /** Per second, seen between two answers: results of a rule (`rule:…`), messages fetched by a bridge (`bridge:…`). */
  seen: ReadonlyMap<string, number>;
}

const COLUMN: Record<FlowKind, number> = {
  remote: 0,
  topic: 1,
  event: 1,
  ingress: 1,
  rule: 2,
  group: 2,
  topics: 3,
  console: 3,
  function: 3,
  republish: 3,
  egress: 3,
};
/** What egress bridges publish to stands on the far side. */
const FAR = 4;

const BRIDGES = '$bridges/';
const EVENTS = '$events/';

const bridgeIdOf = ({ type, name }: Pick<Bridge, 'type' | 'name'>): string => `${type}:${name}`;
/** Rules of newer brokers call a webhook `http`. */
const namedBridge = (id: string): string => id.replace(/^http:/, 'webhook:');

export function counterOf(counters: Counters | undefined, name: string): number | undefined {
  const value = counters?.[name];
  return typeof value === 'number' ? value : undefined;
}

type Side = Record<string, unknown>;
const sideOf = (bridge: Bridge, side: 'ingress' | 'egress'): Side | undefined => {
  const value = bridge[side];
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? (value as Side)
    : undefined;
};
const topicIn = (side: Side | undefined, end: 'local' | 'remote'): string | undefined => {
  const topic = (side?.[end] as Side | undefined)?.topic;
  return typeof topic === 'string' && topic !== '' ? topic : undefined;
};
const fetches = (bridge: Bridge): boolean =>
  bridge.type === 'mqtt' ? sideOf(bridge, 'ingress') !== undefined : bridge.type.endsWith('_consumer');
const delivers = (bridge: Bridge): boolean =>
  bridge.type === 'mqtt'
    ? sideOf(bridge, 'egress') !== undefined || !fetches(bridge)
    : !bridge.type.endsWith('_consumer');

export function flowOf(facts: FlowFacts): Flow {
  const { rules, bridges, ruleCounters, bridgeCounters, seen } = facts;
  const nodes = new Map<string, FlowNode>();
  const edges = new Map<string, FlowEdge>();
  const known = new Map((bridges ?? []).map((bridge) => [bridgeIdOf(bridge), bridge]));

  const put = (kind: FlowKind, name: string, more: Partial<FlowNode> = {}, key: string = kind): string => {
    const id = `${key}:${name}`;
    if (!nodes.has(id))
      nodes.set(id, {
        id,
        kind,
        name,
        column: COLUMN[kind],
        off: false,
        trouble: false,
        loop: false,
        ...more,
      });
    return id;
  };
  const join = (from: string, to: string, more: Partial<FlowEdge> = {}) => {
    const id = `${from}>${to}`;
    if (!edges.has(id)) edges.set(id, { id, from, to, loop: false, ...more });
  };
  const putBridge = (id: string, side: 'ingress' | 'egress'): string => {
    const bridge = known.get(id);
    if (!bridge) return put(side, id, bridges ? { missing: 'bridge', trouble: true } : {});
    const counters = bridgeCounters.get(id);
    const state = bridge.enable ? stateOf(bridge.status) : 'disabled';
    const lost = (counterOf(counters, 'dropped') ?? 0) + (counterOf(counters, 'failed') ?? 0);
    const there = side === 'ingress' ? fetches(bridge) : delivers(bridge);
    return put(side, id, {
      bridge,
      counters,
      state,
      off: !bridge.enable,
      trouble: !there || (bridge.enable && (state !== 'connected' || (side === 'egress' && lost > 0))),
      ...(there ? {} : { missing: 'direction' as const }),
      rate: side === 'ingress' ? seen.get(`bridge:${id}`) : counterOf(counters, 'rate'),
    });
  };
  const putSource = (source: string): string =>
    source.startsWith(BRIDGES)
      ? putBridge(namedBridge(source.slice(BRIDGES.length)), 'ingress')
      : put(source.startsWith(EVENTS) ? 'event' : 'topic', source);

  for (const rule of rules) {
    const counters = ruleCounters.get(rule.id);
    const failed =
      (counterOf(counters, 'failed.exception') ?? 0) + (counterOf(counters, 'actions.failed') ?? 0);
    const rate = counterOf(counters, 'matched.rate');
    const id = put('rule', rule.id, {
      rule,
      counters,
      state: rule.enable ? 'enabled' : 'disabled',
      off: !rule.enable,
      trouble: rule.enable && failed > 0,
      rate,
    });
    const sources = rule.from.map(putSource);
    // Of several sources the broker does not say which one it was.
    for (const source of sources) join(source, id, { rate: sources.length === 1 ? rate : undefined });
    for (const action of rule.actions) {
      const to =
        typeof action === 'string'
          ? putBridge(namedBridge(action), 'egress')
          : action.function === 'republish'
            ? put('republish', topicOf(action), {}, republishKey(rule, action))
            : put(action.function === 'console' ? 'console' : 'function', action.function);
      join(id, to, { rate: seen.get(`rule:${rule.id}`) });
    }
  }

  for (const bridge of bridges ?? []) {
    const id = bridgeIdOf(bridge);
    if (fetches(bridge)) {
      const here = putBridge(id, 'ingress');
      const remote = topicIn(sideOf(bridge, 'ingress'), 'remote');
      if (remote !== undefined) join(put('remote', remote, {}, `remote:${id}`), here);
    }
    if (delivers(bridge)) {
      const here = putBridge(id, 'egress');
      const egress = sideOf(bridge, 'egress');
      const remote = topicIn(egress, 'remote');
      if (remote !== undefined) join(here, put('remote', remote, { column: FAR }, `far:${id}`));
      const local = bridge.local_topic;
      for (const topic of [local, topicIn(egress, 'local')])
        if (typeof topic === 'string' && topic !== '') join(putSource(topic), here);
    }
  }

  const topics = [...nodes.values()].filter(({ kind }) => kind === 'topic');
  const feed = (from: string, template: string) => {
    const filter = filterOfTemplate(template);
    for (const topic of topics) if (filtersMeet(filter, topic.name)) join(from, topic.id, { back: true });
  };
  for (const rule of rules)
    for (const action of rule.actions) {
      // Handed to subscribers alone, it is no message that rules see.
      if (typeof action === 'string' || action.function !== 'republish' || isDirect(action)) continue;
      const topic = topicOf(action);
      const from = `${republishKey(rule, action)}:${topic}`;
      if (topic !== SAME_TOPIC) feed(from, topic);
      else
        for (const source of rule.from)
          if (!source.startsWith('$')) join(from, putSource(source), { back: true });
    }
  for (const bridge of known.values()) {
    const local = topicIn(sideOf(bridge, 'ingress'), 'local');
    if (local !== undefined) feed(`ingress:${bridgeIdOf(bridge)}`, local);
  }
  return finished([...nodes.values()], [...edges.values()]);
}

/** What follows from the whole: rounds, edges that nothing gets through, rules whose neighbour is in trouble. */
function finished(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): Flow {
  const rounds = roundsOf(nodes, edges);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const shutAt = (id: string): FlowEdge['shut'] => {
    const { off, missing, bridge, state } = byId.get(id)!;
    if (off) return 'off';
    return missing || (bridge && state !== 'connected') ? 'broken' : undefined;
  };
  return {
    nodes: nodes.map((node) => {
      const loop = rounds.has(node.id);
      return { ...node, loop, trouble: node.trouble || (loop && node.kind === 'rule' && !node.off) };
    }),
    edges: edges.map((edge) => ({
      ...edge,
      shut: shutAt(edge.from) ?? shutAt(edge.to),
      loop: rounds.has(edge.from) && rounds.get(edge.from) === rounds.get(edge.to),
    })),
  };
}

/** A function of a rule; what it wants is in its arguments. */
type Named = Exclude<Rule['actions'][number], string>;
const argsOf = (action: Named): Record<string, unknown> =>
  typeof action.args === 'object' && action.args !== null ? (action.args as Record<string, unknown>) : {};
const topicOf = (action: Named): string => String(argsOf(action).topic ?? '');
/** Where the message goes back to the topic it came from, each rule does that by itself. */
const SAME_TOPIC = '${topic}';
const republishKey = (rule: Rule, action: Named): string =>
  topicOf(action) === SAME_TOPIC ? `republish:${rule.id}` : 'republish';
const isDirect = (action: Named): boolean => argsOf(action).direct_dispatch === true;

export interface Wanted {
  trouble: boolean;
  enabled: boolean;
}

/** Only whole paths: a rule stays or goes with what it is joined to. */
export function narrowed(flow: Flow, { trouble, enabled }: Wanted): Flow {
  if (!trouble && !enabled) return flow;
  const links = linksOf(flow.edges.filter(({ back }) => !back));
  const byId = new Map(flow.nodes.map((node) => [node.id, node]));
  const around = (id: string) => [...(links.before.get(id) ?? []), ...(links.after.get(id) ?? [])];
  const inTrouble = (id: string) => byId.get(id)!.trouble;
  const kept = new Set<string>();
  for (const { id, kind, off } of flow.nodes) {
    if (kind !== 'rule' || (enabled && off)) continue;
    if (trouble && !inTrouble(id) && (off || !around(id).some(inTrouble))) continue;
    kept.add(id);
    for (const one of around(id)) kept.add(one);
  }
  for (const { id, kind, off } of flow.nodes) {
    if (kind !== 'ingress' && kind !== 'egress') continue;
    const own = around(id).filter((one) => byId.get(one)!.kind !== 'rule');
    if (!kept.has(id)) {
      const bridged = (!enabled || !off) && (!trouble || inTrouble(id));
      if (!bridged) continue;
      kept.add(id);
    }
    for (const one of own) kept.add(one);
  }
  return cut(flow, kept);
}

function cut({ nodes, edges }: Flow, kept: ReadonlySet<string>): Flow {
  return {
    nodes: nodes.filter(({ id }) => kept.has(id)),
    edges: edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  };
}
