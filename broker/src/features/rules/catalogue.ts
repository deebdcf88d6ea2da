import type { RuleEvent } from '@mqdeck/contract/rules';
import { BRIDGE_COLUMNS, type EventTopic, events } from '@mqdeck/rulesql/events';

/** The events that rules can be made of, in words, with a sample of each column that a test may be given. */

type Sample = Record<string, [value: unknown, meaning: { en: string; zh: string }]>;
interface Described {
  title: { en: string; zh: string };
  description: { en: string; zh: string };
  sample: Sample;
  sql: string;
}

const meaning = {
  clientid: { en: 'Client ID', zh: '客户端 ID' },
  receiver: { en: 'Client ID of the receiver', zh: '接收方的客户端 ID' },
  sender: { en: 'Client ID of the publisher', zh: '发布方的客户端 ID' },
  username: { en: 'Username', zh: '用户名' },
  receiverName: { en: 'Username of the receiver', zh: '接收方的用户名' },
  senderName: { en: 'Username of the publisher', zh: '发布方的用户名' },
  topic: { en: 'Topic of the message', zh: '消息主题' },
  filter: { en: 'Topic filter', zh: '主题过滤器' },
  qos: { en: 'QoS of the message', zh: '消息 QoS' },
  payload: { en: 'Payload of the message', zh: '消息 Payload' },
  reason: { en: 'Why', zh: '原因' },
};

const published: Sample = {
  clientid: ['c_sensor', meaning.clientid],
  username: ['u_sensor', meaning.username],
  topic: ['t/a', meaning.topic],
  qos: [1, meaning.qos],
  payload: ['{"msg": "hello"}', meaning.payload],
};
const delivered: Sample = {
  from_clientid: ['c_sensor', meaning.sender],
  from_username: ['u_sensor', meaning.senderName],
  clientid: ['c_screen', meaning.receiver],
  username: ['u_screen', meaning.receiverName],
  topic: ['t/a', meaning.topic],
  qos: [1, meaning.qos],
  payload: ['{"msg": "hello"}', meaning.payload],
};
const client: Sample = {
  clientid: ['c_sensor', meaning.clientid],
  username: ['u_sensor', meaning.username],
};
const subscription: Sample = {
  ...client,
  topic: ['t/a', meaning.filter],
  qos: [1, { en: 'QoS of the subscription', zh: '订阅 QoS' }],
};
const alarm: Sample = {
  name: ['high_cpu_usage', { en: 'Name of the alarm', zh: '告警名称' }],
  message: ['92% of the CPU are in use', { en: 'Message of the alarm', zh: '告警内容' }],
  details: [{ usage: '92%' }, { en: 'Details of the alarm', zh: '告警详情' }],
  activated_at: [
    1_736_512_728_666,
    { en: 'When it began, epoch milliseconds', zh: '触发时间（毫秒时间戳）' },
  ],
};

