import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  subscriptions: { en: 'Subscriptions', zh: '订阅' },
  topics: { en: 'Topics', zh: '主题' },
  topicsPurpose: {
    en: 'Every filter that somebody is subscribed to, once per node.',
    zh: '所有被订阅的主题过滤器，每个节点一条。',
  },
  found: { en: '{count} {count|subscription|subscriptions}', zh: '{count} 个订阅' },
  foundTopics: { en: '{count} {count|topic|topics}', zh: '{count} 个主题' },
  empty: {
    en: 'Nobody is subscribed to anything yet. Subscriptions appear here as clients make them.',
    zh: '还没有任何订阅。客户端订阅后会显示在这里。',
  },
  emptyTopics: {
    en: 'Nobody is subscribed to anything yet. Topics appear here as clients subscribe.',
    zh: '还没有被订阅的主题。客户端订阅后会显示在这里。',
  },
  clientid: { en: 'Client ID', zh: '客户端 ID' },
  filter: { en: 'Topic filter', zh: '主题过滤器' },
  topic: { en: 'Topic', zh: '主题' },
  matches: { en: 'Topic matches', zh: '主题匹配' },
  filterIs: { en: 'Filter is', zh: '过滤器等于' },
  topicIs: { en: 'Topic is', zh: '主题等于' },
  qos: { en: 'QoS', zh: 'QoS' },
  nl: { en: 'No local', zh: '禁止本地转发' },
  rap: { en: 'Retain as published', zh: '保留发布' },
  rh: { en: 'Retain handling', zh: '保留消息处理' },
  share: { en: 'Share name', zh: '共享组' },
  node: { en: 'Node', zh: '节点' },
  subscribers: { en: 'Subscribers', zh: '订阅者' },
  showSubscribers: { en: 'Show subscribers', zh: '查看订阅者' },
  whyNot: { en: "Why didn't it arrive?", zh: '消息为何未送达？' },
  openClient: { en: 'Open client', zh: '查看客户端' },
  copyFilter: { en: 'Copy topic filter', zh: '复制主题过滤器' },
  copied: { en: 'Copied', zh: '已复制' },
  copyFailed: { en: 'The browser refused to copy', zh: '浏览器拒绝了复制' },
});
