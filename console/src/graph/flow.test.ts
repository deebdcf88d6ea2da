import type { Bridge } from '@mqdeck/contract/bridges';
import type { Rule } from '@mqdeck/contract/rules';
import { describe, expect, test } from 'vitest';
import { type Flow, type FlowFacts, flowOf, narrowed } from './flow.ts';
import { foundIn, grouped, groupIdOf, groupingFor } from './groups.ts';
import { pathRows } from './path-rows.ts';
import { currentOf, ratesBetween } from './use-flow.ts';

const rule = (id: string, from: string[], actions: Rule['actions'], more: Partial<Rule> = {}): Rule => ({
  id,
  name: '',
  sql: `SELECT * FROM "${from.join('", "')}"`,
  actions,
  enable: true,
  description: '',
  from,
  created_at: '2026-01-01T00:00:00.000Z',
  ...more,
});
const bridge = (type: string, name: string, more: Partial<Bridge> = {}): Bridge => ({
  type,
  name,
  enable: true,
  status: 'connected',
  node_status: [],
  ...more,
});
const republish = (topic: string, more: object = {}) => ({ function: 'republish', args: { topic, ...more } });
const flow = (facts: Partial<FlowFacts>): Flow =>
  flowOf({
    rules: [],
    bridges: [],
    ruleCounters: new Map(),
    bridgeCounters: new Map(),
    seen: new Map(),
    ...facts,
  });
const nodeOf = ({ nodes }: Flow, id: string) => nodes.find((node) => node.id === id);
const edgeOf = ({ edges }: Flow, id: string) => edges.find((edge) => edge.id === id);
const idsOf = ({ nodes }: Flow) => nodes.map(({ id }) => id).sort();

