import { defineWords } from '../../i18n/words.ts';

export const limitWords = defineWords({
  client: {
    en: 'Held back: it has reached the limit of a client for {what}.',
    zh: '正被限流：已达到单个客户端的{what}限制。',
  },
  listener: {
    en: 'Held back: it has reached the limit of its listener for {what}.',
    zh: '正被限流：已达到监听器的{what}限制。',
  },
  byBucket: {
    en: 'Held back: the clients of the bucket {bucket} have reached its limit for {what}.',
    zh: '正被限流：桶 {bucket} 的客户端已达到{what}限制。',
  },
  node: {
    en: 'Held back: the node has reached its limit for {what}.',
    zh: '正被限流：节点已达到{what}限制。',
  },
  bytes_in: { en: 'bytes in', zh: '流入字节' },
  message_in: { en: 'messages in', zh: '流入消息' },
  connection: { en: 'connections', zh: '连接' },
  message_routing: { en: 'routing', zh: '消息派发' },
  internal: { en: 'retained messages', zh: '保留消息' },
  toLimiter: { en: 'Limiter', zh: '限流器' },
});
