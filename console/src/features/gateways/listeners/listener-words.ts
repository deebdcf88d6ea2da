import { listeningWords } from '../../../form/listening/words.ts';
import { defineWords } from '../../../i18n/words.ts';

/** Of the listeners of a gateway: their list, and their form by field. */
export const listenerWords = defineWords({
  ...listeningWords,
  title: { en: 'Listeners', zh: '监听器' },
  add: { en: 'Add listener', zh: '添加监听器' },
  edit: { en: 'Edit', zh: '编辑' },
  remove: { en: 'Delete', zh: '删除' },
  editOf: { en: 'Edit {id}', zh: '编辑 {id}' },
  removeOf: { en: 'Delete {id}', zh: '删除 {id}' },
  editTitle: { en: 'Listener {id}', zh: '监听器 {id}' },
  empty: {
    en: 'There is no listener, so no device can connect. Add one.',
    zh: '没有监听器，设备无法接入。请添加监听器。',
  },
  needed: { en: 'Add at least one listener', zh: '请至少添加一个监听器' },
  refusedOne: { en: 'The broker refused a listener: {reason}', zh: 'Broker 拒绝了监听器：{reason}' },
  name: { en: 'Name', zh: '名称' },
  'name.hint': {
    en: 'Letters, digits, - and _; begins with a letter or digit. It cannot be changed later.',
    zh: '由字母、数字、- 和 _ 组成，以字母或数字开头，创建后不能修改。',
  },
  nameTaken: {
    en: 'There is a listener of this type and name already',
    zh: '已存在同类型同名称的监听器',
  },
  type: { en: 'Type', zh: '类型' },
  tcp: { en: 'TCP', zh: 'TCP' },
  ssl: { en: 'TCP with TLS (ssl)', zh: '使用 TLS 的 TCP（ssl）' },
  udp: { en: 'UDP', zh: 'UDP' },
  dtls: { en: 'UDP with DTLS (dtls)', zh: '使用 DTLS 的 UDP（dtls）' },
  'bind.hint': {
    en: 'A port, or IP:port for one address only: 61613, 127.0.0.1:61613, [::1]:61613. Port 0 takes any free one.',
    zh: '端口，或只监听某个地址的 IP:端口，如 61613、127.0.0.1:61613、[::1]:61613。端口 0 表示任意空闲端口。',
  },
  'mountpoint.hint': {
    en: 'Instead of that of the gateway, for the devices of this listener.',
    zh: '该监听器的设备使用此挂载点，代替网关的挂载点。',
  },
  enable: { en: 'Start it at once', zh: '立即启动' },
  enable_authn: { en: 'Authentication', zh: '认证' },
  authnOn: { en: 'Devices are checked', zh: '检查设备' },
  authnOff: { en: 'Everybody is let in', zh: '允许所有设备' },
  devices: { en: 'devices', zh: '个设备' },
  perSecond: { en: 'per second', zh: '每秒' },
  state: { en: 'State', zh: '状态' },
  connections: { en: 'Connections', zh: '连接数' },
  deeds: { en: 'Change', zh: '操作' },
  enabled: { en: 'Enabled', zh: '启用' },
  enableOf: { en: 'Enable {id}', zh: '启用 {id}' },
  start: { en: 'Start', zh: '启动' },
  stop: { en: 'Stop', zh: '停止' },
  runsAlready: { en: 'It is running already', zh: '已在运行' },
  stoppedAlready: { en: 'It is stopped already', zh: '已经停止' },
  started: { en: '{id} is started', zh: '{id} 已启动' },
  enabledOnly: {
    en: '{id} is enabled; it starts together with its gateway',
    zh: '{id} 已启用，将随网关一起启动',
  },
  stoppedNow: { en: '{id} is stopped', zh: '{id} 已停止' },
  stopAsk: { en: 'Stop {id}?', zh: '停止 {id}？' },
  stopText: {
    en: '{count} {count|device is|devices are} connected through it and will be disconnected; none can connect through it until it is started again. Other listeners go on.',
    zh: '当前有 {count} 个设备通过它连接，停止后会全部断开；再次启动前设备无法通过它接入。其他监听器不受影响。',
  },
  stopNobody: {
    en: 'No device is connected through it. None can connect through it until it is started again. Other listeners go on.',
    zh: '当前没有设备通过它连接。再次启动前设备无法通过它接入。其他监听器不受影响。',
  },
  noLimit: { en: '{count}, no limit', zh: '{count}，不限制' },
  ofLimit: { en: '{count} of {limit}', zh: '{count} / {limit}' },
  unlimited: { en: 'No limit', zh: '不限制' },
  failure: { en: 'It does not listen: {reason}', zh: '监听失败：{reason}' },
  missing: { en: 'There is no listener {id}', zh: '没有监听器 {id}' },
  missingText: { en: 'It was deleted, or the address is wrong.', zh: '它已被删除，或地址有误。' },
  loadFailed: { en: 'The listener could not be loaded', zh: '监听器加载失败' },
  close: { en: 'Close', zh: '关闭' },
  done: { en: 'Done', zh: '完成' },
  created: { en: '{id} is created', zh: '{id} 已创建' },
  saved: { en: '{id} is saved', zh: '{id} 已保存' },
  removed: { en: '{id} is deleted', zh: '{id} 已删除' },
  askTitle: { en: 'Save {id}?', zh: '保存 {id}？' },
  askMoves: {
    en: 'The listener restarts at its new address: {count} {count|device is|devices are} connected through it and will be disconnected. Other listeners go on.',
    zh: '监听器将在新地址重启：当前通过它连接的 {count} 个设备会断开。其他监听器不受影响。',
  },
  askMovesNobody: {
    en: 'The listener restarts at its new address. No device is connected through it. Other listeners go on.',
    zh: '监听器将在新地址重启，当前没有设备通过它连接。其他监听器不受影响。',
  },
  askStays: {
    en: 'The listener takes the new settings at once. Devices that are connected stay; for them most changes hold from their next connection on. Other listeners go on.',
    zh: '监听器立即采用新设置。已连接的设备保持连接，大部分更改从其下次连接起生效。其他监听器不受影响。',
  },
  save: { en: 'Save', zh: '保存' },
  removeAsk: { en: 'Delete {id}?', zh: '删除 {id}？' },
  removeText: {
    en: '{count} {count|device is|devices are} connected through it and will be disconnected. Its settings and its own authenticator are lost.',
    zh: '当前有 {count} 个设备通过它连接，删除后会全部断开。其设置和自己的认证器都将丢失。',
  },
  removeNobody: {
    en: 'No device is connected through it. Its settings and its own authenticator are lost.',
    zh: '当前没有设备通过它连接。其设置和自己的认证器都将丢失。',
  },

  dtls_: { en: 'DTLS', zh: 'DTLS' },
  dtlsText: {
    en: 'TLS for datagrams. Without certificate and key the embedded broker shows one that it makes and renews itself.',
    zh: '用于数据报的 TLS。不填写证书和密钥时，内置 Broker 使用自己生成并自动更新的证书。',
  },
  udpOptions: { en: 'UDP options', zh: 'UDP 选项' },
  'udp_options.recbuf': { en: 'Receive buffer', zh: '接收缓冲区' },
  'udp_options.sndbuf': { en: 'Send buffer', zh: '发送缓冲区' },
  'udp_options.active_n': { en: 'Packets per turn (active_n)', zh: '每轮报文数（active_n）' },
  'udp_options.buffer': { en: 'Buffer', zh: '缓冲区' },
  'udp_options.reuseaddr': { en: 'Reuse the address', zh: '地址重用' },
  health: { en: 'Health check', zh: '健康检查' },
  healthText: {
    en: 'A datagram with this request is answered by the reply; no device is behind it.',
    zh: '内容与请求相同的数据报会直接收到回复，不视为设备。',
  },
  'health_check.request': { en: 'Request', zh: '请求内容' },
  'health_check.reply': { en: 'Reply', zh: '回复内容' },
});

/** Those of TLS are those of DTLS. */
export const listenerFormWords: Readonly<Record<string, { en: string; zh: string }>> = {
  ...listenerWords,
  ...Object.fromEntries(
    Object.entries(listenerWords).flatMap(([key, word]) =>
      key.startsWith('ssl_options.') ? [[key.replace('ssl_', 'dtls_'), word]] : [],
    ),
  ),
};
