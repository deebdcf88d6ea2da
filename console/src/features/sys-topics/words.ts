import { defineWords } from '../../i18n/words.ts';

/** Labels by the names of the contract, hints behind them. */
export const words = defineWords({
  title: { en: 'System topics', zh: '系统主题' },
  purpose: {
    en: 'What the broker tells of itself below $SYS/brokers, and how often. Ordinary clients may subscribe to it only where authorization allows.',
    zh: 'Broker 在 $SYS/brokers 主题下发布的自身信息及频率，普通客户端需获得授权才能订阅。',
  },
  off: { en: 'disabled', zh: '禁用' },

  intervals: { en: 'Intervals', zh: '发布间隔' },
  intervalsText: {
    en: 'A value is made only while somebody is subscribed to it.',
    zh: '仅当有客户端订阅时才会生成消息。',
  },
  sys_msg_interval: { en: 'Message publish interval', zh: '消息发布间隔' },
  'sys_msg_interval.hint': {
    en: 'Version, description, nodes, statistics and metrics.',
    zh: '版本、描述、节点、统计与指标。',
  },
  sys_heartbeat_interval: { en: 'Heartbeat interval', zh: '心跳间隔' },
  'sys_heartbeat_interval.hint': { en: 'Uptime and time of the node.', zh: '节点的运行时长与当前时间。' },

  events: { en: 'Event messages', zh: '事件消息' },
  eventsText: {
    en: 'Published at the moment something happens, below $SYS/brokers/…/clients; those of messages on topics below $event.',
    zh: '事件发生时立即发布到 $SYS/brokers/…/clients 下，消息类事件发布到 $event 下的主题。',
  },
  client_connected: { en: 'Client connected', zh: '客户端已连接' },
  client_disconnected: { en: 'Client disconnected', zh: '客户端已断开' },
  client_subscribed: { en: 'Client subscribed', zh: '客户端已订阅' },
  client_unsubscribed: { en: 'Client unsubscribed', zh: '客户端已取消订阅' },
  message_delivered: { en: 'Message delivered', zh: '消息已投递' },
  'sys_event_messages.message_delivered.hint': {
    en: 'One event for each message and receiver: on a busy broker that is as many messages again.',
    zh: '每条消息的每个接收者都会产生一个事件，繁忙时消息量会翻倍。',
  },
  message_acked: { en: 'Message acked', zh: '消息已确认' },
  message_dropped: { en: 'Message dropped', zh: '消息已丢弃' },
});
