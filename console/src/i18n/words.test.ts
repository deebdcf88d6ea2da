import { expect, test } from 'vitest';
import { defineWords, wordsIn } from './words.ts';

const words = defineWords({
  plain: { en: 'Users', zh: '用户' },
  named: { en: '{name} is required', zh: '请输入 {name}' },
  counted: { en: 'Kick out {count} {count|client|clients}?', zh: '踢除 {count} 个客户端？' },
});

test('a text without placeholders is a text', () => {
  expect(wordsIn(words, 'en').plain).toBe('Users');
  expect(wordsIn(words, 'zh').plain).toBe('用户');
});

test('placeholders are filled in, whatever the value contains', () => {
  expect(wordsIn(words, 'en').named({ name: '$& {count} <b>' })).toBe('$& {count} <b> is required');
});

test.each([
  [0, 'Kick out 0 clients?'],
  [1, 'Kick out 1 client?'],
  [1204, 'Kick out 1,204 clients?'],
])('the number %i chooses its word', (count, text) => {
  expect(wordsIn(words, 'en').counted({ count })).toBe(text);
});

test('Chinese stands apart from a Latin name that is filled in, and not from a Chinese one', () => {
  const w = wordsIn(
    defineWords({
      required: { en: '{name} is required', zh: '请输入{name}' },
      unit: { en: 'Unit of {name}', zh: '{name}的单位' },
      quoted: { en: 'Delete {name}?', zh: '删除“{name}”？' },
    }),
    'zh',
  );
  expect(w.required({ name: 'URL' })).toBe('请输入 URL');
  expect(w.required({ name: '端口' })).toBe('请输入端口');
  expect(w.unit({ name: '最大 QoS' })).toBe('最大 QoS 的单位');
  expect(w.quoted({ name: 'a' })).toBe('删除“a”？');
});
