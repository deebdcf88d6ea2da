import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Backup', zh: '备份' },
  purpose: {
    en: 'Settings, users, keys, bans, rules and retained messages in one file. It holds every secret in clear: keep it as you keep the data folder.',
    zh: '将设置、用户、密钥、黑名单、授权规则和保留消息保存为一个文件。文件中的密钥均为明文，请像数据目录一样妥善保管。',
  },
  found: { en: '{count} {count|file|files}', zh: '{count} 个文件' },
  label: { en: 'Backup files', zh: '备份文件' },
  filename: { en: 'File name', zh: '文件名' },
  size: { en: 'Size', zh: '大小' },
  created_at: { en: 'Created at', zh: '创建时间' },
  node: { en: 'Node', zh: '节点' },
  empty: {
    en: 'No backup yet. Create one before a larger change, or upload one that another broker has made.',
    zh: '暂无备份。可在重大变更前创建备份，或上传其他 Broker 的备份文件。',
  },

  create: { en: 'Create backup', zh: '创建备份' },
  creating: { en: 'The backup is being written…', zh: '正在写入备份…' },
  created: { en: '{name} created', zh: '已创建 {name}' },
  createSlow: {
    en: 'The backup takes longer than 20 seconds. The broker goes on; the file appears here when it is done.',
    zh: '备份耗时超过 20 秒，Broker 仍在继续，完成后文件会出现在列表中。',
  },
  upload: { en: 'Upload', zh: '上传' },
  uploading: { en: '{name} is being uploaded…', zh: '正在上传 {name}…' },
  uploadFailed: { en: 'Upload Failed: {reason}', zh: '上传失败：{reason}' },
  importFailed: { en: 'Import Failed: {reason}', zh: '导入失败：{reason}' },
  uploaded: { en: '{name} uploaded', zh: '已上传 {name}' },
  extension: {
    en: 'Upload must match the required extension: .tar.gz',
    zh: '上传文件的扩展名必须为 .tar.gz',
  },
  tooLarge: {
    en: '{name} is too large for an upload. Restore it on the command line of the machine: npm start -- --import FILE',
    zh: '{name} 过大，无法上传。请在服务器的命令行中恢复：npm start -- --import FILE',
  },
  tooLargeCluster: {
    en: '{name} is too large for an upload. Restore it on the command line of a node: emqx ctl data import FILE',
    zh: '{name} 过大，无法上传。请在节点的命令行中恢复：emqx ctl data import FILE',
  },
  download: { en: 'Download', zh: '下载' },
  downloadBroken: { en: '{name} did not arrive to its end', zh: '{name} 未下载完整' },
  remove: { en: 'Delete', zh: '删除' },
  removeAsk: { en: 'Delete {name}?', zh: '删除 {name}？' },
  removeText: { en: 'The file cannot be brought back.', zh: '文件删除后无法恢复。' },
  removed: { en: '{name} deleted', zh: '已删除 {name}' },

  restore: { en: 'Restore', zh: '恢复' },
  restoreMore: { en: 'Restore…', zh: '恢复…' },
  restoreTitle: { en: 'Restore {name}?', zh: '恢复 {name}？' },
  restoreWhat: {
    en: 'Settings in the file take the place of those here. Entries in it are added, or replace those of their name; what exists only here stays.',
    zh: '文件中的设置将替换当前设置。文件中的条目会被添加，或替换同名条目；仅存在于此处的条目保持不变。',
  },
  restoreSignOut: {
    en: 'Users whose password it changes are signed out, maybe you too.',
    zh: '密码被更改的用户会被登出，可能包括您自己。',
  },
  restored: { en: '{name} restored', zh: '已恢复 {name}' },
  restoreSlow: {
    en: 'The restore takes longer than 20 seconds. The broker goes on; its log tells when it is done.',
    zh: '恢复耗时超过 20 秒，Broker 仍在继续，完成后会写入日志。',
  },
  reading: { en: 'The file is being read…', zh: '正在读取文件…' },
  noPreview: {
    en: 'This broker cannot tell beforehand what will change.',
    zh: '此 Broker 无法预览将要更改的内容。',
  },
  madeBy: { en: 'Version', zh: '版本' },
  madeAt: { en: 'Created at', zh: '创建时间' },
  madeOn: { en: 'Node', zh: '节点' },
  changes: { en: 'What will change', zh: '将要更改的内容' },
  nothing: { en: 'Nothing: all of it is here already.', zh: '无更改，文件内容与当前一致。' },
  kind: { en: 'Kind', zh: '类型' },
  added: { en: 'Added', zh: '新增' },
  changed: { en: 'Replaced', zh: '替换' },
  unchanged: { en: 'Unchanged', zh: '不变' },
  settings: { en: 'Settings', zh: '设置' },
  allSettingsSame: { en: 'All settings stay as they are.', zh: '所有设置保持不变。' },
  cancel: { en: 'Cancel', zh: '取消' },
  close: { en: 'Close', zh: '关闭' },

  // Kinds of rows
  certificates: { en: 'Certificates and keys of listeners', zh: '监听器的证书与密钥' },
  users: { en: 'Users', zh: '用户' },
  api_keys: { en: 'API keys', zh: 'API 密钥' },
  banned: { en: 'Blacklist', zh: '黑名单' },
  authn_users: { en: 'Clients with a password (authentication)', zh: '认证数据库中的用户' },
  authz_rules: { en: 'Permissions (authorization)', zh: '授权规则' },
  retained: { en: 'Retained messages', zh: '保留消息' },
});
