import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  title: { en: 'Gateway', zh: '网关' },
  purpose: {
    en: 'Devices that do not speak MQTT join the same broker: what they send is a message like any other.',
    zh: '不使用 MQTT 的设备也能接入 Broker，其消息与其他消息一样处理。',
  },
  found: { en: '{running} of {count} running', zh: '{count} 个中 {running} 个运行中' },
  empty: { en: 'This broker has no gateways.', zh: '该 Broker 没有网关。' },

  stomp: { en: 'STOMP', zh: 'STOMP' },
  mqttsn: { en: 'MQTT-SN', zh: 'MQTT-SN' },
  coap: { en: 'CoAP', zh: 'CoAP' },
  lwm2m: { en: 'LwM2M', zh: 'LwM2M' },
  exproto: { en: 'ExProto', zh: 'ExProto' },
  stompText: {
    en: 'Applications and web pages that exchange text frames',
    zh: '使用文本帧通信的应用与网页',
  },
  mqttsnText: {
    en: 'Sensors in radio networks, with datagrams and no connections',
    zh: '无线网络中的传感器，以小数据报代替连接',
  },
  coapText: {
    en: 'Small devices that ask and answer as in HTTP, over UDP',
    zh: '通过 UDP 以类似 HTTP 的方式请求和应答的小型设备',
  },
  lwm2mText: {
    en: 'Devices whose objects are read, written and observed from here',
    zh: '可从此处读取、写入和观察其对象的设备',
  },
  exprotoText: {
    en: 'A protocol of your own: your gRPC service reads and writes its bytes',
    zh: '自定义协议：由您的 gRPC 服务解析和生成字节',
  },

  name: { en: 'Gateway', zh: '网关' },
  status: { en: 'State', zh: '状态' },
  connections: { en: 'Connections', zh: '连接' },
  connectionsCount: { en: 'Connections', zh: '连接数' },
  listeners: { en: 'Listeners', zh: '监听器' },
  enable: { en: 'Enabled', zh: '启用' },
  deeds: { en: 'Open', zh: '打开' },
  running: { en: 'Running', zh: '运行中' },
  stopped: { en: 'Stopped', zh: '已停止' },
  unloaded: { en: 'Not set up', zh: '未配置' },
  noLimit: { en: '{count}, no limit', zh: '{count}，不限制' },
  ofLimit: { en: '{count} of {limit}', zh: '{count} / {limit}' },
  enableOf: { en: 'Enable {name}', zh: '启用 {name}' },
  settings: { en: 'Settings', zh: '设置' },
  auth: { en: 'Authentication', zh: '认证' },
  setUp: { en: 'Set up', zh: '配置' },
  settingsOf: { en: 'Settings of {name}', zh: '{name} 设置' },
  connectionsOf: { en: 'Connections of {name}', zh: '{name} 连接' },
  setUpOf: { en: 'Set up {name}', zh: '配置 {name}' },
  setUpFirst: { en: 'Set it up first', zh: '请先配置' },
  noForm: {
    en: 'This console has no screens for gateways of this kind',
    zh: '控制台没有此类网关的页面',
  },
  failure: { en: 'It does not run: {reason}', zh: '未能运行：{reason}' },

  started: { en: '{name} is started', zh: '{name} 已启动' },
  stoppedNow: { en: '{name} is stopped', zh: '{name} 已停止' },
  stopAsk: { en: 'Disable {name}?', zh: '禁用 {name}？' },
  stopText: {
    en: '{count} {count|device is|devices are} connected and will be disconnected; none can connect until the gateway is enabled again. Its settings stay.',
    zh: '当前有 {count} 个设备连接，禁用后会全部断开，重新启用前无法再连接。设置会保留。',
  },
  stopNobody: {
    en: 'No device is connected. None can connect until the gateway is enabled again. Its settings stay.',
    zh: '当前没有设备连接。重新启用前设备无法连接。设置会保留。',
  },
  stop: { en: 'Disable', zh: '禁用' },

  tabs: { en: 'Parts of the gateway', zh: '网关内容' },
  back: { en: 'All gateways', zh: '全部网关' },
  missing: { en: 'There is no gateway {name}', zh: '没有网关 {name}' },
  missingText: {
    en: 'The address is wrong, or this broker does not have it.',
    zh: '地址有误，或该 Broker 没有此网关。',
  },
  loadFailed: { en: 'The gateway could not be loaded', zh: '网关加载失败' },
  notSetUp: { en: '{name} is not set up', zh: '{name} 尚未配置' },
  notSetUpText: {
    en: 'Say what it is to be like and where it listens; then devices can connect.',
    zh: '完成配置并设置监听器后，设备即可连接。',
  },

  updateTitle: { en: 'Save and restart {name}?', zh: '保存并重启 {name}？' },
  updateText: {
    en: 'The gateway restarts with its new settings: {count} {count|device is|devices are} disconnected and {count|has|have} to connect again.',
    zh: '网关将以新设置重启：当前 {count} 个设备会断开并需要重新连接。',
  },
  updateNobody: {
    en: 'The gateway restarts with its new settings. No device is connected.',
    zh: '网关将以新设置重启。当前没有设备连接。',
  },
  updateStopped: {
    en: 'The gateway is disabled; it takes the new settings when it is enabled.',
    zh: '网关已禁用，启用时采用新设置。',
  },
  update: { en: 'Save', zh: '保存' },
  restarts: {
    en: 'Saving restarts the gateway: its devices are disconnected and connect again.',
    zh: '保存会重启网关：设备会断开并重新连接。',
  },

  createTitle: { en: 'Set up {name}', zh: '配置 {name}' },
  steps: { en: 'Steps', zh: '步骤' },
  basic: { en: 'Basics', zh: '基本' },
  authentication: { en: 'Authentication', zh: '认证' },
  next: { en: 'Next', zh: '下一步' },
  previous: { en: 'Back', zh: '上一步' },
  create: { en: 'Set up', zh: '完成配置' },
  created: { en: '{name} is set up', zh: '{name} 已配置' },
  addAuthentication: { en: 'Add authentication', zh: '添加认证' },
  isLoaded: { en: '{name} is set up already', zh: '{name} 已经配置' },
  isLoadedText: {
    en: 'Its settings can be changed, it cannot be set up a second time.',
    zh: '可以修改其设置，不能重复配置。',
  },
  whereListens: {
    en: 'Where devices connect. More can be added later, too.',
    zh: '设备的接入地址，之后也可以继续添加。',
  },
  authNotice: {
    en: 'Without authentication every device that reaches a listener is let in. Add an authenticator as soon as the gateway is set up: its page has a part for that.',
    zh: '未配置认证时，任何能访问监听器的设备都可以接入。网关配置完成后，请在其页面的“认证”中添加认证器。',
  },
  authNoticeHttp: {
    en: 'Devices of this protocol show no password, so only an HTTP service of yours can decide about them.',
    zh: '此协议的设备不提供密码，只能由您的 HTTP 服务判断是否允许接入。',
  },
});
