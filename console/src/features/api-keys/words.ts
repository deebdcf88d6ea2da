import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'API keys', zh: 'API 密钥' },
  purpose: { en: 'Keys for programs that call the REST API.', zh: '供程序调用 REST API 的密钥。' },
  found: { en: '{count} {count|key|keys}', zh: '{count} 个密钥' },
  empty: {
    en: 'There are no API keys. A program that calls the REST API needs one.',
    zh: '还没有 API 密钥。程序调用 REST API 时需要密钥。',
  },

  name: { en: 'Name', zh: '名称' },
  api_key: { en: 'API key', zh: 'API 密钥' },
  secret: { en: 'Secret', zh: 'Secret' },
  state: { en: 'State', zh: '状态' },
  expired_at: { en: 'Expires', zh: '到期时间' },
  enable: { en: 'Enabled', zh: '启用' },
  desc: { en: 'Note', zh: '备注' },
  created_at: { en: 'Created', zh: '创建时间' },
  never: { en: 'never', zh: '永不过期' },

  expired: { en: 'Expired', zh: '已过期' },
  soon: { en: 'Expires soon', zh: '即将过期' },
  enabledState: { en: 'Enabled', zh: '已启用' },
  disabledState: { en: 'Disabled', zh: '已禁用' },

  create: { en: 'Create API key', zh: '创建 API 密钥' },
  created: { en: 'The API key {name} is created', zh: '已创建 API 密钥 {name}' },
  view: { en: 'View', zh: '查看' },
  edit: { en: 'Edit', zh: '编辑' },
  editOf: { en: 'Edit the API key {name}', zh: '编辑 API 密钥 {name}' },
  saved: { en: 'The API key {name} is saved', zh: '已保存 API 密钥 {name}' },
  'name.hint': {
    en: 'Begins with a letter; letters, digits, _ and -. It cannot be changed later.',
    zh: '以字母开头，可包含字母、数字、_ 和 -，创建后不可修改。',
  },
  nameRule: {
    en: 'A name begins with a letter and has only letters, digits, _ and -, at most {max}',
    zh: '名称须以字母开头，只能包含字母、数字、_ 和 -，最多 {max} 个字符',
  },
  nameTaken: { en: 'An API key of this name exists already', zh: '该名称的 API 密钥已存在' },

  expires: { en: 'Expires', zh: '到期时间' },
  moment: { en: 'Expiry time', zh: '到期时刻' },
  week: { en: 'in 7 days', zh: '7 天后' },
  month: { en: 'in 30 days', zh: '30 天后' },
  year: { en: 'in 1 year', zh: '1 年后' },
  momentChoice: { en: 'at a time…', zh: '指定时间…' },
  neverChoice: { en: 'never', zh: '永不过期' },
  expiresAt: { en: 'Expires {when}', zh: '{when} 到期' },
  expireTime: { en: 'Please enter the expire time', zh: '请输入到期时间' },
  tooEarly: { en: 'Expiry time cannot be earlier than now', zh: '到期时间不能早于当前时间' },

  switchOf: { en: 'Enable {name}', zh: '启用 {name}' },
  disableAsk: { en: 'Disable the API key {name}?', zh: '禁用 API 密钥 {name}？' },
  disableText: {
    en: 'Every program that uses the key {key} is refused from now on, until the key is enabled again.',
    zh: '使用密钥 {key} 的程序将立即被拒绝，直到重新启用。',
  },
  disableTextOf: {
    en: 'Every program that uses the key {key} ({note}) is refused from now on, until the key is enabled again.',
    zh: '使用密钥 {key}（{note}）的程序将立即被拒绝，直到重新启用。',
  },
  disable: { en: 'Disable', zh: '禁用' },
  enabled: { en: 'The API key {name} is enabled', zh: '已启用 API 密钥 {name}' },
  disabled: { en: 'The API key {name} is disabled', zh: '已禁用 API 密钥 {name}' },

  remove: { en: 'Delete', zh: '删除' },
  removeAsk: { en: 'Delete the API key {name}?', zh: '删除 API 密钥 {name}？' },
  removeText: {
    en: 'Every program that uses it is refused at once. Its secret does not come back.',
    zh: '使用该密钥的程序将立即被拒绝，且 Secret 无法找回。',
  },
  removed: { en: 'The API key {name} is deleted', zh: '已删除 API 密钥 {name}' },

  secretTitle: { en: 'Secret of {name}', zh: '{name} 的 Secret' },
  secretOnce: {
    en: 'The secret is shown only now. The broker keeps no copy that could be read again: store it where the program finds it.',
    zh: 'Secret 仅显示这一次，之后无法再次查看。请立即妥善保存。',
  },
  tryIt: { en: 'Try it', zh: '试用命令' },
  copyOf: { en: 'Copy: {what}', zh: '复制：{what}' },
  stored: { en: 'I have stored the secret', zh: '我已保存 Secret' },
  done: { en: 'Done', zh: '完成' },
  storeFirst: { en: 'Store the secret first and say so above', zh: '请先保存 Secret 并勾选确认' },

  close: { en: 'Close', zh: '关闭' },
  secretGone: {
    en: 'The secret was shown when the key was created. Whoever lost it creates another key.',
    zh: 'Secret 仅在创建时显示。如已遗失，请创建新的密钥。',
  },
  gone: { en: 'There is no API key {name} any more.', zh: 'API 密钥 {name} 已不存在。' },
});
