import { defineWords } from '../i18n/words.ts';

export const words = defineWords({
  keys: {
    en: 'Tab leaves the editor, Escape closes suggestions, Ctrl and Space opens them.',
    zh: '按 Tab 离开编辑器，按 Esc 关闭建议，按 Ctrl + 空格打开建议。',
  },
  keysReadOnly: { en: 'Read only.', zh: '只读。' },
  copy: { en: 'Copy {name}', zh: '复制{name}' },
  completions: { en: 'Suggestions', zh: '建议' },
  controlCharacter: { en: 'Control character', zh: '控制字符' },
  loading: { en: 'Loading the editor', zh: '正在加载编辑器' },
  problems: { en: 'Problems in {name}', zh: '{name}中的问题' },
  none: { en: 'No problems in {name}', zh: '{name}没有问题' },
  count: { en: '{count} {count|problem|problems}', zh: '{count} 个问题' },
  line: { en: 'Line {line}', zh: '第 {line} 行' },
  error: { en: 'Error', zh: '错误' },
  warning: { en: 'Warning', zh: '警告' },
  more: { en: '{count} more below', zh: '另有 {count} 个问题' },
  fixFirst: { en: 'Line {line}: {text}', zh: '第 {line} 行：{text}' },
  json: { en: 'This is not JSON from here on', zh: '此处起不是合法的 JSON' },
  jsonEnd: { en: 'The JSON ends too early', zh: 'JSON 不完整' },
  jsonObject: { en: 'Enter a JSON object in braces', zh: '请输入花括号括起来的 JSON 对象' },
});
