import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Retained messages', zh: '保留消息' },
  found: { en: '{count} {count|message|messages}', zh: '{count} 条消息' },
  topic: { en: 'Topic', zh: '主题' },
  qos: { en: 'QoS', zh: 'QoS' },
  from_clientid: { en: 'From client', zh: '来自客户端' },
  from_username: { en: 'From username', zh: '来自用户名' },
  publish_at: { en: 'Published at', zh: '发布时间' },
  msgid: { en: 'Message ID', zh: '消息 ID' },
  filter: { en: 'Topic filter', zh: '主题过滤器' },
  empty: {
    en: 'No message is retained. One is kept here when a client publishes with the retain flag.',
    zh: '没有保留消息。客户端发布带保留标志的消息后会显示在这里。',
  },
  off: {
    en: 'The retainer is off: nothing new is kept, and subscribers get none of these messages.',
    zh: '保留消息功能已关闭：不再保留新消息，订阅者也不会收到以下消息。',
  },
  toSettings: { en: 'Open the settings', zh: '打开设置' },
  settings: { en: 'Settings', zh: '设置' },
  filterInvalid: {
    en: 'Not a valid topic filter: + fills a whole level, # stands alone at the end.',
    zh: '主题过滤器无效：+ 须独占一级，# 须独占最后一级。',
  },
  filterIgnored: {
    en: 'This broker does not filter retained messages by topic; all of them are shown.',
    zh: '此 Broker 不支持按主题筛选保留消息，以下为全部消息。',
  },
  show: { en: 'Show payload', zh: '查看 Payload' },
  copyTopic: { en: 'Copy topic', zh: '复制主题' },
  copied: { en: 'Copied', zh: '已复制' },
  copyFailed: { en: 'The browser refused to copy', zh: '浏览器拒绝了复制' },
  notByPath: {
    en: 'No address of the API can name this topic.',
    zh: 'API 地址无法表示该主题。',
  },
  remove: { en: 'Delete', zh: '删除' },
  removeAsk: { en: 'Delete the retained message of {topic}?', zh: '确定删除 {topic} 的保留消息？' },
  removeText: {
    en: 'New subscribers no longer get it. Those who already have it are not told.',
    zh: '新的订阅者将不再收到该消息，已收到的订阅者不会得到通知。',
  },
  removed: { en: 'Retained message of {topic} deleted', zh: '已删除 {topic} 的保留消息' },
  goneAlready: { en: 'This message is no longer there', zh: '该消息已不存在' },
  removeMany: {
    en: 'Delete {count} retained {count|message|messages}? New subscribers no longer get them.',
    zh: '确定删除 {count} 条保留消息？新的订阅者将不再收到这些消息。',
  },
  removedMany: {
    en: '{count} retained {count|message|messages} deleted',
    zh: '已删除 {count} 条保留消息',
  },
  clear: { en: 'Clear all messages', zh: '清空保留消息' },
  clearAsk: { en: 'Clear all retained messages?', zh: '确定清空保留消息？' },
  clearText: {
    en: '{count} retained {count|message|messages} will be deleted on all nodes, whatever the list shows now. This cannot be undone.',
    zh: '将删除所有节点上的 {count} 条保留消息，与当前列表的筛选无关。此操作无法撤销。',
  },
  clearTextUncounted: {
    en: 'Every retained message will be deleted on all nodes. This broker does not say how many there are. This cannot be undone.',
    zh: '将删除所有节点上的全部保留消息，此 Broker 不提供消息数量。此操作无法撤销。',
  },
  clearCount: { en: 'Type {count} to confirm', zh: '输入 {count} 以确认' },
  clearWord: { en: 'all', zh: '全部' },
  cleared: { en: 'All retained messages cleared', zh: '已清空保留消息' },
  nothingToClear: { en: 'There is nothing to clear.', zh: '没有可清空的保留消息。' },
  clearUnavailable: {
    en: 'This broker cannot clear all at once. Select the messages and delete them.',
    zh: '此 Broker 不支持一次清空，请选择消息后删除。',
  },
  removeBranch: { en: 'Delete by topic filter', zh: '按主题过滤器删除' },
  removeBranchOf: { en: 'Delete its branch…', zh: '删除所在分支…' },
  branchHint: {
    en: 'a/b/# is everything below a/b, and a/b itself.',
    zh: 'a/b/# 表示 a/b 及其下的全部主题。',
  },
  branchText: {
    en: '{count} retained {count|message|messages} will be deleted on all nodes. This cannot be undone.',
    zh: '将删除所有节点上的 {count} 条保留消息，此操作无法撤销。',
  },
  branchTextUncounted: {
    en: 'All retained messages that match will be deleted on all nodes; this broker does not say how many. This cannot be undone. Among them:',
    zh: '将删除所有节点上匹配的全部保留消息，此 Broker 不提供消息数量。此操作无法撤销。其中包括：',
  },
  more: { en: 'and {count} more', zh: '另有 {count} 条' },
  removeCount: { en: 'Delete {count} {count|message|messages}', zh: '删除 {count} 条消息' },
  nothingMatches: { en: 'No retained message matches.', zh: '没有匹配的保留消息。' },
  branchRemoved: { en: 'The matching retained messages were deleted', zh: '已删除匹配的保留消息' },
  clearingAll: { en: 'Clearing all retained messages', zh: '正在清空保留消息' },
  clearingBranch: { en: 'Deleting the retained messages of {topic}', zh: '正在删除 {topic} 的保留消息' },
  clearingCount: { en: '{removed} of {total}', zh: '{removed} / {total}' },
  clearingAlready: {
    en: 'Retained messages are being deleted already. Wait until that is done, or stop it.',
    zh: '已有删除操作正在进行，请等待其完成或先停止。',
  },
  clearStopped: {
    en: 'Stopped: {count} retained {count|message|messages} had been deleted',
    zh: '已停止，停止前删除了 {count} 条保留消息',
  },
  clearFailed: {
    en: 'Not all retained messages could be deleted. The log of the broker says why.',
    zh: '部分保留消息未能删除，原因见 Broker 日志。',
  },
  stop: { en: 'Stop', zh: '停止' },
  cancel: { en: 'Cancel', zh: '取消' },
  close: { en: 'Close', zh: '关闭' },
});
