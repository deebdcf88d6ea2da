import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Users', zh: '用户' },
  purpose: { en: 'Who may sign in to this console.', zh: '可以登录控制台的用户。' },
  found: { en: '{count} {count|user|users}', zh: '{count} 个用户' },
  empty: { en: 'There are no users.', zh: '没有用户。' },
  username: { en: 'Username', zh: '用户名' },
  you: { en: 'you', zh: '当前用户' },
  description: { en: 'Note', zh: '备注' },

  add: { en: 'Add user', zh: '添加用户' },
  added: { en: '{username} may sign in now', zh: '已添加用户 {username}' },
  editNote: { en: 'Edit note', zh: '编辑备注' },
  noteOf: { en: 'Note of {username}', zh: '{username} 的备注' },
  noteSaved: { en: 'The note is saved', zh: '备注已保存' },
  changePassword: { en: 'Change password', zh: '修改密码' },
  passwordOf: { en: 'Password of {username}', zh: '修改 {username} 的密码' },
  passwordChanged: {
    en: 'The password of {username} is changed; whoever was signed in with it is signed out',
    zh: '{username} 的密码已修改，其已登录的会话已失效',
  },
  ownPasswordText: {
    en: '{rule}. You are signed out afterwards and sign in with the new password.',
    zh: '{rule}。修改后将退出登录，请使用新密码重新登录。',
  },
  ownPasswordChanged: {
    en: 'The password is changed. Sign in with the new one.',
    zh: '密码已修改，请使用新密码登录。',
  },
  remove: { en: 'Delete', zh: '删除' },
  removeAsk: { en: 'Delete the user {username}?', zh: '删除用户 {username}？' },
  removeText: {
    en: 'The user is signed out everywhere and cannot sign in again. This cannot be undone.',
    zh: '该用户将在所有位置退出登录，且无法再次登录。此操作无法恢复。',
  },
  removed: { en: 'The user {username} is deleted', zh: '已删除用户 {username}' },
  notYourself: { en: 'Nobody can delete himself', zh: '不能删除当前登录的用户' },
  notDefault: { en: 'The default user cannot be deleted', zh: '不能删除默认用户' },

  password: { en: 'Password', zh: '密码' },
  repeat: { en: 'Repeat the password', zh: '再次输入密码' },
  old_pwd: { en: 'Old password', zh: '旧密码' },
  new_pwd: { en: 'New password', zh: '新密码' },
  repeatNew: { en: 'Repeat the new password', zh: '再次输入新密码' },
  usernameRequired: { en: 'Username is required', zh: '请输入用户名' },
  usernameRule: {
    en: 'A username consists of letters, digits and underscores',
    zh: '用户名只能包含字母、数字和下划线',
  },
  usernameTaken: { en: 'A user of this name exists already', zh: '用户名已存在' },
  rule: {
    en: 'The password must be 8 to 64 characters in length; contain at least two of the letters, numbers and symbols',
    zh: '密码长度须为 8 到 64 个字符，且至少包含字母、数字和符号中的两种',
  },
  same: { en: 'The new and old passwords cannot be the same', zh: '新密码不能与旧密码相同' },
  mismatch: { en: "Two inputs don't match!", zh: '两次输入不一致！' },
  oldWrong: { en: 'The old password is wrong', zh: '旧密码错误' },
  'username.hint': { en: 'Letters, digits and underscores', zh: '字母、数字和下划线' },
});
