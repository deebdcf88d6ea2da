import { defineWords } from '../../i18n/words.ts';

export const exampleWords = defineWords({
  input: { en: 'Comes in', zh: '输入' },
  output: { en: 'Comes out', zh: '输出' },
  copy: { en: 'Copy the SQL of “{name}”', zh: '复制“{name}”的 SQL' },
  sqlOf: { en: 'SQL: {name}', zh: 'SQL：{name}' },
});
