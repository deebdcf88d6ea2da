import { defineWords } from '../../i18n/words.ts';

export const formWords = defineWords({
  server: { en: 'Server', zh: '服务' },
  serverText: {
    en: 'A gRPC service of yours, written from exhook.proto.',
    zh: '您依据 exhook.proto 编写的 gRPC 服务。',
  },
  saveProto: { en: 'Download exhook.proto', zh: '下载 exhook.proto' },
  name: { en: 'Name', zh: '名称' },
  nameFault: {
    en: 'Letters, digits, underscore and “-”, beginning with a letter or digit; 256 at most',
    zh: '由字母、数字、下划线和“-”组成，以字母或数字开头，最多 256 个字符',
  },
  url: { en: 'Address', zh: '地址' },
  urlFault: {
    en: 'Write http://host:port or https://host:port',
    zh: '格式为 http://主机:端口 或 https://主机:端口',
  },
  pool_size: { en: 'Connections', zh: '连接池大小' },
  request_timeout: { en: 'Wait for an answer at most', zh: '请求超时时间' },
  'request_timeout.hint': {
    en: 'A client or message that the server decides about waits as long.',
    zh: '由服务判定的客户端或消息最长等待该时间。',
  },
  failed_action: { en: 'Without an answer', zh: '请求失败时' },
  'failed_action.hint': {
    en: 'Of clients and messages that the server would have decided about.',
    zh: '适用于需由该服务判定的客户端和消息。',
  },
  deny: { en: 'Refuse', zh: '拒绝' },
  ignore: { en: 'Go on as if it had not asked', zh: '忽略并继续' },
  connection: { en: 'Connection', zh: '连接' },
  reconnect: { en: 'Reconnect by itself', zh: '自动重连' },
  auto_reconnect: { en: 'Longest pause between attempts', zh: '自动重连间隔' },
  'auto_reconnect.hint': {
    en: 'It begins with short pauses, which grow up to this.',
    zh: '重试间隔由短到长，最长为该值。',
  },
});
