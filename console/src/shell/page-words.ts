import { defineWords } from '../i18n/words.ts';

/** What each page is called, in the menu and as its title. */
export const pageTitles = defineWords({
  overview: { en: 'Overview', zh: '概览' },
  nodes: { en: 'Nodes', zh: '节点' },
  metrics: { en: 'Metrics', zh: '指标' },
  clients: { en: 'Connections', zh: '连接' },
  subscriptions: { en: 'Subscriptions', zh: '订阅' },
  topics: { en: 'Topics', zh: '主题' },
  retained: { en: 'Retained messages', zh: '保留消息' },
  alarms: { en: 'Alarms', zh: '告警' },
  historyAlarms: { en: 'Alarm history', zh: '历史告警' },
  authentication: { en: 'Authentication', zh: '认证' },
  authorization: { en: 'Authorization', zh: '授权' },
  banned: { en: 'Blacklist', zh: '黑名单' },
  rules: { en: 'Rules', zh: '规则' },
  bridges: { en: 'Data bridges', zh: '数据桥接' },
  flow: { en: 'Flow', zh: '数据流' },
  listeners: { en: 'Listeners', zh: '监听器' },
  mqtt: { en: 'MQTT', zh: 'MQTT' },
  mqttGeneral: { en: 'MQTT general', zh: 'MQTT 通用' },
  mqttSession: { en: 'MQTT session', zh: 'MQTT 会话' },
  retainer: { en: 'Retainer', zh: '消息保留' },
  systemTopics: { en: 'System topics', zh: '系统主题' },
  mqttExtension: { en: 'MQTT extension', zh: 'MQTT 扩展功能' },
  limiter: { en: 'Limiter', zh: '限流器' },
  log: { en: 'Log', zh: '日志' },
  monitoring: { en: 'Monitoring', zh: '监控' },
  monitoringIntegration: { en: 'Monitoring integration', zh: '监控集成' },
  gateways: { en: 'Gateway', zh: '网关' },
  exhooks: { en: 'Exhook', zh: '扩展钩子' },
  plugins: { en: 'Plugins', zh: '插件' },
  websocketClient: { en: 'WebSocket client', zh: 'WebSocket 客户端' },
  topicMetrics: { en: 'Topic metrics', zh: '主题监控' },
  slowSubscriptions: { en: 'Slow subscriptions', zh: '慢订阅' },
  logTraces: { en: 'Log trace', zh: '日志追踪' },
  users: { en: 'Users', zh: '用户' },
  apiKeys: { en: 'API keys', zh: 'API 密钥' },
  audit: { en: 'Audit', zh: '审计' },
  backup: { en: 'Backup', zh: '备份' },
  settings: { en: 'Settings', zh: '设置' },
  help: { en: 'Help', zh: '帮助' },
});

export type PageId = keyof typeof pageTitles;

