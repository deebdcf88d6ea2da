import { defineWords } from '../../i18n/words.ts';

/** Labels by the names of the contract, hints behind them. */
export const sessionWords = defineWords({
  title: { en: 'MQTT session', zh: 'MQTT 会话' },
  purpose: {
    en: 'What a session holds: inflight window, queue, subscriptions, expiry.',
    zh: '会话的飞行窗口、消息队列、订阅数与过期时间。',
  },
  subscriptionsUnit: { en: 'subscriptions', zh: '个' },
  messages: { en: 'messages', zh: '条' },

  session: { en: 'Session', zh: '会话' },
  session_expiry_interval: { en: 'Session expiry interval', zh: '会话过期间隔' },
  'mqtt.session_expiry_interval.hint': {
    en: 'How long a session of MQTT 3.1 and 3.1.1 is kept after its client is gone, unless that asked for a clean one. MQTT 5 clients say it themselves. Counts from the next connection on.',
    zh: 'MQTT 3.1 与 3.1.1 客户端断开后会话的保留时长（清除会话除外），MQTT 5 客户端自行指定。下次连接时生效。',
  },
  max_subscriptions: { en: 'Max subscriptions', zh: '最大订阅数' },
  'mqtt.max_subscriptions.hint': {
    en: 'Of one client. Further ones are refused; those there are stay.',
    zh: '单个客户端的订阅数上限。超出的订阅将被拒绝，已有订阅不受影响。',
  },
  upgrade_qos: { en: 'Upgrade QoS', zh: '提升 QoS' },
  'mqtt.upgrade_qos.hint': {
    en: 'Messages go out with the QoS of the subscription also where they were published with a lower one.',
    zh: '消息以订阅的 QoS 投递，即使发布时的 QoS 更低。',
  },

  delivery: { en: 'Delivery', zh: '投递' },
  deliveryText: {
    en: 'Of messages with QoS 1 and 2, to a client and from it.',
    zh: '适用于收发 QoS 1 与 QoS 2 的消息。',
  },
  max_inflight: { en: 'Inflight window', zh: '飞行窗口' },
  'mqtt.max_inflight.hint': {
    en: 'How many messages may wait for a client’s acknowledgement; more wait in its queue. An MQTT 5 client may ask for fewer.',
    zh: '等待客户端确认的最大消息数，其余消息进入队列。MQTT 5 客户端可要求更小的值。',
  },
  retry_interval: { en: 'Retry interval', zh: '重试间隔' },
  'mqtt.retry_interval.hint': {
    en: 'What a connected MQTT 3.1 or 3.1.1 client has not acknowledged by then is sent again. Infinity or 0: only when it connects again, as it is with MQTT 5 in any case.',
    zh: 'MQTT 3.1 与 3.1.1 客户端超过该时间未确认时重发消息。无限或 0：仅在重新连接时重发，MQTT 5 客户端始终如此。',
  },
  max_awaiting_rel: { en: 'Max QoS 2 messages underway', zh: '最大未完成 QoS 2 消息数' },
  'mqtt.max_awaiting_rel.hint': {
    en: 'How many a client may have published without releasing them (PUBREL); one that sends more is disconnected. MQTT 5 clients are told when they connect: a change reaches them at their next connection.',
    zh: '客户端已发布但尚未发送 PUBREL 的消息数上限，超出的客户端将被断开连接。连接时告知 MQTT 5 客户端，更改在其下次连接时生效。',
  },
  await_rel_timeout: { en: 'Timeout of QoS 2 messages', zh: 'QoS 2 消息超时' },
  'mqtt.await_rel_timeout.hint': {
    en: 'When the release (PUBREL) has not come by then, it is no longer waited for.',
    zh: '超过该时间仍未收到 PUBREL，则不再等待。',
  },

  queue: { en: 'Message queue', zh: '消息队列' },
  queueText: {
    en: 'Where messages wait while the client is away or its inflight window is full.',
    zh: '客户端离线或飞行窗口已满时，消息在队列中等待。',
  },
  max_mqueue_len: { en: 'Queue length', zh: '队列长度' },
  'mqtt.max_mqueue_len.hint': {
    en: 'When it is full, the oldest message is dropped for the new one. 0 is no limit either.',
    zh: '队列已满时，丢弃最早的消息以存入新消息。0 同样表示不限制。',
  },
  mqueue_store_qos0: { en: 'Queue QoS 0 messages too', zh: 'QoS 0 消息也进入队列' },
  'mqtt.mqueue_store_qos0.hint': {
    en: 'Disabled: they are dropped when the client is away or its window is full.',
    zh: '禁用后，客户端离线或飞行窗口已满时丢弃 QoS 0 消息。',
  },
  mqueue_priorities: { en: 'Topic priorities', zh: '主题优先级' },
  'mqtt.mqueue_priorities.hint': {
    en: 'Messages of these topics leave the queue in the order of their priority, the highest first. The topics stand for themselves; wildcards do not count.',
    zh: '队列中的消息按主题优先级从高到低投递。主题须完整填写，不支持通配符。',
  },
  mqueue_default_priority: { en: 'Priority of other topics', zh: '其他主题的优先级' },
  'mqtt.mqueue_default_priority.hint': {
    en: 'Where the topics that are not listed stand.',
    zh: '未列出的主题所处的优先级。',
  },
  lowest: { en: 'Lowest', zh: '最低' },
  highest: { en: 'Highest', zh: '最高' },

  protection: { en: 'Protection of the broker', zh: '资源保护' },
  protectionText: {
    en: 'How much may pile up for one client, whatever the limits above say.',
    zh: '单个客户端可占用的资源上限，与上述限制同时生效。',
  },
  'force_shutdown.enable': { en: 'Limit what piles up', zh: '限制资源占用' },
  'force_shutdown.enable.hint': {
    en: 'Brokers of the EMQX 5 series end a client that goes beyond; this one drops its oldest messages, and the client stays.',
    zh: 'EMQX 5 系列 Broker 会断开超限的客户端；本 Broker 仅丢弃其最早的消息，客户端保持连接。',
  },
  max_heap_size: { en: 'Max memory of waiting messages', zh: '等待消息的最大内存' },
  max_mailbox_size: { en: 'Max messages on their way', zh: '传递中的最大消息数' },
  'force_shutdown.max_mailbox_size.hint': {
    en: 'To one connection, while they are being stored. More wait in the queue.',
    zh: '单个连接中正在存储的消息数上限，其余消息在队列中等待。',
  },

  priorityMode: { en: 'How the queue is ordered', zh: '队列的排序方式' },
  prioritiesOff: { en: 'Disabled: in order of arrival', zh: '禁用：按到达顺序' },
  prioritiesOn: { en: 'By topic', zh: '按主题' },
  prioritiesRaw: { en: 'By topic, as JSON', zh: '按主题（JSON）' },
  topic: { en: 'Topic', zh: '主题' },
  priority: { en: 'Priority', zh: '优先级' },
  topicOf: { en: 'Topic {row}', zh: '主题 {row}' },
  priorityOf: { en: 'Priority {row}', zh: '优先级 {row}' },
  addTopic: { en: 'Add topic', zh: '添加主题' },
  removeTopic: { en: 'Remove {topic}', zh: '移除 {topic}' },
  noTopic: { en: 'Topic is required', zh: '请输入主题' },
  wildcardTopic: { en: 'A topic without wildcards', zh: '主题不可包含通配符' },
  topicTwice: { en: 'The topic {topic} occurs twice', zh: '主题 {topic} 重复' },
  notJson: {
    en: 'Not a JSON object of topics and whole numbers',
    zh: '不是由主题与整数组成的 JSON 对象',
  },
});
