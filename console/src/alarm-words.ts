import { defineWords } from './i18n/words.ts';

/** What alarms say, by the names of those whose details are known. */
export const words = defineWords({
  high_cpu_usage: {
    en: 'The processors are {usage} busy; the alarm begins at {high}',
    zh: 'CPU 使用率 {usage}，告警阈值 {high}',
  },
  high_system_memory_usage: {
    en: '{usage} of the machine’s memory is in use; the alarm begins at {high}',
    zh: '系统内存使用率 {usage}，告警阈值 {high}',
  },
  high_process_memory_usage: {
    en: 'The broker takes {usage} of the memory; the alarm begins at {high}',
    zh: 'Broker 占用内存 {usage}，告警阈值 {high}',
  },
  too_many_processes: {
    en: '{usage} of the processes that may be are running; the alarm begins at {high}',
    zh: '进程数已达上限的 {usage}，告警阈值 {high}',
  },
  too_many_connections: {
    en: '{connections} {connections|connection|connections}: {usage} of the {files} files that may be open',
    zh: '{connections} 个连接，占可打开文件数 {files} 的 {usage}',
  },
  high_event_loop_delay: {
    en: 'The broker answers up to {delay} ms late; the alarm begins at {high} ms',
    zh: 'Broker 响应最多延迟 {delay} 毫秒，告警阈值 {high} 毫秒',
  },
  store_not_writable: {
    en: 'The data folder {folder} cannot be written ({reason}). Is the disk full? Make room: writing is tried again by itself',
    zh: '数据目录 {folder} 无法写入（{reason}）。请检查磁盘空间，释放后会自动重试',
  },
  log_not_writable: {
    en: 'A log cannot be written; what happens meanwhile is not in it. {reason}',
    zh: '日志无法写入，期间的内容不会记录，系统会自动重试。{reason}',
  },
  rules_feed_each_other: {
    en: 'Too many messages were made from one message, so these rules were stopped for it: {rules}',
    zh: '由一条消息产生的消息过多，以下规则对该消息已停止执行：{rules}',
  },
  bridge: {
    en: 'The bridge {id} cannot reach its target: {reason}',
    zh: '数据桥接 {id} 无法连接目标：{reason}',
  },
  resource: { en: '{id} has lost its target: {reason}', zh: '{id} 与目标断开：{reason}' },
  exhook: {
    en: 'The exhook server {id} is not connected: {reason}',
    zh: 'ExHook 服务器 {id} 未连接：{reason}',
  },
  exhookRefuses: {
    en: '{text}; what it decides about is refused meanwhile: {what}',
    zh: '{text}；恢复之前拒绝由其决定的操作：{what}',
  },
  'client.authenticate': { en: 'clients', zh: '客户端接入' },
  'client.authorize': { en: 'publishing and subscribing', zh: '发布与订阅' },
  'message.publish': { en: 'messages', zh: '消息' },
  and: { en: ', ', zh: '、' },
  plugin: { en: 'The plugin {id} has ended by itself: {reason}', zh: '插件 {id} 异常退出：{reason}' },
  limiter: { en: 'A limit holds back {what}', zh: '限流正在限制{what}' },
  bytes_in: { en: 'bytes that clients send', zh: '客户端发送的流量' },
  message_in: { en: 'messages that clients publish', zh: '客户端发布的消息' },
  connection: { en: 'new connections', zh: '新建连接' },
  message_routing: { en: 'deliveries of messages', zh: '消息投递' },
  internal: { en: 'retained messages to new subscribers', zh: '向新订阅者发送的保留消息' },
  license_over: { en: 'The license ended on {date}', zh: '许可证已于 {date} 到期' },
  license_expiry: {
    en: 'The license ends on {date}, in {days} {days|day|days}',
    zh: '许可证将于 {date} 到期，剩余 {days} 天',
  },
  license_quota: {
    en: '{connections} {connections|client is|clients are} connected, of {max} that the license allows',
    zh: '在线客户端 {connections} 个，许可证上限 {max} 个',
  },
  gateway_down: { en: 'The gateway {id} cannot be started: {reason}', zh: '网关 {id} 无法启动：{reason}' },
  listener_down: {
    en: 'The listener {id} cannot be started: {reason}',
    zh: '监听器 {id} 无法启动：{reason}',
  },
  certificate_over: { en: 'The certificate of the listener {id} has ended', zh: '监听器 {id} 的证书已过期' },
  certificate_expiry: {
    en: 'The certificate of the listener {id} ends in {days} {days|day|days}',
    zh: '监听器 {id} 的证书将在 {days} 天后过期',
  },
});
