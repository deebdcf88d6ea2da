import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { expect, test } from 'vitest';
import { setLanguage } from '../../i18n/language.ts';
import { faultText, reasonText } from './fault-text.ts';

test.each(Object.entries(ReasonCode))('%s has words in both languages', (_, code) => {
  for (const language of ['en', 'zh'] as const) {
    setLanguage(language);
    const text = reasonText(code);
    expect(text).toContain(`0x${code.toString(16).toUpperCase().padStart(2, '0')}`);
    expect(text).not.toMatch(/no known meaning|含义未知/);
  }
});

test.each([
  [0x86, 'Bad username or password (0x86)'],
  [0x87, 'Not authorized (0x87)'],
  [0x8e, 'Session taken over: another connection uses the same client ID (0x8E)'],
])('%i is said as operators know it', (code, text) => {
  expect(reasonText(code)).toBe(text);
});

test('return codes of older versions mean something else than reason codes', () => {
  const refused = (version: 3 | 4 | 5, reasonCode: number) =>
    faultText({ kind: 'refused', version, reasonCode });
  expect(refused(4, 4)).toBe('The broker refused the connection. Bad username or password (4)');
  expect(refused(3, 1)).toContain('Unacceptable protocol version');
  expect(refused(5, 0x85)).toContain('Client ID not valid (0x85)');
  expect(reasonText(0x80, 4)).toBe('Refused, without a reason: MQTT 3 has none (0x80)');
});

test('what the broker says about it comes along, made visible', () => {
  const text = faultText({
    kind: 'ended',
    version: 5,
    reasonCode: 0x9d,
    reasonString: 'moved\u202e',
    serverReference: 'b.example',
  });
  expect(text).toBe(
    'The broker ended the connection. The server has moved (0x9D). The broker says: “moved\\u202e”. It points to b.example',
  );
});

test('an unknown code is shown as such', () => {
  expect(reasonText(0xee)).toBe('A reason code of no known meaning (0xEE)');
});
