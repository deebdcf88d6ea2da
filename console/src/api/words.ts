import { defineWords } from '../i18n/words.ts';

export const words = defineWords({
  expired: {
    en: 'Login has expired, please login again',
    zh: '登录已过期，请重新登录',
  },
  wrongCredentials: { en: 'Incorrect username or password', zh: '用户名或密码错误' },
  failure: { en: '{status} {code}:{message}', zh: '{status} {code}:{message}' },
  networkError: { en: '{status} Network error', zh: '{status} 网络错误' },
  someError: { en: 'Some error occurred', zh: '出现了一些错误' },
  noAnswer: {
    en: 'The server does not answer. It may be stopped, or the network between is broken.',
    zh: '服务器无响应，可能已停止运行或网络已断开。',
  },
  notUnderstood: {
    en: "The broker's answer could not be understood",
    zh: '无法识别 Broker 返回的内容',
  },
  addressTooLong: {
    en: 'The id is too long for the address of a request, so this cannot be asked',
    zh: 'ID 过长，超出请求地址的长度限制，无法查询',
  },
  resultUnknown: {
    en: 'It is not known whether this was done. Check before trying again.',
    zh: '无法确认操作是否已生效，请先核实再重试。',
  },
  notAvailable: { en: 'Not available on this broker', zh: '此 Broker 不支持该功能' },
  notAvailableWhy: {
    en: 'The broker behind this console does not offer this. A newer version or another edition may.',
    zh: '控制台所连接的 Broker 未提供此功能，较新的版本或其他发行版可能支持。',
  },
  undo: { en: 'Undo', zh: '撤销' },
});
