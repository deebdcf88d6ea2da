import { defineWords } from '../../i18n/words.ts';
import type { GroupName } from './metric-list.ts';

export const words = defineWords({
  title: { en: 'Metrics', zh: '指标' },
  purpose: {
    en: 'Counters since the broker started. Rates are since {time}.',
    zh: 'Broker 启动以来的计数，速率自 {time} 起计算。',
  },
  scope: { en: 'Node', zh: '节点' },
  cluster: { en: 'Cluster, all nodes', zh: '集群（全部节点）' },
  search: { en: 'Search name or meaning', zh: '搜索名称或含义' },
  nonZero: { en: 'Only non-zero', zh: '仅显示非零' },
  groups: { en: 'Groups', zh: '分组' },
  all: { en: 'All', zh: '全部' },
  counter: { en: 'Counter', zh: '计数器' },
  value: { en: 'Value', zh: '数值' },
  rate: { en: 'Per second', zh: '每秒' },
  refresh: { en: 'Start rates anew', zh: '重新计算速率' },
  none: { en: 'No counter matches', zh: '没有匹配的计数器' },
  noneText: { en: 'Try another word, or show zero values too.', zh: '请更换关键词，或显示为零的计数器。' },
  clear: { en: 'Clear filters', zh: '清除筛选' },
  copyAll: { en: 'Copy as text', zh: '复制为文本' },
  copied: { en: '{count} {count|counter|counters} copied', zh: '已复制 {count} 个计数器' },
  copyFailed: { en: 'The browser refused to copy', zh: '浏览器拒绝了复制' },
  noNode: { en: 'There is no node {node}', zh: '节点 {node} 不存在' },
  showCluster: { en: 'Show the cluster', zh: '显示集群' },
});

export const groupWords: Readonly<Record<GroupName, { en: string; zh: string }>> = {
  messages: { en: 'Messages', zh: '消息' },
  delivery: { en: 'Delivery', zh: '投递' },
  packets: { en: 'Packets', zh: '报文' },
  bytes: { en: 'Bytes', zh: '字节' },
  client: { en: 'Clients', zh: '客户端' },
  session: { en: 'Sessions', zh: '会话' },
  authorization: { en: 'Authorization', zh: '授权' },
  other: { en: 'Other', zh: '其他' },
};
