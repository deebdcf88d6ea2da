import { defineWords } from '../../../i18n/words.ts';

export const readingWords = defineWords({
  title: { en: 'What it means', zh: '规则含义' },
  order: {
    en: 'Read from top to bottom; the first that fits decides. When none fits, the next source is asked.',
    zh: '自上而下匹配，第一条匹配的规则决定结果；都不匹配时由下一个数据源处理。',
  },
  faulty: {
    en: 'As far as the text can be read. It cannot be saved before its problems are solved.',
    zh: '仅显示可以识别的部分，修正问题后才能保存。',
  },
  none: { en: 'There is no rule yet: the next source decides.', zh: '还没有规则，由下一个数据源处理。' },
  line: { en: 'Line {line}', zh: '第 {line} 行' },
  more: { en: '{count} more', zh: '另有 {count} 条' },
});
