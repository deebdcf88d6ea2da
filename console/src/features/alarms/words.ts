import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  current: { en: 'Current alarms', zh: '当前告警' },
  history: { en: 'Alarm history', zh: '历史告警' },
  currentPurpose: { en: 'What is wrong now.', zh: '当前存在的问题。' },
  historyPurpose: { en: 'What was wrong and is over.', zh: '曾经出现、现已解除的问题。' },
  found: { en: '{count} {count|alarm|alarms}', zh: '{count} 条告警' },
  emptyCurrent: {
    en: 'Nothing is wrong. An alarm appears here as soon as the broker raises it.',
    zh: '一切正常。Broker 触发的告警会立即显示在这里。',
  },
  emptyHistory: {
    en: 'No alarm is over yet. Alarms stay here for a while after they are cleared.',
    zh: '还没有已解除的告警。告警解除后会在这里保留一段时间。',
  },
  name: { en: 'Alarm', zh: '告警名称' },
  message: { en: 'Message', zh: '告警内容' },
  asTold: { en: 'The broker says: {text}', zh: 'Broker 原文：{text}' },
  details: { en: 'Details', zh: '详情' },
  level: { en: 'Level', zh: '级别' },
  system: { en: 'system', zh: '系统' },
  node: { en: 'Node', zh: '节点' },
  activate_at: { en: 'Activated', zh: '触发时间' },
  deactivate_at: { en: 'Cleared', zh: '解除时间' },
  duration: { en: 'Duration', zh: '持续时间' },
  settings: { en: 'Alarm settings', zh: '告警设置' },
  look: { en: 'See what it is about', zh: '查看相关对象' },
  end: { en: 'End by hand', zh: '手动解除' },
  endAsk: { en: 'End the alarm {name}?', zh: '确定解除告警 {name}？' },
  endText: {
    en: 'It goes to the history. If its cause is still there, it comes back with the next check.',
    zh: '该告警将移入历史告警；如果原因仍然存在，下次检查时会再次触发。',
  },
  ended: { en: 'The alarm was ended', zh: '告警已解除' },
  clear: { en: 'Clear history', zh: '清空历史告警' },
  clearAsk: { en: 'Clear the alarm history?', zh: '确定清空历史告警？' },
  clearText: {
    en: 'The list of past alarms is deleted on all nodes. Alarms that are active stay.',
    zh: '所有节点上的历史告警都将被删除，当前告警会保留。',
  },
  cleared: { en: 'Alarm history cleared', zh: '历史告警已清空' },
  nothingToClear: { en: 'There is nothing to clear.', zh: '没有可清空的历史告警。' },
});