describe('rules and bridges as a graph', () => {
  test('sources stand before rules, outputs behind them', () => {
    const made = flow({
      rules: [
        rule('hot', ['sensors/#', '$events/client_connected'], [{ function: 'console' }, 'http:archive']),
        rule('plant', ['$bridges/mqtt:plant'], ['mqtt:plant']),
      ],
      bridges: [
        bridge('webhook', 'archive'),
        bridge('mqtt', 'plant', {
          ingress: { remote: { topic: 'far/#' } },
          egress: { remote: { topic: 'up/${topic}' } },
        }),
      ],
    });
    const columns = Object.fromEntries(made.nodes.map(({ id, column }) => [id, column]));
    expect(columns).toEqual({
      'remote:mqtt:plant:far/#': 0,
      'topic:sensors/#': 1,
      'event:$events/client_connected': 1,
      'ingress:mqtt:plant': 1,
      'rule:hot': 2,
      'rule:plant': 2,
      'console:console': 3,
      'egress:webhook:archive': 3,
      'egress:mqtt:plant': 3,
      'far:mqtt:plant:up/${topic}': 4,
    });
    expect(made.edges.map(({ id }) => id)).toContain('egress:mqtt:plant>far:mqtt:plant:up/${topic}');
    expect(made.nodes.every(({ trouble, missing }) => !trouble && !missing)).toBe(true);
  });

  test('a bridge that rules name and that is not there is missing, and its rule with it in trouble', () => {
    const made = flow({ rules: [rule('r', ['a'], ['mysql:gone'])] });
    expect(nodeOf(made, 'egress:mysql:gone')).toMatchObject({ missing: 'bridge', trouble: true });
    expect(edgeOf(made, 'rule:r>egress:mysql:gone')?.shut).toBe('broken');
    expect(idsOf(narrowed(made, { trouble: true, enabled: false }))).toEqual(idsOf(made));
  });

  test('no bridge is called missing while the bridges are not known', () => {
    const made = flow({ rules: [rule('r', ['a'], ['mysql:gone'])], bridges: undefined });
    expect(nodeOf(made, 'egress:mysql:gone')).toMatchObject({ trouble: false });
    expect(nodeOf(made, 'egress:mysql:gone')?.missing).toBeUndefined();
  });

  test('a bridge without the direction that a rule wants says so', () => {
    const made = flow({
      rules: [rule('r', ['a'], ['mqtt:in'])],
      bridges: [bridge('mqtt', 'in', { ingress: { remote: { topic: 'x' } } })],
    });
    expect(nodeOf(made, 'egress:mqtt:in')).toMatchObject({ missing: 'direction', trouble: true });
    expect(nodeOf(made, 'ingress:mqtt:in')).toMatchObject({ trouble: false });
  });

  test('a topic that a bridge takes without any rule is joined to it', () => {
    const made = flow({ bridges: [bridge('webhook', 'w', { local_topic: 'all/#' })] });
    expect(edgeOf(made, 'topic:all/#>egress:webhook:w')).toBeDefined();
  });

  test('what a rule republishes leads back to the rules that get it', () => {
    const made = flow({
      rules: [
        rule('first', ['in/#'], [republish('alarms/${clientid}')]),
        rule('second', ['alarms/#'], [{ function: 'console' }]),
      ],
    });
    expect(edgeOf(made, 'republish:alarms/${clientid}>topic:alarms/#')).toMatchObject({
      back: true,
      loop: false,
    });
    expect(made.nodes.some(({ loop }) => loop)).toBe(false);
  });

  test('a rule that gets what it makes is a loop, by itself or through another', () => {
    const alone = flow({ rules: [rule('echo', ['room/+'], [republish('room/1')])] });
    expect(edgeOf(alone, 'republish:room/1>topic:room/+')).toMatchObject({ back: true, loop: true });
    expect(nodeOf(alone, 'rule:echo')).toMatchObject({ loop: true, trouble: true });
    const two = flow({
      rules: [rule('a', ['x'], [republish('y')]), rule('b', ['y'], [republish('x')]), rule('c', ['y'], [])],
    });
    expect(nodeOf(two, 'rule:a')).toMatchObject({ loop: true });
    expect(nodeOf(two, 'rule:b')).toMatchObject({ loop: true });
    expect(nodeOf(two, 'rule:c')).toMatchObject({ loop: false });
  });

  test('what goes to subscribers alone leads back nowhere', () => {
    const made = flow({
      rules: [rule('echo', ['room/+'], [republish('room/1', { direct_dispatch: true })])],
    });
    expect(made.edges.some(({ back }) => back)).toBe(false);
  });

  test('rules that publish to the topic they came from do so each for itself', () => {
    const made = flow({
      rules: [rule('a', ['x'], [republish('${topic}')]), rule('b', ['y'], [republish('${topic}')])],
    });
    expect(made.edges.filter(({ back }) => back).map(({ id }) => id)).toEqual([
      'republish:a:${topic}>topic:x',
      'republish:b:${topic}>topic:y',
    ]);
  });

  test('counters and states tell trouble from quiet', () => {
    const made = flow({
      rules: [
        rule('fine', ['a'], ['webhook:up']),
        rule('fails', ['b'], ['webhook:up']),
        rule('rests', ['c'], ['webhook:down'], { enable: false }),
      ],
      bridges: [bridge('webhook', 'up'), bridge('webhook', 'down', { status: 'disconnected' })],
      ruleCounters: new Map([
        ['fine', { passed: 3, 'failed.exception': 0, 'actions.failed': 0, 'matched.rate': 2 }],
        ['fails', { passed: 1, 'failed.exception': 1 }],
        ['rests', { 'failed.exception': 7 }],
      ]),
      bridgeCounters: new Map([['webhook:up', { dropped: 0, rate: 4 }]]),
      seen: new Map([['rule:fine', 1.5]]),
    });
    const troubled = made.nodes.filter(({ trouble }) => trouble).map(({ id }) => id);
    expect(troubled.sort()).toEqual(['egress:webhook:down', 'rule:fails']);
    expect(edgeOf(made, 'topic:a>rule:fine')?.rate).toBe(2);
    expect(edgeOf(made, 'rule:fine>egress:webhook:up')?.rate).toBe(1.5);
    expect(edgeOf(made, 'topic:c>rule:rests')?.shut).toBe('off');
  });
});

describe('filters', () => {
  const made = flow({
    rules: [
      rule('fine', ['a'], ['webhook:up']),
      rule('off', ['b'], ['webhook:up'], { enable: false }),
      rule('lost', ['c'], ['mysql:gone']),
    ],
    bridges: [bridge('webhook', 'up'), bridge('webhook', 'resting', { enable: false, status: 'stopped' })],
  });

  test('leave what is in trouble, with all it is joined to', () => {
    expect(idsOf(narrowed(made, { trouble: true, enabled: false }))).toEqual([
      'egress:mysql:gone',
      'rule:lost',
      'topic:c',
    ]);
  });

  test('leave what is enabled', () => {
    const kept = idsOf(narrowed(made, { trouble: false, enabled: true }));
    expect(kept).not.toContain('rule:off');
    expect(kept).not.toContain('topic:b');
    expect(kept).not.toContain('egress:webhook:resting');
    expect(kept).toContain('egress:webhook:up');
  });
});

