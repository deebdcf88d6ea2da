import type { TermFault } from '@mqdeck/contract/acl/terms';
import type { Word } from '../../../form/form-context.ts';

/**
 * What is wrong with an ACL file, by the code of its parser: what was expected there. The braces in them are those of the
 * rules, and nothing is filled in.
 */
export const faultWords: Readonly<Record<TermFault['code'], Word>> = {
  too_long: { en: 'The text is too long', zh: '文本过长' },
  too_many: { en: 'Too many rules', zh: '规则过多' },
  too_deep: { en: 'Too many brackets within each other', zh: '括号嵌套过深' },
  unclosed_text: { en: 'The text is not closed: " is missing', zh: '字符串未结束，缺少 "' },
  unclosed_binary: { en: 'The text is not closed: >> is missing', zh: '字符串未结束，缺少 >>' },
  escape: { en: 'Nothing is known by this \\ sequence', zh: '未知的 \\ 转义' },
  reserved: {
    en: "This word is reserved: write it in single quotes, such as 'and'",
    zh: "保留字需要加单引号，例如 'and'",
  },
  unclosed: { en: 'A bracket is not closed', zh: '括号未闭合' },
  separator: { en: 'Expected a comma or the closing bracket', zh: '此处应为逗号或右括号' },
  term: {
    en: 'Expected a rule, a word, a text in double quotes or a list',
    zh: '此处应为规则、单词、双引号字符串或列表',
  },
  dot: { en: 'Expected a dot at the end of the rule', zh: '规则末尾缺少英文句点' },
  rule: {
    en: 'Expected a rule: {allow, all}. or {allow, Who, Action, [Topic]}.',
    zh: '此处应为规则：{allow, all}. 或 {allow, 对象, 动作, [主题]}.',
  },
  short_rule: {
    en: 'A rule without action and topics has all in this place: {allow, all}.',
    zh: '省略动作和主题的规则此处只能是 all：{allow, all}.',
  },
  permission: { en: 'Expected allow or deny', zh: '此处应为 allow 或 deny' },
  who: {
    en: "Expected who: all, {username, …}, {clientid, …}, {ipaddr, …}, {ipaddrs, […]}, {client_attr, …, …}, {listener, …}, {zone, …}, {'and', […]} or {'or', […]}",
    zh: "此处应为对象：all、{username, …}、{clientid, …}、{ipaddr, …}、{ipaddrs, […]}、{client_attr, …, …}、{listener, …}、{zone, …}、{'and', […]} 或 {'or', […]}",
  },
  client_attr: {
    en: 'Expected a name and a value: {client_attr, "name", "value"}',
    zh: '此处应为名称和值：{client_attr, "名称", "值"}',
  },
  text: { en: 'Expected a text in double quotes', zh: '此处应为双引号字符串' },
  address: {
    en: 'Expected an address such as "10.0.0.1", or a network such as "10.0.0.0/8"',
    zh: '此处应为地址（如 "10.0.0.1"）或网段（如 "10.0.0.0/8"）',
  },
  list: { en: 'Expected a list in square brackets', zh: '此处应为方括号列表' },
  empty_list: { en: 'Expected at least one item in the brackets', zh: '列表不能为空' },
  action: {
    en: 'Expected an action: publish, subscribe or all, or with conditions {publish, [{qos, 1}, {retain, false}]}',
    zh: '此处应为动作：publish、subscribe 或 all，可带条件，如 {publish, [{qos, 1}, {retain, false}]}',
  },
  condition: {
    en: 'Expected {qos, 0|1|2}, or of publishing {retain, true|false}',
    zh: '此处应为 {qos, 0|1|2}，发布时也可为 {retain, true|false}',
  },
  qos: { en: 'Expected a QoS: 0, 1 or 2', zh: '此处应为 QoS：0、1 或 2' },
  retain: { en: 'Expected true, false or all', zh: '此处应为 true、false 或 all' },
  placeholder: {
    en: 'There is no such placeholder: use ${username}, ${clientid} or ${client_attrs.NAME}',
    zh: '没有这个占位符，可用 ${username}、${clientid} 或 ${client_attrs.NAME}',
  },
  pattern: { en: 'This is not a regular expression', zh: '不是有效的正则表达式' },
};
