import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Help', zh: '帮助' },
  keyboard: { en: 'Keyboard shortcuts', zh: '键盘快捷键' },
  here: { en: 'On this server', zh: '本服务器' },
  apiDocs: { en: 'REST API', zh: 'REST API' },
  apiDocsText: {
    en: 'Every endpoint with its fields and error codes, as OpenAPI.',
    zh: '全部接口及其字段、错误码，OpenAPI 格式。',
  },
  health: { en: 'Health check', zh: '健康检查' },
  healthText: {
    en: 'One line that says whether the broker runs; for load balancers.',
    zh: '一行文本说明 Broker 是否运行，供负载均衡使用。',
  },
  mqtt: { en: 'MQTT', zh: 'MQTT' },
  mqtt5: { en: 'MQTT 5.0', zh: 'MQTT 5.0' },
  mqtt5Text: { en: 'The specification, at OASIS.', zh: 'OASIS 发布的协议规范。' },
  mqtt311: { en: 'MQTT 3.1.1', zh: 'MQTT 3.1.1' },
  mqtt311Text: { en: 'The specification that many devices still speak.', zh: '许多设备仍在使用的协议规范。' },
  newWindow: { en: 'opens in a new tab', zh: '在新标签页中打开' },
});