const described: Record<EventTopic | '$bridges/mqtt:*', Described> = {
  '$events/message_publish': {
    title: { en: 'Message published', zh: '消息发布' },
    description: {
      en: 'A client or the broker publishes a message.',
      zh: '客户端或 Broker 发布了一条消息。',
    },
    sample: published,
    sql: `SELECT payload.msg as msg FROM "t/#" WHERE msg = 'hello'`,
  },
  '$events/sys/alarm_activated': {
    title: { en: 'Alarm began', zh: '告警触发' },
    description: { en: 'The broker calls for help.', zh: 'Broker 触发了告警。' },
    sample: alarm,
    sql: 'SELECT * FROM "$events/sys/alarm_activated"',
  },
  '$events/sys/alarm_deactivated': {
    title: { en: 'Alarm ended', zh: '告警解除' },
    description: { en: 'What an alarm was about is over.', zh: '告警已解除。' },
    sample: {
      ...alarm,
      deactivated_at: [
        1_736_512_728_999,
        { en: 'When it ended, epoch milliseconds', zh: '解除时间（毫秒时间戳）' },
      ],
    },
    sql: 'SELECT * FROM "$events/sys/alarm_deactivated"',
  },
  '$events/message_delivered': {
    title: { en: 'Message delivered', zh: '消息投递' },
    description: { en: 'A message is handed to a subscriber’s connection.', zh: '消息已交给订阅者的连接。' },
    sample: delivered,
    sql: `SELECT * FROM "$events/message_delivered" WHERE topic =~ 't/#'`,
  },
  '$events/message_acked': {
    title: { en: 'Message acknowledged', zh: '消息确认' },
    description: {
      en: 'A subscriber acknowledges a message of QoS 1 or 2.',
      zh: '订阅者确认了 QoS 1 或 2 的消息。',
    },
    sample: delivered,
    sql: `SELECT * FROM "$events/message_acked" WHERE topic =~ 't/#'`,
  },
  '$events/message_dropped': {
    title: { en: 'Message dropped', zh: '消息丢弃' },
    description: { en: 'Nobody subscribes to a message.', zh: '消息没有订阅者而被丢弃。' },
    sample: { reason: ['no_subscribers', meaning.reason], ...published },
    sql: `SELECT * FROM "$events/message_dropped" WHERE topic =~ 't/#'`,
  },
  '$events/client_connected': {
    title: { en: 'Client connected', zh: '客户端已连接' },
    description: { en: 'A client has connected.', zh: '客户端连接成功。' },
    sample: {
      ...client,
      peername: ['192.0.2.1:52918', { en: 'Address and port of the client', zh: '客户端地址与端口' }],
    },
    sql: 'SELECT * FROM "$events/client_connected"',
  },
  '$events/client_disconnected': {
    title: { en: 'Client disconnected', zh: '客户端断开连接' },
    description: { en: 'A connection has ended.', zh: '客户端连接已断开。' },
    sample: { ...client, reason: ['normal', meaning.reason] },
    sql: 'SELECT * FROM "$events/client_disconnected"',
  },
  '$events/client_connack': {
    title: { en: 'CONNACK sent', zh: '连接确认' },
    description: {
      en: 'A CONNECT was answered, with success or a refusal.',
      zh: '已应答 CONNECT：接受或拒绝。',
    },
    sample: { ...client, reason_code: ['success', { en: 'Reason code in words', zh: '原因码' }] },
    sql: 'SELECT * FROM "$events/client_connack"',
  },
  '$events/client_check_authz_complete': {
    title: { en: 'Permission decided', zh: '授权检查完成' },
    description: { en: 'A client was allowed or denied a topic.', zh: '已决定是否允许客户端访问某个主题。' },
    sample: {
      ...client,
      topic: ['t/1', meaning.topic],
      action: ['publish', { en: 'publish or subscribe', zh: 'publish 或 subscribe' }],
      result: ['allow', { en: 'allow or deny', zh: 'allow 或 deny' }],
    },
    sql: 'SELECT * FROM "$events/client_check_authz_complete"',
  },
  '$events/client_check_authn_complete': {
    title: { en: 'Identity decided', zh: '认证检查完成' },
    description: { en: 'A client was recognised or refused.', zh: '已决定是否接受客户端的身份。' },
    sample: {
      ...client,
      reason_code: ['success', { en: 'Reason code in words', zh: '原因码' }],
      is_superuser: [true, { en: 'Needs no further permission', zh: '是否为超级用户' }],
      is_anonymous: [false, { en: 'Was let in without being asked', zh: '是否为匿名用户' }],
    },
    sql: 'SELECT * FROM "$events/client_check_authn_complete"',
  },
  '$events/session_subscribed': {
    title: { en: 'Subscribed', zh: '订阅成功' },
    description: { en: 'A client has subscribed.', zh: '客户端订阅了主题。' },
    sample: subscription,
    sql: `SELECT * FROM "$events/session_subscribed" WHERE topic =~ 't/#'`,
  },
  '$events/session_unsubscribed': {
    title: { en: 'Unsubscribed', zh: '取消订阅' },
    description: { en: 'A subscription has ended.', zh: '客户端取消了订阅。' },
    sample: subscription,
    sql: `SELECT * FROM "$events/session_unsubscribed" WHERE topic =~ 't/#'`,
  },
  '$events/delivery_dropped': {
    title: { en: 'Delivery dropped', zh: '投递丢弃' },
    description: {
      en: 'A message does not reach one of its subscribers, for example because his queue is full.',
      zh: '消息未能送达某个订阅者，例如其队列已满。',
    },
    sample: { reason: ['queue_full', meaning.reason], ...delivered },
    sql: `SELECT * FROM "$events/delivery_dropped" WHERE topic =~ 't/#'`,
  },
  '$bridges/mqtt:*': {
    title: { en: 'Message from an MQTT bridge', zh: 'MQTT 桥接消息' },
    description: {
      en: 'A bridge has fetched a message from another broker.',
      zh: '桥接从另一个 Broker 获取了消息。',
    },
    sample: {
      topic: ['t/a', meaning.topic],
      qos: [1, meaning.qos],
      payload: ['{"msg": "hello"}', meaning.payload],
    },
    sql: `SELECT * FROM "$bridges/mqtt:my_mqtt_bridge" WHERE topic =~ 't/#'`,
  },
};

export const catalogue: RuleEvent[] = Object.entries(described).map(
  ([event, { title, description, sample, sql }]) => ({
    columns: [...(event === '$bridges/mqtt:*' ? BRIDGE_COLUMNS : events[event as EventTopic])],
    description,
    event,
    sql_example: sql,
    test_columns: Object.fromEntries(
      Object.entries(sample).map(([column, [value, { en, zh }]]) => [column, [value, { en, zh }]]),
    ),
    title,
  }),
);
