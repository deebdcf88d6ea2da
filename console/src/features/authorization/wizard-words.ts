import { defineWords } from '../../i18n/words.ts';

export const wizardWords = defineWords({
  title: { en: 'Add source', zh: '添加数据源' },
  purpose: {
    en: 'It is added in front of the others and counts at once. Its place can be changed in the list.',
    zh: '将添加到最前面并立即生效，可在列表中调整顺序。',
  },
  steps: { en: 'Steps', zh: '步骤' },
  source: { en: 'Source', zh: '数据源' },
  parameters: { en: 'Parameters', zh: '配置参数' },
  choose: { en: 'Where the rules are', zh: '规则保存在哪里' },
  added: { en: 'Added', zh: '已添加' },
  next: { en: 'Next', zh: '下一步' },
  previous: { en: 'Back', zh: '上一步' },
  create: { en: 'Create', zh: '创建' },
  created: { en: '{name} decides from now on', zh: '{name} 已添加，即刻生效' },
  addRules: { en: 'Add rules', zh: '添加规则' },
  nothingLeft: {
    en: 'Every source this console knows is there already.',
    zh: '控制台支持的数据源均已添加。',
  },
  unread: {
    en: 'The sources that exist could not be read, so none is marked here.',
    zh: '未能读取现有数据源，因此这里没有标记。',
  },
  file: { en: 'Rules as a text, read from top to bottom.', zh: '以文本编写规则，自上而下匹配。' },
  built_in_database: {
    en: 'Rules per client ID, per username and for all, managed here.',
    zh: '按客户端 ID、用户名或所有用户设置规则，在此管理。',
  },
  mysql: { en: 'A query selects the rules of a client.', zh: '通过 SQL 查询客户端的规则。' },
  mongodb: { en: 'Documents hold the rules of a client.', zh: '从文档中读取客户端的规则。' },
  postgresql: { en: 'A query selects the rules of a client.', zh: '通过 SQL 查询客户端的规则。' },
  redis: { en: 'A hash holds the topics of a client.', zh: '从哈希表中读取客户端的主题权限。' },
  http: { en: 'A service of yours decides each request.', zh: '由您的 HTTP 服务逐次判断。' },
});
