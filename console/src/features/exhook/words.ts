import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Exhook', zh: '扩展钩子' },
  purpose: {
    en: 'At each event the enabled servers that want to hear of it are asked over gRPC, from top to bottom.',
    zh: '事件发生时，通过 gRPC 自上而下依次调用已启用且订阅了该事件的服务。',
  },
  found: { en: '{count} {count|server|servers}', zh: '{count} 个服务' },
  add: { en: 'Add server', zh: '添加服务' },
  emptyTitle: { en: 'There is no server yet', zh: '尚未添加服务' },
  emptyText: {
    en: 'A server of your own, in any language, can admit clients, change messages or follow what happens. It implements exhook.proto and says which hooks it wants.',
    zh: '可使用任意语言编写自己的服务，用于认证客户端、修改消息或跟踪事件。服务需实现 exhook.proto，并声明所需的钩子。',
  },
  name: { en: 'Name', zh: '名称' },
  hooks: { en: 'Hooks', zh: '钩子' },
  succeed: { en: 'Succeeded', zh: '成功' },
  failed: { en: 'Failed', zh: '失败' },
  rate: { en: 'Rate', zh: '速率' },
  enable: { en: 'Enabled', zh: '启用' },
  status: { en: 'Status', zh: '状态' },
  perSecond: { en: '{rate}/s', zh: '{rate}/秒' },
  enableOf: { en: 'Enable {name}', zh: '启用 {name}' },
  enabled: { en: '{name} is enabled', zh: '{name} 已启用' },
  disabled: { en: '{name} is disabled', zh: '{name} 已禁用' },
  settings: { en: 'Settings', zh: '设置' },
  overview: { en: 'Overview', zh: '概览' },
  tabs: { en: 'Parts of the server', zh: '服务的各部分' },
  remove: { en: 'Delete', zh: '删除' },
  removeAsk: { en: 'Delete {name}?', zh: '删除 {name}？' },
  removeText: {
    en: 'The server is not asked any more, and its settings are lost.',
    zh: '将不再调用该服务，其设置也会丢失。',
  },
  removed: { en: '{name} is deleted', zh: '{name} 已删除' },
  back: { en: 'All servers', zh: '全部服务' },
  missing: { en: 'There is no server {name}', zh: '没有服务 {name}' },
  missingText: {
    en: 'It was deleted or renamed, or the address is wrong.',
    zh: '它已被删除或改名，或地址有误。',
  },
  loadFailed: { en: 'The server could not be loaded', zh: '服务加载失败' },

  createTitle: { en: 'Add server', zh: '添加服务' },
  createPurpose: {
    en: 'It is added disabled; enable it once it runs.',
    zh: '添加后默认为禁用状态，服务运行后再启用。',
  },
  created: { en: '{name} is added, and not enabled yet', zh: '{name} 已添加，尚未启用' },
  enableNow: { en: 'Enable', zh: '启用' },

  figures: { en: 'Calls', zh: '调用统计' },
  hooksText: { en: 'Asked for by the server', zh: '服务声明的钩子数' },
  succeedText: { en: 'Calls it answered', zh: '得到响应的调用' },
  failedText: { en: 'Calls without an answer', zh: '没有响应的调用' },
  dropped: { en: 'Dropped', zh: '丢弃' },
  droppedText: {
    en: 'Of the failed: it was too slow or away to be told',
    zh: '失败中因服务过慢或离线而未通知的事件',
  },
  rateText: { en: 'Calls per second; {max} at most', zh: '每秒调用次数，最高 {max}' },
  nodes: { en: 'Nodes', zh: '节点' },
  whileDisabled: {
    en: 'It is disabled: it is not asked, and the figures stand still.',
    zh: '已禁用：不会调用该服务，统计数据不会变化。',
  },
  awayDeny: {
    en: 'It is not connected. Until it is back, the clients and messages that it would decide about are refused.',
    zh: '服务未连接。恢复之前，需由其判定的客户端和消息将被拒绝。',
  },
  awayIgnore: {
    en: 'It is not connected. Until it is back, clients and messages pass as if it were not there.',
    zh: '服务未连接。恢复之前，客户端和消息不经其处理，直接放行。',
  },
  neverThereDeny: {
    en: 'It has not been reached yet. Until it is, clients and messages that it might decide about are refused.',
    zh: '尚未连接到该服务。连接成功之前，可能由其判定的客户端和消息将被拒绝。',
  },
  neverThereIgnore: {
    en: 'It has not been reached yet. Until it says which hooks it wants, nobody is asked and nothing is refused.',
    zh: '尚未连接到该服务。在其声明所需钩子之前，不会发起调用，也不会拒绝任何请求。',
  },

  hook: { en: 'Hook', zh: '钩子' },
  topics: { en: 'Topics', zh: '主题' },
  everyTopic: { en: 'Every topic', zh: '全部主题' },
  part: { en: 'The server', zh: '作用' },
  decides: { en: 'decides', zh: '参与判定' },
  hears: { en: 'is told', zh: '接收通知' },
  noHooks: { en: 'The server has not asked for any hook', zh: '该服务未声明任何钩子' },
  noHooksText: {
    en: 'It says which hooks it wants as soon as it is connected.',
    zh: '服务在连接成功时声明所需的钩子。',
  },
  hooksFailed: { en: 'The hooks could not be loaded', zh: '钩子加载失败' },
  authenticateNote: {
    en: 'client.authenticate is asked where no authenticator is enabled.',
    zh: '仅在没有启用认证器时调用 client.authenticate。',
  },
  authorizeNote: {
    en: 'client.authorize is asked where no rule of an authorization source fits.',
    zh: '仅在没有匹配的授权规则时调用 client.authorize。',
  },
});
