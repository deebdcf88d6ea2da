import { describe, expect, test } from 'vitest';
import { type GraphEdge, type GraphNode, linksOf, roundsOf } from './graph.ts';
import { layoutOf, NODE } from './layout.ts';
import { filterOfTemplate, filtersMeet } from './templates.ts';
import { stepFrom } from './walk.ts';

const node = (id: string, column: number): GraphNode => ({ id, column });
const edge = (from: string, to: string, back?: boolean): GraphEdge => ({
  id: `${from}>${to}`,
  from,
  to,
  back,
});

describe('the layout', () => {
  const nodes = [node('a', 1), node('b', 1), node('r', 2), node('s', 2), node('x', 3), node('lone', 3)];
  const edges = [edge('a', 'r'), edge('r', 'x'), edge('b', 's'), edge('s', 'x'), edge('x', 'a', true)];

  test('puts each column to the right of the one before, whatever the edges', () => {
    const places = layoutOf(nodes, edges);
    expect(places.get('a')!.x).toBe(0);
    expect(places.get('b')!.x).toBe(0);
    expect(places.get('r')!.x).toBeGreaterThan(NODE.width);
    expect(places.get('x')!.x).toBeGreaterThan(places.get('r')!.x + NODE.width);
    expect(places.get('lone')!.x).toBe(places.get('x')!.x);
  });

  test('lets no two nodes overlap, however many rules there are', () => {
    const many: GraphNode[] = [node('all', 3)];
    const ways: GraphEdge[] = [];
    for (let i = 0; i < 300; i++) {
      many.push(node(`t${i % 40}`, 1), node(`r${i}`, 2), node(`o${i}`, 3));
      ways.push(edge(`t${i % 40}`, `r${i}`), edge(`r${i}`, i % 3 === 0 ? 'all' : `o${i}`));
    }
    many.push(node('ends', 2), node('far', 0));
    ways.push(edge('t0', 'ends'), edge('far', 't0'), edge('t1', 'all'));
    const unique = [...new Map(many.map((one) => [one.id, one])).values()];
    const places = layoutOf(unique, ways);
    expect(places.size).toBe(unique.length);
    const columns = new Map<number, number[]>();
    for (const { id } of unique) {
      const { x, y } = places.get(id)!;
      columns.set(x, [...(columns.get(x) ?? []), y]);
    }
    expect(columns.size).toBe(4);
    for (const tops of columns.values()) {
      tops.sort((a, b) => a - b);
      for (const [at, top] of tops.entries())
        if (at > 0) expect(top - tops[at - 1]!).toBeGreaterThanOrEqual(NODE.height);
    }
  });

  test('of nothing is nothing', () => {
    expect(layoutOf([], []).size).toBe(0);
  });
});

describe('arrow keys', () => {
  const nodes = [node('a', 1), node('b', 1), node('r', 2), node('x', 3), node('y', 3)];
  const edges = [edge('a', 'r'), edge('b', 'r'), edge('r', 'x'), edge('r', 'y'), edge('y', 'b', true)];
  const places = new Map([
    ['a', { x: 0, y: 0 }],
    ['b', { x: 0, y: 100 }],
    ['r', { x: 300, y: 90 }],
    ['x', { x: 600, y: 0 }],
    ['y', { x: 600, y: 100 }],
  ]);
  const ground = { nodes, links: linksOf(edges), places };

  test('lead to the nearest of those that are joined', () => {
    expect(stepFrom('a', 'ArrowRight', ground)).toBe('r');
    expect(stepFrom('r', 'ArrowRight', ground)).toBe('y');
    expect(stepFrom('r', 'ArrowLeft', ground)).toBe('b');
    expect(stepFrom('a', 'ArrowLeft', ground)).toBeUndefined();
  });

  test('go up and down within a column, and to its ends', () => {
    expect(stepFrom('a', 'ArrowDown', ground)).toBe('b');
    expect(stepFrom('b', 'ArrowUp', ground)).toBe('a');
    expect(stepFrom('b', 'ArrowDown', ground)).toBeUndefined();
    expect(stepFrom('a', 'End', ground)).toBe('b');
    expect(stepFrom('b', 'Home', ground)).toBe('a');
  });

  test('follow a way back where nothing else leads on', () => {
    expect(stepFrom('y', 'ArrowRight', ground)).toBe('b');
    expect(stepFrom('b', 'ArrowLeft', ground)).toBe('y');
  });
});

describe('rounds', () => {
  test('are found across several nodes, and only there', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => node(id, 0));
    const edges = [
      edge('a', 'b'),
      edge('b', 'c'),
      edge('c', 'a', true),
      edge('c', 'd'),
      edge('e', 'f'),
      edge('f', 'e', true),
    ];
    const rounds = roundsOf(nodes, edges);
    expect([...rounds.keys()].sort()).toEqual(['a', 'b', 'c', 'e', 'f']);
    expect(rounds.get('a')).toBe(rounds.get('c'));
    expect(rounds.get('a')).not.toBe(rounds.get('e'));
  });

  test('of a chain of a thousand rules are looked for without running out of stack', () => {
    const nodes = Array.from({ length: 20_000 }, (_, i) => node(String(i), 0));
    const edges = nodes.slice(1).map(({ id }, i) => edge(String(i), id));
    expect(roundsOf(nodes, edges).size).toBe(0);
    expect(roundsOf(nodes, [...edges, edge('19999', '0', true)]).size).toBe(20_000);
  });
});

test.each([
  ['alarms/${clientid}', 'alarms/#', true],
  ['alarms/${clientid}', 'alarms/+/x', false],
  ['a/${x}/b', 'a/1/b', true],
  ['a/b', 'a/b', true],
  ['a/b', 'a/c', false],
  ['a', 'a/#', true], // the parent too
  ['a/b/c', 'a/+', false],
  ['$SYS/x', '#', false],
  ['$SYS/x', '+/x', false],
  ['$SYS/x', '$SYS/#', true],
  ['', '#', false],
])('what is published to %s can reach %s: %s', (template, filter, reaches) => {
  expect(filtersMeet(filterOfTemplate(template), filter)).toBe(reaches);
});
