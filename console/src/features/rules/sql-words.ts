import { defineWords } from '../../i18n/words.ts';

/** What the editor says of a statement. */
export const sqlWords = defineWords({
  unknownFunction: {
    en: 'There is no function {name}; the rule would fail on each message',
    zh: '函数 {name} 不存在，规则处理每条消息时都会失败',
  },
  argumentCount: {
    en: '{name} takes {allowed} {allowed|argument|arguments}, not {given}',
    zh: '{name} 需要 {allowed} 个参数，而不是 {given} 个',
  },
  illegal: {
    en: 'A sign that cannot stand here, or an open quote: {sign}',
    zh: '此处不能使用该符号，或引号未闭合：{sign}',
  },
  unexpected: { en: 'This cannot stand here: {token}', zh: '此处语法错误：{token}' },
  endsEarly: { en: 'The statement ends too early', zh: '语句不完整' },
  unknownEvent: {
    en: 'There is no event {event}; nothing comes from it',
    zh: '事件 {event} 不存在，不会触发',
  },
  badFilter: {
    en: '{filter} is not a topic filter; no message matches it',
    zh: '{filter} 不是有效的主题过滤器，不会匹配任何消息',
  },
  unknownColumn: {
    en: 'The source has no column {name}; it will be the text “undefined”',
    zh: '数据源中没有字段 {name}，其值将为文本“undefined”',
  },
  fixFirst: { en: 'Line {line}: {text}', zh: '第 {line} 行：{text}' },
  keyword: { en: 'keyword', zh: '关键字' },
  column: { en: 'column', zh: '字段' },
  alias: { en: 'named above', zh: '别名' },
  event: { en: 'event', zh: '事件' },
  bridge: { en: 'data bridge', zh: '数据桥接' },
  topicFilter: { en: 'messages of a topic filter', zh: '主题过滤器的消息' },
});
