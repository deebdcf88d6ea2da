import { beforeEach, expect, test, vi } from 'vitest';
import { MessageLog } from './message-log.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['requestAnimationFrame', 'cancelAnimationFrame'] });
});

const frame = () => vi.advanceTimersToNextFrame();
const message = (text: string, bytes = 1) => ({
  at: 0,
  topic: text,
  payload: new Uint8Array(bytes),
  qos: 0 as const,
  retain: false,
  dup: false,
  properties: {},
});
const topics = (log: MessageLog) => log.view().messages.map(({ topic }) => topic);

test('listeners hear once per frame, however many messages came', () => {
  const log = new MessageLog();
  const heard = vi.fn();
  log.subscribe(heard);
  for (let i = 0; i < 100; i += 1) log.add(message(`${i}`));
  expect(heard).not.toHaveBeenCalled();
  frame();
  expect(heard).toHaveBeenCalledTimes(1);
  expect(log.view()).toMatchObject({ count: 100, bytes: 100 });
  expect(topics(log).slice(0, 2)).toEqual(['99', '98']);
});

test('keeps the newest 5,000 and counts them all', () => {
  const log = new MessageLog();
  for (let i = 1; i <= 5003; i += 1) log.add(message(`${i}`));
  frame();
  expect(log.view().count).toBe(5003);
  expect(topics(log)).toHaveLength(5000);
  expect(topics(log).at(-1)).toBe('4');
});

test('keeps no more than 32 MB, but always the newest', () => {
  const log = new MessageLog();
  const megabyte = 1024 * 1024;
  for (let i = 1; i <= 40; i += 1) log.add(message(`${i}`, megabyte));
  frame();
  expect(topics(log)).toHaveLength(31);
  expect(topics(log).at(-1)).toBe('10');
  log.add(message('huge', 64 * megabyte));
  frame();
  expect(topics(log)).toEqual(['huge']);
});

test('a pause holds the view and says how many came', () => {
  const log = new MessageLog();
  log.add(message('a'));
  frame();
  log.setPaused(true);
  log.add(message('b'));
  log.add(message('c'));
  frame();
  expect(topics(log)).toEqual(['a']);
  expect(log.view()).toMatchObject({ paused: true, unseen: 2, count: 3 });
  log.setPaused(false);
  expect(topics(log)).toEqual(['c', 'b', 'a']);
  expect(log.view()).toMatchObject({ paused: false, unseen: 0 });
});

test('clearing forgets messages and counters, and it goes on from there', () => {
  const log = new MessageLog();
  for (let i = 0; i < 10; i += 1) log.add(message(`${i}`));
  log.clear();
  expect(log.view()).toMatchObject({ messages: [], count: 0, bytes: 0 });
  log.add(message('new'));
  frame();
  expect(topics(log)).toEqual(['new']);
  expect(log.view().count).toBe(1);
});

test('a message learns how it fared, unless it is no longer kept', () => {
  const log = new MessageLog();
  const id = log.add(message('a'));
  log.settle(id, { is: 'acknowledged', reasonCode: 0 });
  frame();
  expect(log.view().messages[0]?.delivery).toEqual({ is: 'acknowledged', reasonCode: 0 });
  for (let i = 0; i < 5000; i += 1) log.add(message(`${i}`));
  log.settle(id, { is: 'failed', text: 'late' });
  frame();
  expect(log.view().messages.some(({ delivery }) => delivery?.is === 'failed')).toBe(false);
});
