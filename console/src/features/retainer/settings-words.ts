import { defineWords } from '../../i18n/words.ts';

/** Labels by the names of the contract, hints behind them. */
export const settingsWords = defineWords({
  title: { en: 'Retainer', zh: '消息保留' },
  purpose: {
    en: 'The last message of each topic is kept for those who subscribe later.',
    zh: '为每个主题保留最后一条消息，供之后的订阅者接收。',
  },
  toMessages: { en: 'Retained messages', zh: '保留消息列表' },
  messages: { en: 'messages', zh: '条' },

  enable: { en: 'Enable the retainer', zh: '启用消息保留' },
  'enable.hint': {
    en: 'Disabling it does not clear the messages that are kept: they are there again when it is enabled.',
    zh: '禁用后不会清除已保留的消息，重新启用后仍然可用。',
  },

  store: { en: 'Storage', zh: '存储' },
  storeText: { en: 'Where messages are kept, and how many.', zh: '消息的存储位置与数量。' },
  type: { en: 'Storage backend', zh: '存储方式' },
  builtIn: { en: 'Built-in database', zh: '内置数据库' },
  storage_type: { en: 'Storage type', zh: '存储类型' },
  'backend.storage_type.hint': {
    en: 'On disc they outlive a restart. A change moves the messages there are.',
    zh: '存储到磁盘的消息在重启后仍然保留，更改后会迁移现有消息。',
  },
  ram: { en: 'RAM', zh: '内存' },
  disc: { en: 'Disc', zh: '磁盘' },
  max_retained_messages: { en: 'Max retained messages', zh: '最大保留消息数' },
  'backend.max_retained_messages.hint': {
    en: 'When it is reached, only topics that already have a message get a new one. What is kept stays, also above a lower limit.',
    zh: '达到上限后，仅已有保留消息的主题可以更新消息。调低上限不会删除已保留的消息。',
  },
  max_payload_size: { en: 'Max payload size', zh: '最大 Payload 大小' },
  'max_payload_size.hint': {
    en: 'Larger messages are passed on but not kept.',
    zh: '超过该大小的消息只转发，不保留。',
  },

  expiry: { en: 'Expiry', zh: '过期' },
  expiryText: {
    en: 'An expiry interval that the publisher sends along counts before these.',
    zh: '发布者在消息中指定的过期间隔优先。',
  },
  msg_expiry_interval: { en: 'Expiry interval', zh: '过期间隔' },
  'msg_expiry_interval.hint': {
    en: 'For messages that bring none of their own.',
    zh: '用于自身未指定过期间隔的消息。',
  },
  msg_expiry_interval_override: { en: 'Override of the expiry interval', zh: '覆盖过期间隔' },
  'msg_expiry_interval_override.hint': {
    en: 'Counts for every message, also for those that are kept already and those with an interval of their own.',
    zh: '对所有消息生效，包括已保留的消息与自带过期间隔的消息。',
  },
  notOverridden: { en: 'no override', zh: '不覆盖' },
  allow_never_expire: { en: 'Messages may ask never to expire', zh: '允许消息永不过期' },
  'allow_never_expire.hint': {
    en: 'By an expiry interval of 0; otherwise it is replaced by the one above.',
    zh: '即消息的过期间隔为 0；不允许时以上面的过期间隔代替。',
  },
  msg_clear_interval: { en: 'Clean interval', zh: '清理间隔' },
  'msg_clear_interval.hint': {
    en: 'How often expired messages are cleared away. Nobody gets an expired one in between.',
    zh: '清理过期消息的间隔，其间过期的消息也不会再发送。',
  },

  flow: { en: 'Rates', zh: '速率' },
  flowText: { en: 'How much one node takes in and hands out.', zh: '单个节点接收与投递保留消息的速率。' },
  max_publish_rate: { en: 'Max publish rate', zh: '最大发布速率' },
  'max_publish_rate.hint': {
    en: 'Retained messages published faster are passed on but not kept.',
    zh: '超过该速率的保留消息只转发，不保留。',
  },
  delivery_rate: { en: 'Delivery rate', zh: '投递速率' },
  'delivery_rate.hint': {
    en: 'Retained messages sent to new subscribers.',
    zh: '向新订阅者发送保留消息的速率。',
  },
  stop_publish_clear_msg: { en: 'Do not pass on clearing messages', zh: '不转发清除消息' },
  'stop_publish_clear_msg.hint': {
    en: 'An empty retained message, which removes the one kept, is not passed on to subscribers.',
    zh: '用于清除保留消息的空消息不会转发给订阅者。',
  },

  batch_read_number: { en: 'Batch read number', zh: '批量读取数' },
  'flow_control.batch_read_number.hint': {
    en: 'So many are looked up in one go for a new subscriber.',
    zh: '为新订阅者一次读取的消息数。',
  },
  batch_deliver_number: { en: 'Batch deliver number', zh: '批量投递数' },
  'flow_control.batch_deliver_number.hint': {
    en: 'So many are sent to a new subscriber in one go.',
    zh: '向新订阅者一次投递的消息数。',
  },
  batch_deliver_limiter: { en: 'Batch deliver rate', zh: '批量投递速率' },
  'flow_control.batch_deliver_limiter.hint': {
    en: 'For one subscriber, beside the delivery rate of all together.',
    zh: '针对单个订阅者，与整体投递速率同时生效。',
  },
});
