import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Sign in', zh: '登录' },
  cluster: { en: 'Console of {upstream}', zh: '{upstream} 的控制台' },
  username: { en: 'Username', zh: '用户名' },
  password: { en: 'Password', zh: '密码' },
  usernameRequired: { en: 'Username is required', zh: '请输入用户名' },
  passwordRequired: { en: 'Password is required', zh: '请输入密码' },
  show: { en: 'Show the password', zh: '显示密码' },
  hide: { en: 'Hide the password', zh: '隐藏密码' },
  submit: { en: 'Sign in', zh: '登录' },
  wrong: { en: 'Incorrect username or password', zh: '用户名或密码错误' },
  locked: {
    en: 'Too many failed logins. This user is locked for another {minutes} {minutes|minute|minutes}, then it can be tried again.',
    zh: '登录失败次数过多，该用户已锁定，请 {minutes} 分钟后重试。',
  },
  help: { en: 'Help', zh: '帮助' },
  changeTitle: { en: 'Change the default password', zh: '修改默认密码' },
  changeText: {
    en: 'You signed in with the default password, which everybody knows. Choose a new one for {username}.',
    zh: '你使用的是众所周知的默认密码，请为 {username} 设置新密码。',
  },
  newPassword: { en: 'New password', zh: '新密码' },
  repeat: { en: 'Repeat the new password', zh: '再次输入新密码' },
  rule: {
    en: 'The password must be 8 to 64 characters in length; contain at least two of the letters, numbers and symbols',
    zh: '密码长度须为 8 到 64 个字符，且至少包含字母、数字和符号中的两种',
  },
  same: {
    en: 'The new and old passwords cannot be the same',
    zh: '新密码不能与旧密码相同',
  },
  mismatch: { en: "Two inputs don't match!", zh: '两次输入不一致！' },
  change: { en: 'Change the password', zh: '修改密码' },
  changed: { en: 'The password is changed', zh: '密码已修改' },
  skip: { en: 'Skip for now', zh: '暂时跳过' },
});
