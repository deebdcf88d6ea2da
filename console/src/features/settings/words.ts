import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Settings', zh: '设置' },
  purpose: {
    en: 'How the console looks in this browser, and what the broker tells. Every change holds at once.',
    zh: '控制台在此浏览器中的外观，以及 Broker 的遥测，更改立即生效。',
  },
  look: { en: 'Look, in this browser', zh: '外观（仅此浏览器）' },
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
  telemetry: { en: 'Telemetry of the broker', zh: 'Broker 遥测' },
  telemetrySwitch: { en: 'Telemetry', zh: '遥测' },
  telemetryText: {
    en: 'Off unless you switch it on. mqdeck sends nothing to anybody either way: switched on, it shows here what could be told.',
    zh: '默认关闭。无论是否启用，mqdeck 都不会向任何人发送数据；启用后仅在此处显示可上报的内容。',
  },
  telemetryCluster: {
    en: 'Off unless somebody switched it on. An EMQX cluster sends these figures to its vendor while it is on.',
    zh: '默认关闭。启用后，EMQX 集群会将这些数据发送给其厂商。',
  },
  telemetryOn: { en: 'Telemetry is on', zh: '遥测已启用' },
  telemetryOff: { en: 'Telemetry is off', zh: '遥测已关闭' },
  telemetryData: { en: 'What could be told', zh: '可上报的内容' },
  light: { en: 'Light', zh: '浅色' },
  dark: { en: 'Dark', zh: '深色' },
});
