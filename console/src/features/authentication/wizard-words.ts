import { defineWords } from '../../i18n/words.ts';

export const wizardWords = defineWords({
  title: { en: 'Add authenticator', zh: '添加认证器' },
  purpose: {
    en: 'It is added at the end of the chain and checks clients at once.',
    zh: '将添加到认证链末尾并立即生效。',
  },
  steps: { en: 'Steps', zh: '步骤' },
  mechanism: { en: 'Mechanism', zh: '认证方式' },
  backend: { en: 'Backend', zh: '数据源' },
  parameters: { en: 'Parameters', zh: '配置参数' },
  chooseMechanism: { en: 'How clients prove who they are', zh: '客户端如何证明身份' },
  chooseBackend: { en: 'Where their passwords are', zh: '密码保存在哪里' },
  added: { en: 'Added', zh: '已添加' },
  next: { en: 'Next', zh: '下一步' },
  previous: { en: 'Back', zh: '上一步' },
  create: { en: 'Create', zh: '创建' },
  created: { en: '{name} checks clients from now on', zh: '{name} 已添加，即刻生效' },
  addUsers: { en: 'Add users', zh: '添加用户' },
  nothingLeft: {
    en: 'Everything this console knows is in the chain already.',
    zh: '控制台支持的认证器均已添加。',
  },
  unread: {
    en: 'The authenticators that exist could not be read, so none is marked here.',
    zh: '未能读取现有认证器，因此这里没有标记。',
  },
  password_based: {
    en: 'A client shows a username or client ID and a password.',
    zh: '客户端使用用户名或客户端 ID 加密码连接。',
  },
  jwt: {
    en: 'A client shows a signed token that somebody else has issued.',
    zh: '客户端使用由其他系统签发的令牌连接。',
  },
  scram: {
    en: 'A client proves its password without sending it; MQTT 5.0 only.',
    zh: '客户端无需发送密码即可证明身份，仅适用于 MQTT 5.0。',
  },
  built_in_database: {
    en: 'Users are kept in the broker itself and managed here.',
    zh: '用户保存在 Broker 内部，在此管理。',
  },
  mysql: { en: 'A query finds the password hash.', zh: '通过 SQL 查询密码哈希。' },
  mongodb: { en: 'A document holds the password hash.', zh: '从文档中读取密码哈希。' },
  postgresql: { en: 'A query finds the password hash.', zh: '通过 SQL 查询密码哈希。' },
  http: { en: 'A service of yours decides.', zh: '由您的 HTTP 服务判断。' },
  redis: { en: 'A hash holds the password hash.', zh: '从哈希表中读取密码哈希。' },
  jwtBackend: {
    en: 'A token carries its own proof, so there is no backend to choose. The keys that check it come next.',
    zh: '令牌自带证明，无需选择数据源。下一步配置用于校验令牌的密钥。',
  },
  scramBackend: {
    en: 'Users and what proves their passwords are kept in the broker itself.',
    zh: '用户及其密码校验信息保存在 Broker 内部。',
  },
});
