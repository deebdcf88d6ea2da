import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'License', zh: '许可证' },
  trial: { en: 'Trial', zh: '试用' },
  expired: { en: 'Expired', zh: '已过期' },
  customer: { en: 'Customer', zh: '客户' },
  email: { en: 'Email', zh: '邮箱' },
  issuedAt: { en: 'Issued at', zh: '签发日期' },
  expiresAt: { en: 'Expires at', zh: '到期日期' },
  usage: { en: 'Usage', zh: '用量' },
  usageHint: {
    en: 'Clients connected, of those that the license allows',
    zh: '已连接的客户端数与许可证上限',
  },
  update: { en: 'Update license', zh: '更新许可证' },
  updateText: {
    en: 'Paste the license as you got it. It is in force at once; connected clients stay.',
    zh: '粘贴收到的许可证内容，更新后立即生效，已连接的客户端不受影响。',
  },
  key: { en: 'License key', zh: '许可证内容' },
  required: { en: 'License key is required', zh: '请输入许可证内容' },
  updated: { en: 'License updated', zh: '许可证已更新' },
  cancel: { en: 'Cancel', zh: '取消' },
  close: { en: 'Close', zh: '关闭' },

  noticeExpired: { en: 'The license expired on {day}', zh: '许可证已于 {day} 到期' },
  noticeExpiredText: {
    en: 'Ask your supplier for a new one. Until then the broker may refuse new clients.',
    zh: '请联系供应商获取新的许可证，在此之前新客户端可能会被拒绝连接。',
  },
  noticeTrial: { en: 'This is a trial until {day}', zh: '当前为试用许可证，{day} 到期' },
  noticeTrialText: {
    en: 'It allows {count} {count|client|clients} at a time. After that day no new client can connect.',
    zh: '最多允许 {count} 个客户端同时连接，到期后新客户端将无法连接。',
  },
  notAgain: { en: "Don't show again", zh: '不再显示' },
});