/** What each page is for, in a sentence. */
export const pagePurposes = defineWords({
  overview: {
    en: 'The state of the cluster at a glance: rates, connections, nodes and alarms.',
    zh: '一眼看清集群状态：消息速率、连接、节点与告警。',
  },
  nodes: { en: 'The nodes of the cluster and how they are.', zh: '集群中的节点及其运行状态。' },
  metrics: { en: 'Every counter of the broker, by node.', zh: '按节点查看 Broker 的全部计数器。' },
  clients: {
    en: 'Who is connected, who was, and what their sessions hold.',
    zh: '查看当前与曾经连接的客户端，以及它们的会话内容。',
  },
  subscriptions: { en: 'Who listens to what.', zh: '查看哪些客户端订阅了哪些主题。' },
  topics: { en: 'The topic filters the cluster routes.', zh: '集群路由中的主题过滤器。' },
  retained: {
    en: 'The last message kept for each topic: find, read and delete them.',
    zh: '每个主题保留的最后一条消息，可查找、查看与删除。',
  },
  alarms: { en: 'What is wrong now, and what was.', zh: '查看当前告警与历史告警。' },
  historyAlarms: { en: 'What was wrong and is over.', zh: '曾经出现、现已解除的问题。' },
  authentication: {
    en: 'Decides who may connect: the chain of authenticators, their order and their users.',
    zh: '决定谁可以连接：认证器链、顺序与用户。',
  },
  authorization: {
    en: 'Decides who may publish and subscribe to what.',
    zh: '决定谁可以发布和订阅哪些主题。',
  },
  banned: {
    en: 'Keeps out clients by client id, username or address, for a time or for good.',
    zh: '按客户端 ID、用户名或地址禁止连接，可设期限或永久生效。',
  },
  rules: {
    en: 'Picks messages and events with SQL and hands them to actions.',
    zh: '用 SQL 筛选消息与事件，并交给动作处理。',
  },
  bridges: {
    en: 'Moves messages between the broker and databases, queues and other brokers.',
    zh: '在 Broker 与数据库、消息队列及其他 Broker 之间传输消息。',
  },
  flow: {
    en: 'Shows how data runs from sources through rules to bridges.',
    zh: '展示数据从来源经规则到桥接的流向。',
  },
  listeners: {
    en: 'The addresses the broker listens on: add, change, stop and start them.',
    zh: 'Broker 的监听地址，可添加、修改、停止与启动。',
  },
  mqtt: {
    en: 'Settings of the protocol: general, session, retainer, system topics, extensions.',
    zh: '协议设置：通用、会话、保留消息、系统主题与扩展功能。',
  },
  mqttGeneral: {
    en: 'Limits and features of the protocol for all clients.',
    zh: '面向所有客户端的协议限制与功能。',
  },
  mqttSession: {
    en: 'What a session holds: inflight window, queue, subscriptions, expiry.',
    zh: '会话的飞行窗口、消息队列、订阅数与过期时间。',
  },
  retainer: {
    en: 'Whether retained messages are kept, how many, how large and for how long.',
    zh: '设置是否保留消息，以及保留的数量、大小与时长。',
  },
  systemTopics: {
    en: 'What the broker tells of itself below $SYS, and how often.',
    zh: '设置 Broker 在 $SYS 主题下发布的内容与频率。',
  },
  mqttExtension: {
    en: 'Topic rewrite, auto subscribe and delayed publish.',
    zh: '主题重写、自动订阅与延迟发布。',
  },
  limiter: { en: 'Limits rates by bucket and zone.', zh: '按桶与区域限制速率。' },
  log: { en: 'Where the broker logs to, and how much.', zh: '设置日志的输出位置与级别。' },
  monitoring: {
    en: 'Thresholds of alarms, and the hand-over of figures to other systems.',
    zh: '设置告警阈值，并将指标对接到其他系统。',
  },
  monitoringIntegration: {
    en: 'Hands figures to Prometheus and StatsD.',
    zh: '将指标对接到 Prometheus 与 StatsD。',
  },
  gateways: {
    en: 'Lets devices in that speak CoAP, LwM2M, MQTT-SN, STOMP or a protocol of their own.',
    zh: '接入使用 CoAP、LwM2M、MQTT-SN、STOMP 或自定义协议的设备。',
  },
  exhooks: {
    en: 'Asks servers of your own at each event, over gRPC.',
    zh: '通过 gRPC 在各类事件发生时调用自建的服务。',
  },
  plugins: { en: 'Installs, starts and orders plugins.', zh: '安装、启动插件并调整顺序。' },
  websocketClient: {
    en: 'An MQTT client in the browser, to try things out.',
    zh: '浏览器中的 MQTT 客户端，用于测试。',
  },
  topicMetrics: { en: 'Counts and rates of single topics.', zh: '统计单个主题的消息数量与速率。' },
  slowSubscriptions: {
    en: 'Finds the subscribers whose messages take too long.',
    zh: '找出消息时延过长的订阅者。',
  },
  logTraces: {
    en: 'Records everything one client, topic or address does.',
    zh: '记录某个客户端、主题或地址的全部行为。',
  },
  users: { en: 'Who may sign in to this console.', zh: '可以登录控制台的用户。' },
  apiKeys: { en: 'Keys for programs that call the REST API.', zh: '供程序调用 REST API 的密钥。' },
  audit: {
    en: 'Who changed what, when and from where, with the values before and after.',
    zh: '查看谁在何时、从何处变更了什么，以及变更前后的值。',
  },
  backup: {
    en: 'Saves the configuration and the data of the broker to a file, and restores them.',
    zh: '将 Broker 的配置与数据备份为文件，并可从文件恢复。',
  },
  settings: { en: 'How the console looks to you, in this browser.', zh: '控制台在此浏览器中的显示方式。' },
  help: { en: 'Keys, documents and the API.', zh: '快捷键、文档与 API。' },
} satisfies Record<PageId, { en: string; zh: string }>);
