import { defineWords } from '../../i18n/words.ts';

export const createWords = defineWords({
  title: { en: 'Create bridge', zh: '创建桥接' },
  purpose: {
    en: 'First what it connects to, then how. It starts as soon as it is made.',
    zh: '先选择要连接的系统，再填写参数。创建后立即启动。',
  },
  steps: { en: 'Steps', zh: '步骤' },
  type: { en: 'Type', zh: '类型' },
  parameters: { en: 'Parameters', zh: '配置参数' },
  chooseType: { en: 'What it connects to', zh: '选择要连接的系统' },
  next: { en: 'Next', zh: '下一步' },
  previous: { en: 'Back', zh: '上一步' },
  create: { en: 'Create', zh: '创建' },
  taken: { en: 'There is a bridge of this type and name', zh: '已存在同类型同名称的桥接' },
  copyTitle: { en: 'Duplicate {id}', zh: '复制 {id}' },
  created: { en: 'Bridge {id} is created', zh: '桥接 {id} 已创建' },
  createdText: {
    en: 'It gets results when a rule sends to it. A rule picks messages and events and names the bridge as its action.',
    zh: '规则将结果发送到桥接。规则筛选消息与事件，并以该桥接作为动作。',
  },
  createRule: { en: 'Create a rule with it', zh: '用它创建规则' },
  toList: { en: 'Back to the list', zh: '返回列表' },
});
