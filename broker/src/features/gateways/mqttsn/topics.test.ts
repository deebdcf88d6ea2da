import { expect, test } from 'vitest';
import { PredefinedTopics, TopicRegistry } from './topics.ts';

const predefined = new PredefinedTopics([
  { id: 1, topic: 'room/1' },
  { id: 2, topic: 'room/1' },
]);

test('a topic has one id, which says it again', () => {
  const topics = new TopicRegistry(predefined);
  const id = topics.register('a/b')!;
  expect(topics.register('a/b')).toBe(id);
  expect(topics.resolve({ kind: 'normal', id })).toBe('a/b');
  expect(topics.refer('a/b')).toEqual({ kind: 'normal', id });
  expect(topics.resolve({ kind: 'normal', id: id + 1 })).toBeNull();
});

test('a registered id is never one of the predefined ones', () => {
  const topics = new TopicRegistry(predefined);
  expect(topics.register('a/b')).toBe(3);
  expect(topics.resolve({ kind: 'normal', id: 1 })).toBeNull();
  expect(topics.resolve({ kind: 'predefined', id: 2 })).toBe('room/1');
  expect(topics.resolve({ kind: 'predefined', id: 3 })).toBeNull();
});

test('predefined topics and those of two bytes need no id of their own', () => {
  const topics = new TopicRegistry(predefined);
  expect(topics.refer('room/1')).toEqual({ kind: 'predefined', id: 1 });
  expect(topics.refer('ab')).toEqual({ kind: 'short', name: 'ab' });
  expect(topics.refer('é')).toEqual({ kind: 'short', name: 'é' });
  for (const other of ['a', 'abc', 'éa', '漢']) expect(topics.refer(other)).toBeNull();
  const id = topics.register('ab');
  expect(topics.refer('ab')).toEqual({ kind: 'normal', id });
});

test('what a device was told makes room for others, what it asked for does not', () => {
  const topics = new TopicRegistry(predefined);
  const own = topics.register('own')!;
  const told = topics.tell('told/0')!;
  for (let i = 1; i <= 5000; i++) expect(topics.tell(`told/${i}`)).not.toBeNull();
  expect(topics.resolve({ kind: 'normal', id: told })).toBeNull();
  expect(topics.resolve({ kind: 'normal', id: own })).toBe('own');
  expect(topics.names().length).toBe(4096);

  const asked = new TopicRegistry(predefined);
  for (let i = 0; i < 4096; i++) expect(asked.register(`t/${i}`)).not.toBeNull();
  expect(asked.register('one/more')).toBeNull();
  expect(asked.tell('one/more')).toBeNull();
});

test('long names fill the room sooner', () => {
  const topics = new TopicRegistry(predefined);
  expect(topics.register('a'.repeat(100_000))).not.toBeNull();
  expect(topics.register('b'.repeat(100_000))).toBeNull();
  topics.forget(3);
  expect(topics.register('b'.repeat(100_000))).not.toBeNull();
});

test('a predefined topic that a device does not know is registered like others', () => {
  const topics = new TopicRegistry(predefined);
  topics.forget(1);
  expect(topics.refer('room/1')).toBeNull();
  const id = topics.tell('room/1')!;
  expect(topics.refer('room/1')).toBeNull();
  topics.confirm(id);
  expect(topics.refer('room/1')).toEqual({ kind: 'normal', id });
});
