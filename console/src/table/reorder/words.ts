import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  order: { en: 'Order', zh: '顺序' },
  grip: { en: 'Drag to move', zh: '拖动以移动' },
  hint: {
    en: 'To change the order, drag a row by its number, press Alt with ↑ or ↓ on it, or use its menu.',
    zh: '要调整顺序，可拖动行首的序号，在行上按 Alt + ↑ 或 ↓，或使用行菜单。',
  },
  top: { en: 'Move to top', zh: '置顶' },
  up: { en: 'Move up', zh: '上移' },
  down: { en: 'Move down', zh: '下移' },
  bottom: { en: 'Move to bottom', zh: '置底' },
  first: { en: 'It is the first already', zh: '已在最前' },
  last: { en: 'It is the last already', zh: '已在最后' },
  partial: {
    en: 'Clear the filters first: the whole list is not shown',
    zh: '请先清除筛选：当前未显示完整列表',
  },
  moved: { en: '{name} is now {position} of {count}', zh: '{name} 现在是第 {position} 项，共 {count} 项' },
  failed: {
    en: '{name} was not moved, the order is as before: {reason}',
    zh: '{name} 未能移动，顺序保持不变：{reason}',
  },
  unknown: { en: 'Unknown error', zh: '未知错误' },
});
