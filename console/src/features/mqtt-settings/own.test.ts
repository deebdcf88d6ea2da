import { expect, test } from 'vitest';
import { changedKeys, effective, ownWith, withKeys } from './own.ts';
import { newRow } from './rows.ts';
import { jsonOfPriorities, prioritiesOf, prioritiesOfJson, rowsOfPriorities } from './topic-priorities.ts';
import { copyName, nameFault } from './zones.ts';

const global = {
  mqtt: { max_inflight: 32, max_qos_allowed: 2, response_information: 'r/' },
  force_shutdown: { enable: true },
  flapping_detect: { enable: false },
};

test('a zone has what it says itself, and for the rest what is global', () => {
  expect(effective(global, { mqtt: { max_qos_allowed: 1 } })).toEqual({
    mqtt: { max_inflight: 32, max_qos_allowed: 1, response_information: 'r/' },
    force_shutdown: { enable: true },
  });
  // A root that the broker does not have is not made up.
  expect(effective({ mqtt: { max_inflight: 1 } }, undefined)).toEqual({ mqtt: { max_inflight: 1 } });
});

test('only the keys that differ are a change; an emptied text is one', () => {
  const now = effective(global, undefined);
  expect(changedKeys(now, now)).toEqual({ mqtt: {}, force_shutdown: {} });
  const typed = { ...now, mqtt: { ...now.mqtt, max_inflight: 40, response_information: '' } };
  expect(changedKeys(now, typed)).toEqual({
    mqtt: { max_inflight: 40, response_information: '' },
    force_shutdown: {},
  });
});

test('the global settings keep what somebody else has changed beside it', () => {
  const theirs = {
    ...global,
    flapping_detect: { enable: true },
    mqtt: { ...global.mqtt, upgrade_qos: true },
  };
  expect(withKeys(theirs, { mqtt: { max_inflight: 40 } })).toEqual({
    ...theirs,
    mqtt: { ...theirs.mqtt, max_inflight: 40 },
  });
});

test('a zone keeps only what differs from what is global, and what the pages do not edit', () => {
  const own = { mqtt: { max_qos_allowed: 1, max_inflight: 32 }, flapping_detect: { enable: true } };
  expect(ownWith(own, { mqtt: { response_information: '' } }, global)).toEqual({
    mqtt: { max_qos_allowed: 1, response_information: '' },
    flapping_detect: { enable: true },
  });
  expect(ownWith(own, { mqtt: { max_qos_allowed: 2 } }, global)).toEqual({
    flapping_detect: { enable: true },
  });
  expect(own.mqtt).toEqual({ max_qos_allowed: 1, max_inflight: 32 });
});

test('the name of a zone is new and of letters, digits, - and _, and that of a copy says so', () => {
  expect(nameFault('a-1_B', ['x'])).toBe(null);
  expect(nameFault('x', ['x'])).toBe('taken');
  for (const wrong of ['', 'a b', '-a', 'zone.x', '区域', 'global', 'x'.repeat(257)])
    expect(nameFault(wrong, [])).toBe('invalid');
  expect(copyName('a', ['a'])).toBe('a_duplication');
  expect(copyName('a', ['a', 'a_duplication'])).toBe('a_duplication_duplication');
});

test('priorities are rows and an object; what is no number stays a text', () => {
  const rows = rowsOfPriorities({ 'a/b': 3, c: 255 });
  expect(rows.map(({ left, right }) => [left, right])).toEqual([
    ['a/b', '3'],
    ['c', '255'],
  ]);
  expect(prioritiesOf([...rows, newRow('', '7'), newRow('d', '1e3')])).toEqual({
    'a/b': 3,
    c: 255,
    d: '1e3',
  });
  expect(prioritiesOfJson('{"t": 1}')).toEqual({ t: 1 });
  for (const wrong of ['{"t": 1', '[1]', 'null', '"disabled"']) expect(prioritiesOfJson(wrong)).toBe(wrong);
  expect(jsonOfPriorities({ t: 1 })).toBe('{\n  "t": 1\n}');
});
