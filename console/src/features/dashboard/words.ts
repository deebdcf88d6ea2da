import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  overview: { en: 'Overview', zh: '概览' },
  nodes: { en: 'Nodes', zh: '节点' },

  // The state of the cluster in a sentence
  nodesRunning: { en: '{count} {count|node|nodes} running', zh: '{count} 个节点运行中' },
  someRunning: { en: '{running} of {count} nodes running', zh: '{count} 个节点中 {running} 个运行中' },
  clientsConnected: { en: '{count} {count|client|clients}', zh: '{count} 个客户端' },
  alarmsActive: { en: '{count} {count|alarm|alarms}', zh: '{count} 条告警' },
  noAlarms: { en: 'no alarms', zh: '没有告警' },
  comma: { en: ', ', zh: '，' },

  // Figures
  figures: { en: 'Figures of this moment', zh: '当前数据' },
  received: { en: 'Messages in', zh: '消息流入' },
  sent: { en: 'Messages out', zh: '消息流出' },
  dropped: { en: 'Messages dropped', zh: '消息丢弃' },
  connections: { en: 'Connections', zh: '连接' },
  subscriptions: { en: 'Subscriptions', zh: '订阅' },
  topics: { en: 'Topics', zh: '主题' },
  sessions: { en: 'Sessions', zh: '会话' },
  live: { en: 'Connected now', zh: '当前在线' },
  liveOf: { en: '{live} live', zh: '在线 {live}' },
  retainedSome: { en: '{count} retained', zh: '保留 {count}' },
  sharedSome: { en: '{count} shared', zh: '共享 {count}' },
  perSecond: { en: 'msg/s', zh: '条/秒' },
  growth: { en: '{change} vs the hour before', zh: '比前一小时 {change}' },
  unchanged: { en: 'as in the hour before', zh: '与前一小时持平' },
  fromZero: { en: 'none in the hour before', zh: '前一小时为零' },
  means: {
    en: 'Mean of the last hour {mean}, of the hour before {before}',
    zh: '最近一小时平均 {mean}，前一小时平均 {before}',
  },

  // Charts
  range: { en: 'Time range', zh: '时间范围' },
  zoomed: { en: '{from} to {to}', zh: '{from} 至 {to}' },
  zoomReset: { en: 'Whole range', zh: '完整范围' },
  zoomHint: { en: 'Drag across a chart to zoom', zh: '在图表上拖动以放大' },
  stale: { en: 'Nothing new since {time}', zh: '{time} 之后没有新数据' },
  clear: { en: 'Reset monitor data', zh: '重置监控数据' },
  clearTitle: { en: 'Reset monitor data?', zh: '重置监控数据？' },
  clearText: {
    en: 'The samples of the last 7 days are deleted on all nodes. The charts begin anew; counters and connections stay as they are.',
    zh: '将删除所有节点最近 7 天的采样数据，图表从头开始；计数器与连接不受影响。',
  },
  cleared: { en: 'Monitor data were reset', zh: '监控数据已重置' },
  pageActions: { en: 'More for this page', zh: '页面更多操作' },

  // Nodes
  uptime: { en: 'Uptime', zh: '运行时长' },
  upFor: { en: 'up {time}', zh: '已运行 {time}' },
  load: { en: 'Load', zh: '负载' },
  loads: { en: 'Load 1 / 5 / 15 min', zh: '1 / 5 / 15 分钟负载' },
  memory: { en: 'Memory', zh: '内存' },
  processes: { en: 'Processes', zh: '进程' },
  version: { en: 'Version', zh: '版本' },
  edition: { en: 'Edition', zh: '版本类型' },
  runtime: { en: 'Run-time', zh: '运行时版本' },
  role: { en: 'Role', zh: '角色' },
  core: { en: 'Core', zh: '核心节点' },
  replicant: { en: 'Replicant', zh: '复制节点' },
  fds: { en: 'File descriptors, at most', zh: '最大文件描述符数' },
  sysPath: { en: 'System path', zh: '系统路径' },
  logPath: { en: 'Log path', zh: '日志路径' },
  connectionsShort: { en: '{count} connected', zh: '在线 {count}' },
  noNodes: { en: 'This cluster names no node', zh: '集群没有返回任何节点' },
  facts: { en: 'Facts', zh: '基本信息' },
  marks: { en: 'Current and high watermark', zh: '当前值与历史峰值' },
  current: { en: 'Current', zh: '当前值' },
  highest: { en: 'Highest', zh: '历史峰值' },
  retained: { en: 'Retained messages', zh: '保留消息' },
  shared: { en: 'Shared subscriptions', zh: '共享订阅' },
  clusterSessions: { en: 'Sessions in the cluster', zh: '集群会话' },
  noNode: { en: 'There is no node {node}', zh: '节点 {node} 不存在' },
  noNodeText: {
    en: 'It may have left the cluster, or the address is mistyped.',
    zh: '该节点可能已离开集群，或地址有误。',
  },
  allNodes: { en: 'All nodes', zh: '全部节点' },

  // Alarms and talkers
  alarms: { en: 'Alarms', zh: '告警' },
  allAlarms: { en: 'All alarms', zh: '全部告警' },
  noAlarm: { en: 'No alarm is active', zh: '没有活动的告警' },
  talkers: { en: 'Top talkers', zh: '发送最多的客户端' },
  talkersHint: {
    en: 'Messages received from each client since it connected',
    zh: '自连接以来从各客户端接收的消息数',
  },
  messages: { en: '{count} msg', zh: '{count} 条' },
});
