import { defineWords } from '../i18n/words.ts';

export const words = defineWords({
  noSamples: { en: 'No samples in this range', zh: '该时间范围内没有采样数据' },
  showTable: { en: 'Show as table', zh: '以表格显示' },
  showChart: { en: 'Show as chart', zh: '以图表显示' },
  time: { en: 'Time', zh: '时间' },
  chart: { en: '{title}, chart', zh: '{title}，图表' },
  chartHelp: {
    en: 'Left and Right move the cursor, plus and minus zoom, Escape shows the whole range.',
    zh: '左右方向键移动光标，加号和减号缩放，Esc 显示完整范围。',
  },
  summary: {
    en: '{label}: now {last}, lowest {lowest}, highest {highest} at {highestAt}, mean {mean}.',
    zh: '{label}：当前 {last}，最低 {lowest}，最高 {highest}（{highestAt}），平均 {mean}。',
  },
  summaryNone: { en: '{label}: no samples.', zh: '{label}：没有采样数据。' },
  marks: { en: 'Alarms', zh: '告警' },
  mark: { en: 'Alarm {label} since {at}.', zh: '告警 {label}，始于 {at}。' },
  hide: { en: 'Hide {label}', zh: '隐藏{label}' },
  show: { en: 'Show {label}', zh: '显示{label}' },
  used: { en: '{used} of {total}', zh: '{used} / {total}' },
  full: { en: 'full', zh: '已满' },
  nearlyFull: { en: 'nearly full', zh: '即将用尽' },
  high: { en: 'high', zh: '偏高' },
});
