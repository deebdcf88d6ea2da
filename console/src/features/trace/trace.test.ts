import { describe, expect, test } from 'vitest';
import { tellingFacts, toneOf, wayOf } from './message-way.ts';
import { askedFor, isAddress, localTime, momentOf, nameAt } from './new-trace.ts';
import { EMPTY_BUFFER, readingOf, SHOWN_CHARS_MAX, skippedTo, withPiece } from './trace-buffer.ts';
import { parseLine } from './trace-line.ts';

const at = (ms: number) => `2026-11-21T10:00:00.${String(ms).padStart(3, '0')}+00:00`;

describe('a line', () => {
  test('of text is read back as it was written', () => {
    const line = parseLine(
      `${at(1)} [PUBLISH] "a b"@::1:7 msg: publish_received, message_id: ID1, topic: "t, x: y", payload: "\\"q\\"\\n", result: {"a":{"b":"}"}}, username: u`,
    );
    expect(line).toMatchObject({ time: at(1), tag: 'PUBLISH', msg: 'publish_received', clientid: 'a b' });
    expect(line.messageId).toBe('ID1');
    expect(line.facts).toEqual({
      topic: 't, x: y',
      payload: '"q"\n',
      result: { a: { b: '}' } },
      username: 'u',
    });
  });

  test('about nobody, or of JSON, is read too', () => {
    expect(parseLine(`${at(0)} [TRACE] msg: trace_started, type: topic`)).toMatchObject({
      clientid: null,
      msg: 'trace_started',
      facts: { type: 'topic' },
    });
    const json = JSON.stringify({
      time: at(2),
      tag: 'DELIVER',
      msg: 'dropped',
      clientid: 'x',
      message_id: 'ID',
      reason: 'queue_full',
    });
    expect(parseLine(json)).toMatchObject({
      tag: 'DELIVER',
      clientid: 'x',
      messageId: 'ID',
      facts: { reason: 'queue_full' },
    });
  });

  test('of another broker shows what it is', () => {
    const foreign =
      '2026-11-21T02:36:54.9+00:00 [MQTT] tr-c@127.0.0.1:57634 msg: mqtt_packet_received, packet: CONNECT(Q0, R0, ClientId=tr-c), username: tru';
    expect(parseLine(foreign)).toMatchObject({
      msg: 'mqtt_packet_received',
      clientid: 'tr-c',
      messageId: null,
    });
    for (const text of ['', 'no line', '{broken', '{"msg":1}', '[1]'])
      expect(parseLine(text)).toMatchObject({ text, msg: '', messageId: null });
  });
});

describe('what was read', () => {
  const textOf = ({ lines }: { lines: readonly { text: string }[] }) => lines.map(({ text }) => text);

  test('comes in pieces that end anywhere', () => {
    let buffer = withPiece(EMPTY_BUFFER, 'n', 'one\ntw', 6);
    expect(textOf(buffer)).toEqual(['one']);
    buffer = withPiece(buffer, 'n', 'o\nthree\n', 14);
    expect(textOf(buffer)).toEqual(['one', 'two', 'three']);
    expect(readingOf(buffer, 'n').position).toBe(14);
  });

  test('of several nodes stands in the order of time', () => {
    let buffer = withPiece(EMPTY_BUFFER, 'a', `${at(1)} a1\n${at(5)} a5\n`, 1);
    buffer = withPiece(buffer, 'b', `${at(3)} b3\n${at(7)} b7\n`, 1);
    buffer = withPiece(buffer, 'a', `${at(6)} a6\n`, 2);
    expect(buffer.lines.map(({ text, node }) => `${node}${text.slice(-1)}`)).toEqual([
      'a1',
      'b3',
      'a5',
      'a6',
      'b7',
    ]);
  });

  test('is no more than can be shown: the end of it', () => {
    let buffer = skippedTo(EMPTY_BUFFER, 'n', 100);
    expect(buffer.cut).toBe(true);
    buffer = withPiece(buffer, 'n', 'rest of a line\nwhole\n', 120);
    expect(textOf(buffer)).toEqual(['whole']);
    const long = 'x'.repeat(1024 * 1024 - 1);
    for (let i = 0; i < 6; i++) buffer = withPiece(buffer, 'n', `${long}\n`, 0);
    expect(buffer.chars).toBeLessThanOrEqual(SHOWN_CHARS_MAX);
    expect(buffer.lines).toHaveLength(5);
    expect(new Set(buffer.lines.map(({ number }) => number)).size).toBe(5);
  });
});