describe('drawing rules together', () => {
  const rules = Array.from({ length: 300 }, (_, i) =>
    rule(`r${i}`, [`site/${i % 10}`], i % 2 === 0 ? ['webhook:up'] : [republish(`out/${i}`)]),
  );
  const made = flow({ rules, bridges: [bridge('webhook', 'up')] });

  test('happens by itself when there are many, and by what leaves the fewest', () => {
    expect(groupingFor(flow({ rules: rules.slice(0, 40) }))).toBe('none');
    expect(groupingFor(made)).toBe('bridge');
  });

  test('by source leaves one node a source, and one for topics of one group alone', () => {
    const drawn = grouped(made, 'source', new Set());
    expect(drawn.nodes.filter(({ kind }) => kind === 'group')).toHaveLength(10);
    expect(drawn.nodes.some(({ kind }) => kind === 'rule' || kind === 'republish')).toBe(false);
    const even = drawn.nodes.find(({ name, kind }) => kind === 'group' && name === 'site/0')!;
    expect(even.holds).toHaveLength(30);
    expect(drawn.edges.map(({ id }) => id)).toContain(`${even.id}>egress:webhook:up`);
    const odd = groupIdOf('source', 'topic:site/1');
    expect(drawn.nodes.find(({ id }) => id === `outputs:${odd}`)?.holds).toHaveLength(30);
    const known = new Set(drawn.nodes.map(({ id }) => id));
    for (const { from, to } of drawn.edges) expect(known.has(from) && known.has(to)).toBe(true);
  });

  test('a group that was opened shows each of its rules', () => {
    const id = groupIdOf('source', 'topic:site/0');
    const drawn = grouped(made, 'source', new Set([id]));
    expect(drawn.nodes.filter(({ kind }) => kind === 'rule')).toHaveLength(30);
    expect(drawn.opened.map((group) => group.id)).toEqual([id]);
    expect(drawn.holder.has('rule:r0')).toBe(false);
    expect(drawn.holder.get('rule:r1')).toBe(groupIdOf('source', 'topic:site/1'));
  });

  test('a group sums up its rules', () => {
    const two = flow({
      rules: [rule('a', ['x'], []), rule('b', ['x'], [], { enable: false })],
      ruleCounters: new Map([
        ['a', { passed: 2, 'failed.exception': 1, 'matched.rate': 1.5 }],
        ['b', { passed: 3, 'matched.rate': 0.5 }],
      ]),
    });
    const group = grouped(two, 'source', new Set()).nodes.find(({ kind }) => kind === 'group');
    expect(group).toMatchObject({ off: false, trouble: true, rate: 2, counters: { passed: 5, failed: 1 } });
  });

  test('what is searched for is found in what is drawn together', () => {
    const hits = foundIn(made, 'OUT/29');
    expect(hits.map(({ name }) => name)).toEqual([
      'out/29',
      'out/291',
      'out/293',
      'out/295',
      'out/297',
      'out/299',
    ]);
    const drawn = grouped(made, 'source', new Set());
    expect(drawn.holder.get(hits[0]!.id)).toBe(`outputs:${groupIdOf('source', 'topic:site/9')}`);
    expect(foundIn(made, '  ')).toEqual([]);
    expect(foundIn(made, 'nowhere')).toEqual([]);
  });
});

test('the list has a row for each way that data can take', () => {
  const rows = pathRows(
    flow({
      rules: [rule('two', ['a', 'b'], [{ function: 'console' }, republish('a')]), rule('nothing', ['c'], [])],
      bridges: [
        bridge('webhook', 'unused'),
        bridge('mqtt', 'in', { ingress: { remote: { topic: 'r' }, local: { topic: 'c' } } }),
      ],
    }),
  );
  const said = rows.map(({ source, rule: made, output, feeds }) =>
    [source?.name, made?.name, output?.name, feeds.map(({ name }) => name).join(' ')].join('|'),
  );
  expect(said.sort()).toEqual([
    'a|two|a|a',
    'a|two|console|',
    'b|two|a|a',
    'b|two|console|',
    'c|nothing||',
    'mqtt:in|||c',
    '||webhook:unused|',
  ]);
});

test('rates are what was counted between two answers, and nothing after a reset', () => {
  const before = {
    at: 1000,
    counts: new Map([
      ['rule:a', 10],
      ['rule:b', 50],
    ]),
  };
  const now = {
    at: 3000,
    counts: new Map([
      ['rule:a', 30],
      ['rule:b', 5],
      ['rule:c', 9],
    ]),
  };
  expect([...ratesBetween(before, now)]).toEqual([['rule:a', 10]]);
});

test('only rules and bridges have counters of their own', () => {
  expect(currentOf('rule:a:b')).toEqual({ rule: 'a:b' });
  expect(currentOf('egress:mqtt:x')).toEqual({ bridge: 'mqtt:x' });
  expect(currentOf('topic:rule:x')).toEqual({});
  expect(currentOf(undefined)).toEqual({});
});
