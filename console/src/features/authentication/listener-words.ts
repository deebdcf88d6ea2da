import { defineWords } from '../../i18n/words.ts';

/** What is said otherwise where the chain is a listener's own. */
export const listenerWords = defineWords({
  title: { en: 'Authentication of {listener}', zh: '{listener} 的认证' },
  addTitle: { en: 'Add authenticator to {listener}', zh: '为 {listener} 添加认证器' },
  purpose: {
    en: 'A chain of its own replaces the global one for the clients of this listener: as soon as one authenticator here is enabled, the global chain is not asked any more.',
    zh: '监听器自己的认证链会取代全局认证链：只要这里启用了一个认证器，该监听器的客户端就不再经过全局认证链。',
  },
  usesGlobalTitle: { en: 'The global chain decides', zh: '由全局认证链决定' },
  usesGlobal: {
    en: 'No authenticator of this listener is enabled, so its clients are checked by the global chain.',
    zh: '该监听器没有启用自己的认证器，其客户端由全局认证链检查。',
  },
  emptyTitle: { en: 'No chain of its own', zh: '没有自己的认证链' },
  emptyText: {
    en: 'The clients of this listener are checked by the global chain. Add an authenticator to have them checked here instead.',
    zh: '该监听器的客户端由全局认证链检查。添加认证器后，将改由这里的认证链检查。',
  },
  offTitle: { en: 'This listener checks nobody', zh: '该监听器不进行认证' },
  off: {
    en: 'Authentication is switched off in its settings: every client is let in, whatever stands here or in the global chain.',
    zh: '其设置中已关闭认证：无论此处或全局认证链如何配置，所有客户端都可以连接。',
  },
  listenerSettings: { en: 'Settings of the listener', zh: '监听器设置' },
  global: { en: 'Global chain', zh: '全局认证链' },
  listeners: { en: 'All listeners', zh: '全部监听器' },
  missing: { en: 'There is no listener {listener}', zh: '没有监听器 {listener}' },
  missingText: {
    en: 'It was deleted, or the address is wrong.',
    zh: '它已被删除，或地址有误。',
  },
  disableLast: {
    en: 'It is the last enabled authenticator of this listener. Without it the global chain checks the clients that connect.',
    zh: '这是该监听器最后一个启用的认证器。禁用后，之后连接的客户端由全局认证链检查。',
  },
  removeLast: {
    en: 'It is the last enabled authenticator of this listener: the global chain checks its clients then.',
    zh: '这是该监听器最后一个启用的认证器，删除后其客户端由全局认证链检查。',
  },
});
