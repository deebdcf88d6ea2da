import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Settings', zh: '设置' },
  purpose: {
    en: 'For this browser only. Every change holds at once.',
    zh: '仅对此浏览器有效，更改立即生效。',
  },
  look: { en: 'Look', zh: '外观' },
  language: { en: 'Language', zh: '语言' },
  languageText: {
    en: 'Of the console; names from the broker stay as they are.',
    zh: '控制台的语言，Broker 返回的名称保持原样。',
  },
  sync: { en: 'Sync with the OS theme', zh: '跟随系统主题' },
  syncText: {
    en: 'Light or dark as the operating system is, also when it changes.',
    zh: '随操作系统切换浅色或深色，系统更改时同步更改。',
  },
  theme: { en: 'Theme', zh: '主题' },
  themeText: {
    en: 'Dark suits a control room, light a bright office.',
    zh: '深色适合监控室，浅色适合明亮的办公环境。',
  },
  themeSynced: { en: 'Follows the operating system.', zh: '正在跟随操作系统。' },
  light: { en: 'Light', zh: '浅色' },
  dark: { en: 'Dark', zh: '深色' },
});
