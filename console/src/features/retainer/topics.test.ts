import { expect, test } from 'vitest';
import { branchOf, hasPath, topicOf } from './topics.ts';

test('a path of the API names every topic but those that browsers would change or servers refuse', () => {
  for (const topic of ['a/b', '/', '...', '#%?', '温度']) expect(hasPath(topic)).toBe(true);
  for (const topic of ['.', '..', 'x'.repeat(65_535), '温'.repeat(1000)]) expect(hasPath(topic)).toBe(false);
});

test('an address opens a topic, never a filter', () => {
  expect(topicOf('room/1')).toBe('room/1');
  for (const value of [undefined, '', 'room/#', '+', ['a', 'b'], 'a\u0000'])
    expect(topicOf(value)).toBeUndefined();
});

test('the branch of a topic is its neighbours and all below them', () => {
  const cases = [
    ['a/b/c', 'a/b/#'],
    ['a', 'a/#'],
    ['/a', '/#'],
    ['a/', 'a/#'],
  ];
  for (const [topic, branch] of cases) expect(branchOf(topic!)).toBe(branch);
});
