import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Test access', zh: '访问测试' },
  purpose: {
    en: 'Who decides about a client, step by step. Nobody is disconnected or banned, and no figure moves.',
    zh: '逐步查看由谁决定一个客户端的访问。不会断开或封禁任何客户端，也不影响任何统计。',
  },
  question: { en: 'Client and request', zh: '客户端与请求' },
  result: { en: 'Result', zh: '结果' },
  test: { en: 'Test', zh: '测试' },
  empty: {
    en: 'Fill in a client ID to see who lets it in, and what it may publish or subscribe to.',
    zh: '填写客户端 ID，查看谁允许它连接，以及它可以发布或订阅什么。',
  },
  failed: { en: 'The test did not succeed', zh: '测试失败' },
  notConnected: { en: 'No client of this ID is connected', zh: '没有使用此 ID 的已连接客户端' },
  notConnectedText: {
    en: 'Turn off "As it is connected now" to test it by what it would say of itself.',
    zh: '关闭“按当前连接测试”，以填写的信息进行测试。',
  },

  // The form
  clientid: { en: 'Client ID', zh: '客户端 ID' },
  connected: { en: 'As it is connected now', zh: '按当前连接测试' },
  'connected.hint': {
    en: 'With its username, address, listener, and what its login gave it: superuser, attributes, rules of its token.',
    zh: '使用其用户名、地址、监听器，以及登录时获得的信息：超级用户、属性、令牌中的规则。',
  },
  username: { en: 'Username', zh: '用户名' },
  peerhost: { en: 'IP address', zh: 'IP 地址' },
  listener: { en: 'Listener', zh: '监听器' },
  'listener.hint': {
    en: 'Its own authenticators count, where it has some.',
    zh: '如果监听器配置了认证器，则以其为准。',
  },
  password: { en: 'Password', zh: '密码' },
  'password.hint': {
    en: 'Empty: authentication is not tried. It is neither stored nor put into the address.',
    zh: '留空则不测试认证。密码不会被保存，也不会出现在地址中。',
  },
  action: { en: 'Action', zh: '动作' },
  publish: { en: 'Publish', zh: '发布' },
  subscribe: { en: 'Subscribe', zh: '订阅' },
  topic: { en: 'Topic', zh: '主题' },
  'topic.hint': { en: 'Empty: only the connection is tested.', zh: '留空则只测试连接。' },
  qos: { en: 'QoS', zh: 'QoS' },
  retain: { en: 'Retain', zh: '保留' },
  badTopic: { en: 'A topic to publish to has no wildcards', zh: '发布的主题不能包含通配符' },
  badFilter: {
    en: 'Not a topic filter: + and # fill a whole level, and # stands last',
    zh: '主题过滤器无效：+ 和 # 须独占一级，# 须在最后',
  },

  // The verdict
  allowed: { en: 'Allowed', zh: '允许' },
  refused: { en: 'Refused', zh: '拒绝' },
  unknown: { en: 'Not certain', zh: '无法确定' },
  'because.banned': { en: 'The blacklist keeps this client out.', zh: '黑名单禁止此客户端连接。' },
  'because.bad_credentials': {
    en: 'An authenticator refuses these credentials.',
    zh: '认证器拒绝了该凭据。',
  },
  'because.nobody_knows': {
    en: 'No authenticator knows this client, so it is refused.',
    zh: '没有认证器认识此客户端，因此拒绝连接。',
  },
  'because.may_connect': { en: 'The client may connect.', zh: '该客户端可以连接。' },
  'because.may_connect_untested': {
    en: 'Nothing keeps it out, as far as this goes without a password.',
    zh: '在未提供密码的情况下，没有任何限制阻止其连接。',
  },
  'because.system_topic': {
    en: 'Clients cannot publish below $SYS. Only the broker can.',
    zh: '客户端不能发布 $SYS 主题，只有 Broker 可以。',
  },
  'because.superuser': { en: 'A superuser may do everything.', zh: '超级用户不受限制。' },
  'because.rule': { en: 'The marked rule decides.', zh: '由标出的规则决定。' },
  'because.no_match': {
    en: 'No rule fits, so the setting for that case decides.',
    zh: '没有匹配的规则，由“未匹配时”的设置决定。',
  },
  'because.undecided': {
    en: 'A source could not be asked and no other decided, so it is refused.',
    zh: '有数据源无法查询，且其他数据源都未作决定，因此拒绝。',
  },
  'because.unknown': {
    en: 'Only the cluster can decide what is marked as not known.',
    zh: '标为未知的步骤只有集群能够判定。',
  },
  staysConnected: { en: 'The client stays connected.', zh: '客户端保持连接。' },
  isDisconnected: { en: 'The client is disconnected.', zh: '客户端会被断开连接。' },
  superuserUnknown: {
    en: 'Shown as for an ordinary client: whether it is a superuser shows at its login.',
    zh: '按普通客户端显示：是否为超级用户要在登录后才能确定。',
  },
  computed: {
    en: 'This cluster does not explain its decisions. This is worked out from its settings and lists; chains of single listeners are not looked at.',
    zh: '此集群不提供决策说明。以下结果根据其设置与列表推算，未考虑单个监听器的认证链。',
  },
  lookedAt: { en: 'Looked at', zh: '测试对象' },

  // The steps
  blacklist: { en: 'Blacklist', zh: '黑名单' },
  authentication: { en: 'Authentication', zh: '认证' },
  authorization: { en: 'Authorization', zh: '授权' },
  not_tried: { en: 'Not tried: no password was given.', zh: '未测试：没有提供密码。' },
  not_reached: { en: 'The client does not get that far.', zh: '客户端到不了这一步。' },
  not_asked: { en: 'Not tested: no topic was given.', zh: '未测试：没有填写主题。' },
  'result.allow': { en: 'Allows', zh: '允许' },
  'result.deny': { en: 'Refuses', zh: '拒绝' },
  'result.pass': { en: 'Does not decide', zh: '不作决定' },
  'result.failed': { en: 'No answer', zh: '无结果' },
  'result.unknown': { en: 'Not known', zh: '未知' },
  decides: { en: 'decides', zh: '决定' },
  no_ban: { en: 'No entry fits', zh: '没有匹配的条目' },
  no_authenticator: {
    en: 'No authenticator is enabled: everybody is let in',
    zh: '没有启用认证器：允许所有客户端连接',
  },
  system_topic: { en: 'System topic', zh: '系统主题' },
  superuser: { en: 'Superuser', zh: '超级用户' },
  acl: { en: 'Rules of its credentials', zh: '凭据附带的规则' },
  no_match: { en: 'Setting for no match', zh: '“未匹配时”设置' },
  undecided: { en: 'Nobody decided', zh: '无人决定' },
  ruleOf: { en: 'Rule {index}', zh: '第 {index} 条规则' },
  lineOf: { en: 'Line {line}', zh: '第 {line} 行' },
  ofClientid: { en: 'of the client ID', zh: '客户端 ID 的规则' },
  ofUsername: { en: 'of the username', zh: '用户名的规则' },
  ofAll: { en: 'for all', zh: '全体规则' },
  'notKnown.password': {
    en: 'Only the cluster can check who connects.',
    zh: '只有集群能够验证连接者的身份。',
  },
  'notKnown.elsewhere': {
    en: 'It asks another system, which only the cluster can do.',
    zh: '它需要查询外部系统，只有集群能够完成。',
  },
  'notKnown.unreadable': {
    en: 'It holds a rule or a pattern that cannot be tried here.',
    zh: '其中含有无法在此测试的规则或正则表达式。',
  },
  'notKnown.not_listed': {
    en: 'The cluster does not tell all of it.',
    zh: '集群未提供完整信息。',
  },
  password_based: { en: 'Password-Based', zh: '密码认证' },
  jwt: { en: 'JWT', zh: 'JWT' },
  scram: { en: 'SCRAM', zh: 'SCRAM' },
  file: { en: 'File', zh: '文件' },
  built_in_database: { en: 'Built-in database', zh: '内置数据库' },
  mysql: { en: 'MySQL', zh: 'MySQL' },
  postgresql: { en: 'PostgreSQL', zh: 'PostgreSQL' },
  mongodb: { en: 'MongoDB', zh: 'MongoDB' },
  redis: { en: 'Redis', zh: 'Redis' },
  http: { en: 'HTTP server', zh: 'HTTP 服务' },
});
