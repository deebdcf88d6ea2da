import { defineWords } from '../../i18n/words.ts';

export const zoneWords = defineWords({
  zones: { en: 'Zones', zh: '区域' },
  global: { en: 'Global', zh: '全局' },
  globalText: {
    en: 'Holds for the clients of every listener, as far as the zone of the listener says nothing else.',
    zh: '适用于所有监听器的客户端，监听器所属区域的设置优先。',
  },
  zoneText: {
    en: 'Holds for the clients of the listeners in this zone. Only what differs from the global settings is kept: the rest follows them.',
    zh: '适用于使用此区域的监听器的客户端。只存储与全局设置不同的项，其余项随全局设置变化。',
  },
  toListeners: { en: 'Listeners', zh: '监听器' },
  inherited: { en: 'Inherited from global', zh: '继承自全局' },
  own: { en: 'Own value', zh: '自有值' },
  reset: { en: 'Reset to inherited: {value}', zh: '恢复继承：{value}' },
  gone: { en: 'There is no zone {name} any more.', zh: '区域 {name} 已不存在。' },
  listFailed: {
    en: 'The zones could not be loaded: {reason}',
    zh: '区域加载失败：{reason}',
  },
  retry: { en: 'Try again', zh: '重试' },

  newZone: { en: 'New zone', zh: '新建区域' },
  duplicate: { en: 'Duplicate', zh: '复制' },
  name: { en: 'Zone name', zh: '区域名称' },
  'name.hint': {
    en: 'Letters, digits, - and _; begins with a letter or a digit. Listeners name it in their settings; one called default holds for those that name none.',
    zh: '可使用字母、数字、- 与 _，以字母或数字开头。监听器在其设置中使用该名称；名为 default 的区域适用于未指定区域的监听器。',
  },
  from: { en: 'Duplicate from', zh: '复制自' },
  'from.hint': {
    en: 'The new zone begins with the own values of that one. Global: it begins with none.',
    zh: '新区域以所选区域的自有值开始。全局：开始时没有自有值。',
  },
  nameTaken: { en: 'Zone name already exists', zh: '区域名称已存在' },
  nameInvalid: { en: 'Invalid zone name', zh: '区域名称无效' },
  create: { en: 'Create', zh: '创建' },
  created: { en: 'Zone {name} created', zh: '已创建区域 {name}' },
  close: { en: 'Close', zh: '关闭' },

  remove: { en: 'Delete', zh: '删除' },
  removeAsk: { en: 'Delete the zone {name}?', zh: '确定删除区域 {name}？' },
  removeUsed: {
    en: '{listeners} {listeners|listener uses|listeners use} it ({ids}), with {connections} {connections|connection|connections}. What is global then holds for them. This cannot be undone.',
    zh: '{listeners} 个监听器（{ids}）正在使用此区域，共 {connections} 个连接，删除后将使用全局设置。此操作无法撤销。',
  },
  removeUnused: {
    en: 'No listener uses it. This cannot be undone.',
    zh: '没有监听器使用此区域。此操作无法撤销。',
  },
  removeUnknown: {
    en: 'Which listeners use it could not be found out. What is global then holds for their clients. This cannot be undone.',
    zh: '无法获知哪些监听器正在使用此区域，删除后其客户端将使用全局设置。此操作无法撤销。',
  },
  removed: { en: 'Zone {name} deleted', zh: '已删除区域 {name}' },
});
