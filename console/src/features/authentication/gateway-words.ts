import { defineWords } from '../../i18n/words.ts';

/** What is said otherwise where devices of a gateway are checked. */
export const gatewayWords = defineWords({
  emptyTitle: { en: 'Every device is let in', zh: '所有设备都可以接入' },
  emptyText: {
    en: 'No authenticator checks the devices of this gateway. The chain of MQTT clients does not concern them.',
    zh: '没有认证器检查该网关的设备，MQTT 客户端的认证链对它们不生效。',
  },
  add: { en: 'Add authentication', zh: '添加认证' },
  addTitle: { en: 'Add authentication to {gateway}', zh: '为 {gateway} 添加认证' },
  close: { en: 'Close', zh: '关闭' },
  created: { en: '{name} checks devices from now on', zh: '{name} 已添加，即刻检查设备' },
  tabs: { en: 'Parts of the authenticator', zh: '认证器内容' },
  settings: { en: 'Settings', zh: '设置' },
  users: { en: 'Users', zh: '用户' },
  enable: { en: 'Enabled', zh: '启用' },
  enableOf: { en: 'Enable {name}', zh: '启用 {name}' },
  enabled: { en: '{name} checks devices again', zh: '{name} 已启用，重新检查设备' },
  disabled: { en: '{name} checks nobody', zh: '{name} 已禁用，不再检查设备' },
  disable: { en: 'Disable', zh: '禁用' },
  disableAsk: { en: 'Disable {name}?', zh: '禁用 {name}？' },
  disableText: {
    en: 'Every device is let in until it is enabled again. Those that are connected stay.',
    zh: '重新启用前所有设备都可以接入，已连接的设备不受影响。',
  },
  offTitle: { en: 'It is disabled', zh: '认证器已禁用' },
  off: { en: 'Every device is let in.', zh: '所有设备都可以接入。' },
  remove: { en: 'Delete', zh: '删除' },
  removeAsk: { en: 'Delete {name}?', zh: '删除 {name}？' },
  removeText: {
    en: 'Every device is let in then. Those that are connected stay.',
    zh: '删除后所有设备都可以接入，已连接的设备不受影响。',
  },
  removeUsersText: {
    en: 'Its users are lost, and every device is let in then. Those that are connected stay.',
    zh: '其用户将丢失，之后所有设备都可以接入。已连接的设备不受影响。',
  },
  removed: { en: '{name} is deleted', zh: '{name} 已删除' },
  loadFailed: { en: 'The authentication could not be loaded', zh: '认证加载失败' },
  unknownKind: {
    en: 'This console has no form for {id}; use the API',
    zh: '控制台没有 {id} 的表单，请使用 API',
  },
});
