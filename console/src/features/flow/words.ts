import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Flow', zh: '数据流' },
  purpose: {
    en: 'Shows how data runs from sources through rules to bridges.',
    zh: '展示数据从来源经规则到桥接的流向。',
  },
  found: { en: '{count} {count|rule|rules}', zh: '{count} 条规则' },
  empty: { en: 'No data is handled yet', zh: '尚无数据流' },
  emptyText: {
    en: 'A rule picks messages and events with SQL and hands them to topics, databases and other brokers. What it does shows up here.',
    zh: '规则用 SQL 筛选消息与事件，并交给主题、数据库或其他 Broker。创建后，数据流向会显示在这里。',
  },
  create: { en: 'Create rule', zh: '创建规则' },
});
