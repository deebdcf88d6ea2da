import { defineWords } from '../../i18n/words.ts';

export const formWords = defineWords({
  no_match: { en: 'When no rule fits', zh: '未匹配时' },
  'no_match.hint': {
    en: 'Where a source could not be asked, the request is denied whatever is chosen here.',
    zh: '若有数据源无法查询，无论此处如何选择，请求都会被拒绝。',
  },
  deny_action: { en: 'When a client is denied', zh: '拒绝后' },
  allow: { en: 'Allow', zh: '允许' },
  deny: { en: 'Deny', zh: '拒绝' },
  ignore: { en: 'Only refuse the request', zh: '仅拒绝该请求' },
  disconnect: { en: 'Disconnect the client', zh: '断开客户端连接' },
  cache: { en: 'Cache', zh: '缓存' },
  cacheText: {
    en: 'Answers are kept for each connection, so that sources are not asked again for the same topic.',
    zh: '按连接缓存判断结果，相同主题不再重复查询数据源。',
  },
  cacheEnable: { en: 'Keep answers', zh: '启用缓存' },
  max_size: { en: 'Answers per client', zh: '每个客户端的最大缓存数' },
  'cache.max_size.hint': { en: 'Beyond that the oldest makes room.', zh: '超出后淘汰最早的结果。' },
  ttl: { en: 'Kept for', zh: '有效期' },
  excludes: { en: 'Never kept', zh: '不缓存的主题' },
  'cache.excludes.hint': {
    en: 'Topics that match one of these filters are decided anew each time.',
    zh: '匹配这些过滤器的主题每次都重新判断。',
  },
  excludesFault: { en: '{filter} is not a topic filter', zh: '{filter} 不是有效的主题过滤器' },

  lookup: { en: 'Finding the rules', zh: '查询规则' },
  query: { en: 'SQL', zh: 'SQL' },
  queryText: {
    en: 'Selects the rules of the client, one per row: permission (allow, deny), action (publish, subscribe, all) and topic; where you want qos and retain too.',
    zh: '查询客户端的规则，每行一条：permission（allow、deny）、action（publish、subscribe、all）和 topic，可选 qos 和 retain。',
  },
  collection: { en: 'Collection', zh: '集合' },
  filter: { en: 'Filter', zh: '过滤条件' },
  filterText: {
    en: 'Finds the documents of the client: each holds permission, action and topics.',
    zh: '用于查找客户端的文档，每个文档包含 permission、action 和 topics。',
  },
  limit: { en: 'Documents at most', zh: '最多读取文档数' },
  skip: { en: 'Skip the first', zh: '跳过的文档数' },
  cmd: { en: 'Command', zh: '命令' },
  cmdText: {
    en: 'HGETALL of a hash: each field is a topic filter, its value the action (publish, subscribe, all) or a rule in JSON.',
    zh: '使用 HGETALL 读取哈希表：字段为主题过滤器，值为动作（publish、subscribe、all）或 JSON 格式的规则。',
  },
  cmdFault: { en: 'Write HGETALL and one key', zh: '格式为 HGETALL 加一个键名' },
  httpText: {
    en: 'The server answers 200 with a JSON object whose result is allow, deny or ignore; 204 allows. Any other answer leaves it to the next source.',
    zh: '服务返回 200 和 JSON 对象，其中 result 为 allow、deny 或 ignore；返回 204 表示允许。其他响应将交由下一个数据源处理。',
  },
  max_rules: { en: 'Rules per client at most', zh: '每个对象的最大规则数' },
  'max_rules.hint': {
    en: 'Of one client ID, one username, or for all. More are refused.',
    zh: '适用于单个客户端 ID、单个用户名或所有用户，超出将被拒绝。',
  },
  builtInText: {
    en: 'Rules are managed here, under Permissions. Those of the client ID are asked first, then those of the username, then those for all.',
    zh: '规则在“权限”中管理。依次匹配客户端 ID、用户名和所有用户的规则。',
  },

  rules: { en: 'Rules', zh: '规则' },
  restore: { en: 'Restore default', zh: '恢复默认' },
  restoreAsk: { en: 'Replace the rules with the default ones?', zh: '用默认规则替换当前规则？' },
  restoreText: {
    en: 'What stands in the editor is lost. Nothing counts before it is saved.',
    zh: '编辑器中的内容将丢失，保存之后才会生效。',
  },
  fixFirst: { en: 'Line {line}: {text}', zh: '第 {line} 行：{text}' },
});
