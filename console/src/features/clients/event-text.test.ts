import { CLIENT_EVENT_TYPES, type ClientEvent } from '@mqdeck/contract/client-events';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { expect, test } from 'vitest';
import { actorText, contestOf, denierOf, factsOf, kindOf, sentenceOf, toneOf } from './event-text.ts';
import { words } from './timeline-words.ts';

/** The words of one language, as screens get them. */
const spoken = (language: 'en' | 'zh') =>
  Object.fromEntries(
    Object.entries(words).map(([name, word]) => {
      const text = (word as { en: string; zh: string })[language];
      const fill = (values: Record<string, unknown>) =>
        text.replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
      return [name, text.includes('{') ? fill : text];
    }),
  ) as unknown as Parameters<typeof sentenceOf>[0];
const en = spoken('en');
const event = (type: string, more: Partial<ClientEvent> = {}): ClientEvent => ({
  id: 1,
  type,
  at: '2026-01-01T00:00:00Z',
  ...more,
});
const by = {
  from: 'rest_api',
  source: 'key-1',
  source_ip: '10.0.0.9',
  operation: 'DELETE /clients/:clientid',
};

test('every kind of event has a sentence in both languages and belongs to a filter', () => {
  for (const type of CLIENT_EVENT_TYPES) {
    const one = event(type, {
      reason: 'normal',
      reason_code: 0x8a,
      topic: 't',
      filters: ['f'],
      ip_address: '1.2.3.4',
    });
    expect(sentenceOf(en, one), type).not.toContain('undefined');
    expect(sentenceOf(en, one), type).not.toBe(type);
    expect(sentenceOf(spoken('zh'), one), type).toMatch(/\p{Script=Han}/u);
    expect(kindOf(one), type).not.toBe('all');
  }
  // What a newer broker tells
  expect(sentenceOf(en, event('born'))).toBe('born');
  expect(kindOf(event('born'))).toBe('all');
});

test('why a connection ended is spelled out; an unknown reason is told as the broker writes it', () => {
  const ended = (reason: string) => sentenceOf(en, event('disconnected', { reason }));
  expect(ended('keepalive_timeout')).toContain('nothing was heard of it');
  expect(ended('takenover')).toContain('same client ID');
  expect(ended('something_else')).toBe('Disconnected: something_else');
});

test('the device of a gateway arrives in its own protocol', () => {
  const facts = (more: Partial<ClientEvent>) => factsOf(en, event('connected', more), String);
  expect(facts({ proto_ver: 5 })).toContain('MQTT 5.0');
  expect(facts({ proto_name: 'STOMP', proto_ver: '1.2' })).toContain('STOMP 1.2');
  expect(facts({ proto_name: 'LwM2M', proto_ver: '1.0' })).toContain('LwM2M 1.0');
});

test('the codes with which a CONNECT is refused have words, others their number', () => {
  const refused = (reason_code: number) => sentenceOf(en, event('refused', { reason_code }));
  expect(refused(ReasonCode.BadUserNameOrPassword)).toBe('Not let in: bad username or password');
  expect(refused(ReasonCode.Banned)).toBe('Not let in: it is banned');
  expect(refused(0xfe)).toBe('Not let in: reason code 0xfe');
});

test('who did it is named: a key, a user, or nobody but the broker', () => {
  const kicked = (more: Partial<ClientEvent>) => event('disconnected', { reason: 'kicked', ...more });
  expect(actorText(en, kicked({ by }))).toBe('with the API key key-1, from 10.0.0.9');
  expect(actorText(en, kicked({ by: { ...by, from: 'dashboard', source: 'admin' } }))).toContain('by admin');
  expect(actorText(en, kicked({}))).toContain('the broker itself');
  expect(actorText(en, event('disconnected', { reason: 'normal' }))).toBeNull();
  expect(sentenceOf(en, kicked({ by: { ...by, operation: 'POST /banned' } }))).toBe(
    'Disconnected: it was banned',
  );
});

test('who denied it is named, and leads to where that is set', () => {
  const denied = (denied_by: string) =>
    denierOf(en, event('denied', { action: 'publish', topic: 't', denied_by }));
  expect(denied('file')).toEqual({ text: 'denied by the ACL file', to: '/authorization/detail/file' });
  expect(denied('mysql')).toEqual({ text: 'denied by MySQL', to: '/authorization/detail/mysql' });
  expect(denied('no_match')).toEqual({ text: expect.stringContaining('no rule fits'), to: '/authorization' });
  expect(denied('exhook')?.to).toBe('/exhook');
  expect(denied('plugin guard')).toEqual({ text: 'denied by the plugin guard', to: '/plugins' });
  expect(denied('client_info')?.to).toBeNull();
  expect(denied('x\u202ey')?.text).not.toContain('\u202e');
  for (const by of [
    'file',
    'built_in_database',
    'client_info',
    'no_match',
    'undecided',
    'exhook',
    'hook',
    'plugin p',
  ])
    expect(denierOf(spoken('zh'), event('denied', { denied_by: by }))?.text, by).toMatch(/\p{Script=Han}/u);
  // A broker that does not say
  expect(denierOf(en, event('denied'))).toBeNull();
  expect(denierOf(en, event('refused', { reason_code: ReasonCode.Banned }))?.to).toBe('/blacklist');
  expect(denierOf(en, event('refused', { reason_code: ReasonCode.BadUserNameOrPassword }))).toBeNull();
});

test('what nobody could read in a text of others is made visible', () => {
  const one = event('refused', { reason_code: 0x87, why: 'a\u202eb', username: 'u\u0000' });
  const told = factsOf(en, one, String).join();
  for (const hidden of ['\u202e', '\u0000']) expect(told).not.toContain(hidden);
  expect(sentenceOf(en, event('denied', { action: 'publish', topic: 'x\u202ey' }))).not.toContain('\u202e');
});

test('only what is wrong stands out', () => {
  expect(toneOf(event('disconnected', { reason: 'normal' }))).toBe('off');
  expect(toneOf(event('disconnected', { reason: 'kicked' }))).toBe('warn');
  expect(toneOf(event('refused'))).toBe('bad');
  expect(toneOf(event('connected'))).toBe('good');
});

test('an ID that is taken over again and again is fought for; once, or long ago, is nothing', () => {
  const now = Date.parse('2026-01-01T00:30:00Z');
  const taken = (at: string) =>
    event('disconnected', { reason: 'takenover', at, taken_over_by: '10.0.0.2:5' });
  const [latest, before, old] = ['00:29:00', '00:25:00', '00:10:00'].map((at) => taken(`2026-01-01T${at}Z`));
  expect(contestOf([latest!, before!, old!], now)).toEqual({ times: 2, last: latest });
  expect(contestOf([latest!, old!], now)).toBeNull();
  expect(contestOf([event('disconnected', { ...before, reason: 'kicked' }), latest!], now)).toBeNull();
});