test('the way of a message has its lines only, with what went wrong marked', () => {
  const lines = [
    `${at(0)} [PUBLISH] p@1.1.1.1:1 msg: publish_received, message_id: A, topic: t, qos: 1, retain: false, payload: x`,
    `${at(1)} [PUBLISH] p@1.1.1.1:1 msg: publish_received, message_id: B, topic: t, payload: A`,
    `${at(2)} [RULE] p@1.1.1.1:1 msg: action_done, message_id: A, rule: r, outcome: failed.unknown`,
    `${at(9)} [DELIVER] s@1.1.1.1:2 msg: dropped, message_id: A, topic: t, reason: queue_full`,
  ].map((text, i) => ({ text, number: i + 1, node: 'n' }));
  const way = wayOf(lines, 'A');
  expect(way.map(({ number, tone, afterMs }) => [number, tone, afterMs])).toEqual([
    [1, 'plain', 0],
    [3, 'bad', 2],
    [4, 'bad', 9],
  ]);
  expect(tellingFacts(way[2]!.line)).toEqual([['reason', 'queue_full']]);
  expect(toneOf(parseLine(`${at(0)} [AUTHZ] p@1.1.1.1:1 msg: denied, topic: t`))).toBe('bad');
});

test('a line that tells of a message that is lost or refused stands out as bad', () => {
  const tone = (msg: string, facts = '') => toneOf(parseLine(`${at(0)} [X] p@1.1.1.1:1 msg: ${msg}${facts}`));
  expect(tone('publish_stopped', ', topic: t, reason_code: 135, reason: "no"')).toBe('bad');
  expect(tone('publish_stopped', ', topic: t')).toBe('bad');
  expect(tone('publish_stopped', ', topic: t, reason_code: 0, reason: ""')).toBe('warn'); // a delay holds it
  for (const msg of [
    'denied',
    'dropped',
    'subscription_refused',
    'authentication_failed',
    'rule_failed',
    'action_failed',
    'action_expired',
  ])
    expect(tone(msg), msg).toBe('bad');
  expect(tone('connack_sent', ', reason_code: 135')).toBe('bad');
  expect(tone('delivered')).toBe('good');
});

test('a link may say what to trace', () => {
  expect(askedFor('clientid:a:b')).toEqual({ type: 'clientid', condition: 'a:b' });
  expect(askedFor('ruleid:r1')).toEqual({ type: 'ruleid', condition: 'r1' });
  for (const wrong of ['', 'x', 'color:red'])
    expect(askedFor(wrong)).toEqual({ type: 'clientid', condition: '' });
});

test('moments go to the field and back, and make a name', () => {
  const now = new Date(2026, 10, 21, 9, 5, 7).getTime();
  expect(localTime(now)).toBe('2026-11-21T09:05:07');
  expect(Date.parse(momentOf(localTime(now))!)).toBe(now);
  expect(momentOf('')).toBeUndefined();
  expect(momentOf('soon')).toBeUndefined();
  expect(nameAt(now)).toBe('trace_20261121_090507');
});

test('addresses', () => {
  expect(['127.0.0.1', '::1', 'fe80::1', '::ffff:10.0.0.1'].every(isAddress)).toBe(true);
  expect(['300.1.1.1', '1.2.3', 'host', '', '::g', '1.2.3.4:80'].some(isAddress)).toBe(false);
});
