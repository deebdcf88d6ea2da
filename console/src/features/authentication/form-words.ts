import { defineWords } from '../../i18n/words.ts';

export const formWords = defineWords({
  userIdType: { en: 'Users are known by', zh: '用户标识类型' },
  userIdTypeHint: {
    en: 'What a client shows that must be the user’s id.',
    zh: '用客户端的哪一项信息与用户 ID 比对。',
  },
  byUsername: { en: 'Username', zh: '用户名' },
  byClientid: { en: 'Client ID', zh: '客户端 ID' },
  passwords: { en: 'Passwords', zh: '密码' },
  passwordsText: {
    en: 'How a password becomes the hash that is stored and compared.',
    zh: '密码如何加密保存与比对。',
  },
  lookup: { en: 'Finding the user', zh: '查询用户' },

  query: { en: 'SQL', zh: 'SQL' },
  queryText: {
    en: 'Selects one row with password_hash and, where they are used, salt and is_superuser (1, true or yes).',
    zh: '查询一行数据，包含 password_hash，以及需要时的 salt 和 is_superuser（1、true 或 yes）。',
  },
  filter: { en: 'Filter', zh: '过滤条件' },
  filterText: {
    en: 'Finds the user’s document; a JSON object of MongoDB’s query language.',
    zh: '用于查找用户文档，使用 MongoDB 查询语法的 JSON 对象。',
  },
  cmd: { en: 'Command', zh: '命令' },
  cmdText: {
    en: 'HMGET or HGET of a hash with password_hash and, where they are used, salt and is_superuser.',
    zh: '使用 HMGET 或 HGET 读取包含 password_hash，以及需要时的 salt 和 is_superuser 的哈希表。',
  },
  cmdFault: {
    en: 'Write HMGET, a key, then fields among password_hash, salt and is_superuser; password_hash is needed',
    zh: '格式为 HMGET、键名、字段名；字段可选 password_hash、salt、is_superuser，其中 password_hash 必填',
  },
  collection: { en: 'Collection', zh: '集合' },
  passwordHashField: { en: 'Field of the password hash', zh: '密码哈希字段' },
  saltField: { en: 'Field of the salt', zh: '盐值字段' },
  superuserField: { en: 'Field of the superuser flag', zh: '超级用户字段' },
  httpTitle: { en: 'What the server answers', zh: '服务的响应' },
  httpText: {
    en: 'The server answers 200 with a JSON object whose result is allow, deny or ignore, and which may hold is_superuser; 204 lets the client in. Any other answer leaves it to the next authenticator.',
    zh: '服务返回 200 和 JSON 对象，其中 result 为 allow、deny 或 ignore，并可包含 is_superuser；返回 204 表示允许。其他响应将交由下一个认证器处理。',
  },

  keys: { en: 'Keys', zh: '密钥' },
  useJwks: { en: 'Keys come from', zh: '密钥来源' },
  fixedKey: { en: 'These settings (JWT)', zh: '此处配置（JWT）' },
  jwks: { en: 'A key server (JWKS)', zh: '密钥服务（JWKS）' },
  algorithm: { en: 'Signature', zh: '签名方式' },
  hmac: { en: 'Shared secret (HMAC)', zh: '共享密钥（HMAC）' },
  publicKey: { en: 'Public key (RSA, ECDSA)', zh: '公钥（RSA、ECDSA）' },
  secret: { en: 'Secret', zh: 'Secret' },
  base64: { en: 'The secret is Base64-encoded', zh: 'Secret 为 Base64 编码' },
  publicKeyHint: {
    en: 'PEM text of a public key or a certificate.',
    zh: '公钥或证书的 PEM 文本。',
  },
  endpoint: { en: 'JWKS endpoint', zh: 'JWKS 端点' },
  endpointFault: {
    en: 'A URL begins with http:// or https:// and names a host',
    zh: 'URL 须以 http:// 或 https:// 开头并包含主机',
  },
  refreshInterval: { en: 'Refresh interval', zh: '刷新间隔' },
  seconds: { en: 'seconds', zh: '秒' },
  headers: { en: 'Headers', zh: '请求头' },
  poolSize: { en: 'Connection pool size', zh: '连接池大小' },
  token: { en: 'Token', zh: '令牌' },
  from: { en: 'The client shows its token as', zh: '客户端提交令牌的位置' },
  asPassword: { en: 'Password', zh: '密码' },
  asUsername: { en: 'Username', zh: '用户名' },
  verifyClaims: { en: 'Claims that must match', zh: '需要校验的声明' },
  verifyClaimsHint: {
    en: 'A token is refused when a claim is missing or differs. Values may hold placeholders.',
    zh: '声明缺失或不一致时拒绝该令牌。值中可以使用占位符。',
  },
  claim: { en: 'Claim', zh: '声明' },
  expected: { en: 'Expected value', zh: '期望值' },
  aclClaim: { en: 'Claim with permissions', zh: '权限声明' },
  aclClaimHint: {
    en: 'Rules in this claim are asked before all other permissions.',
    zh: '该声明中的规则优先于其他所有权限。',
  },
  disconnect: { en: 'Disconnect when the token expires', zh: '令牌过期后断开连接' },

  scramText: {
    en: 'Clients of MQTT 5.0 prove that they know the password without sending it.',
    zh: 'MQTT 5.0 客户端无需发送密码即可证明其知道密码。',
  },
  scramAlgorithm: { en: 'Hash', zh: '哈希算法' },
  iterationCount: { en: 'Iterations', zh: '迭代次数' },
  iterationHint: { en: 'Of users added from now on.', zh: '对之后添加的用户生效。' },

  hashAskTitle: { en: 'Change how passwords are stored?', zh: '修改密码加密方式？' },
  hashAskText: {
    en: 'Users that exist were stored the old way and can no longer connect until each gets a new password.',
    zh: '现有用户的密码是按原方式保存的，重新设置密码之前将无法连接。',
  },
  idAskText: {
    en: 'Users that exist are then compared with another thing that the client shows.',
    zh: '现有用户将与客户端的另一项信息比对。',
  },
  hashAskAction: { en: 'Change', zh: '修改' },
});
