import { defineWords } from '../../i18n/words.ts';

export const flappingWords = defineWords({
  about: {
    en: 'A client that connects and disconnects again and again costs everybody. With detection on, its client ID is banned for a while.',
    zh: '反复连接又断开的客户端会占用资源。开启检测后，其客户端 ID 会被暂时封禁。',
  },
  enable: { en: 'Detect flapping clients', zh: '检测抖动客户端' },
  max_count: { en: 'Disconnections', zh: '断开次数' },
  'max_count.hint': {
    en: 'So many within the window, and the client is banned.',
    zh: '在时间窗口内达到该次数的客户端将被封禁。',
  },
  window_time: { en: 'Window', zh: '时间窗口' },
  ban_time: { en: 'Banned for', zh: '封禁时长' },
  times: { en: 'times', zh: '次' },
  atLeastOne: { en: 'Please enter a number greater than or equal 1', zh: '请输入大于或等于 1 的数字' },
  saved: { en: 'Flapping detection saved', zh: '抖动检测设置已保存' },
  missing: {
    en: 'This broker has no flapping detection among its settings.',
    zh: '此 Broker 的配置中没有抖动检测。',
  },
});
