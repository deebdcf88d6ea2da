import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  timeline: { en: 'Timeline', zh: '时间线' },
  about: {
    en: 'The last {max} events of this client ID since the broker started at {since}, across its sessions; the latest first.',
    zh: 'Broker 于 {since} 启动以来，该客户端 ID 跨会话的最近 {max} 个事件，最新的在前。',
  },
  empty: { en: 'Nothing is remembered of this client ID', zh: '没有该客户端 ID 的记录' },
  emptyText: {
    en: 'Nobody with this ID has tried to connect since the broker started, or it was so long ago that it is forgotten.',
    zh: 'Broker 启动以来，没有使用该 ID 的客户端尝试连接，或记录已因时间过久被清除。',
  },
  noneOfKind: { en: 'No event of this kind', zh: '没有此类事件' },
  forgotten: {
    en: '{count} earlier {count|event is|events are} forgotten.',
    zh: '更早的 {count} 个事件已不再保留。',
  },
  failed: { en: 'The timeline could not be loaded', zh: '时间线加载失败' },
  older: { en: 'Refreshing failed; there may be later events', zh: '刷新失败，可能有更新的事件未显示' },

  which: { en: 'Which events', zh: '事件类别' },
  all: { en: 'All', zh: '全部' },
  connections: { en: 'Connections', zh: '连接' },
  refusals: { en: 'Refusals', zh: '拒绝' },
  subscriptions: { en: 'Subscriptions', zh: '订阅' },

  // What happened
  connected: { en: 'Connected from {address}', zh: '从 {address} 连接' },
  disconnected: { en: 'Disconnected: {reason}', zh: '断开：{reason}' },
  refused: { en: 'Not let in: {reason}', zh: '被拒绝连接：{reason}' },
  deniedPublish: { en: 'May not publish to {topic}', zh: '无权发布到 {topic}' },
  deniedSubscribe: { en: 'May not subscribe to {topic}', zh: '无权订阅 {topic}' },
  deniedBy: { en: 'denied by {source}', zh: '由{source}拒绝' },
  'by.file': { en: 'the ACL file', zh: 'ACL 文件' },
  'by.built_in_database': { en: 'the built-in database', zh: '内置数据库' },
  'by.client_info': { en: 'the rules of its credentials', zh: '凭据附带的规则' },
  'by.exhook': { en: 'an exhook server', zh: '扩展钩子' },
  byPlugin: { en: 'the plugin {name}', zh: '插件 {name}' },
  'by.hook': { en: 'the broker', zh: 'Broker' },
  noMatch: {
    en: 'denied because no rule fits: the setting for no match',
    zh: '没有匹配的规则，按“未匹配时”设置拒绝',
  },
  systemTopic: {
    en: 'denied because only the broker publishes below $SYS',
    zh: '只有 Broker 可以发布 $SYS 主题，因此拒绝',
  },
  undecided: {
    en: 'denied because nobody decided: a source could not be asked',
    zh: '有数据源无法查询，无人决定，因此拒绝',
  },
  toBlacklist: { en: 'Blacklist', zh: '黑名单' },
  limited: {
    en: 'Sent more than its limit allows; messages to {topic} were dropped',
    zh: '发送超出限流，发往 {topic} 的消息被丢弃',
  },
  subscribed: { en: 'Subscribed to {filters}', zh: '订阅了 {filters}' },
  unsubscribed: { en: 'Unsubscribed from {filters}', zh: '取消订阅 {filters}' },
  subscribeRefused: { en: 'Could not subscribe to {topic}: {reason}', zh: '无法订阅 {topic}：{reason}' },
  sessionDiscarded: {
    en: 'Began anew: its earlier session was discarded',
    zh: '全新开始：此前的会话被丢弃',
  },
  sessionEnded: { en: 'Its session expired', zh: '会话已过期' },
  sessionCleaned: { en: 'Its session was cleaned', zh: '会话被清除' },
  andMore: { en: '{filters} and {count} more', zh: '{filters} 等 {count} 个' },
  times: { en: '{count} times, the last', zh: '共 {count} 次，最近一次' },

  // By whom
  byUser: { en: 'by {source} in the console, from {ip}', zh: '由 {source} 在控制台操作，来自 {ip}' },
  byKey: { en: 'with the API key {source}, from {ip}', zh: '通过 API 密钥 {source} 操作，来自 {ip}' },
  toAudit: { en: 'All by {source}', zh: '{source} 的全部操作' },
  byBroker: { en: 'by the broker itself: a ban or a limit', zh: '由 Broker 自身执行：封禁或限制' },

  // Facts
  asUser: { en: 'as {username}', zh: '用户名 {username}' },
  sessionFound: { en: 'found its session again', zh: '恢复了此前的会话' },
  sessionNew: { en: 'new session', zh: '新会话' },
  keepalive: { en: 'keepalive {seconds} s', zh: '心跳间隔 {seconds} 秒' },
  tookOver: { en: 'took over from {address}', zh: '接管了 {address} 的连接' },
  takenOverBy: { en: 'by {address}', zh: '接管者 {address}' },
  lasted: { en: 'connected for {duration}', zh: '连接时长 {duration}' },
  fromAddress: { en: 'from {address}', zh: '来自 {address}' },
  qos: { en: 'QoS {qos}', zh: 'QoS {qos}' },

  // Why a connection ended
  normal: { en: 'it said good-bye', zh: '客户端主动断开' },
  sock_closed: {
    en: 'the connection broke off without a good-bye',
    zh: '连接中断，客户端未发送断开报文',
  },
  keepalive_timeout: {
    en: 'nothing was heard of it for longer than its keepalive allows',
    zh: '超过心跳间隔未收到任何报文',
  },
  takenover: {
    en: 'another connection with the same client ID took over',
    zh: '相同客户端 ID 的另一个连接接管了会话',
  },
  kicked: { en: 'it was kicked out', zh: '被踢除' },
  banned: { en: 'it was banned', zh: '被封禁' },
  server_shutting_down: { en: 'the broker or the listener was stopped', zh: 'Broker 或监听器停止' },
  idle_timeout: { en: 'it said nothing after it had connected', zh: '连接后未发送任何报文' },
  packet_too_large: { en: 'a packet was too large', zh: '报文过大' },
  not_authorized: {
    en: 'it is not authorized any more, or did what it may not',
    zh: '授权已失效，或执行了无权的操作',
  },
  protocol_error: { en: 'it broke the protocol', zh: '违反协议' },
  malformed_packet: { en: 'it sent a packet that cannot be read', zh: '发送了无法解析的报文' },
  topic_alias_invalid: { en: 'it used a topic alias that it may not', zh: '主题别名无效' },
  topic_name_invalid: { en: 'it used a topic that cannot be one', zh: '主题名无效' },
  topic_filter_invalid: { en: 'it used a topic filter that cannot be one', zh: '主题过滤器无效' },
  receive_maximum_exceeded: {
    en: 'it sent more unacknowledged messages than it may',
    zh: '未确认的消息数超出接收上限',
  },
  quota_exceeded: { en: 'a quota was exceeded', zh: '超出配额' },
  message_rate_too_high: { en: 'it sent too fast', zh: '发送速率过高' },
  retain_not_supported: { en: 'it sent a retained message, which it may not', zh: '不允许保留消息' },
  q_o_s_not_supported: { en: 'it used a QoS that it may not', zh: 'QoS 不被支持' },
  bad_authentication_method: { en: 'its authentication method was another one', zh: '认证方法错误' },
  unspecified_error: { en: 'the broker could not go on with it', zh: 'Broker 无法继续处理该连接' },

  // Why it was not let in, or a subscription could not be
  x80: { en: 'unspecified error', zh: '未指明的错误' },
  x81: { en: 'its CONNECT cannot be read', zh: 'CONNECT 报文格式错误' },
  x82: { en: 'its CONNECT breaks the protocol', zh: 'CONNECT 报文违反协议' },
  x83: { en: 'not accepted by this broker', zh: 'Broker 不接受' },
  x84: { en: 'unsupported MQTT version', zh: '不支持的 MQTT 版本' },
  x85: { en: 'the client ID is not valid', zh: '客户端 ID 无效' },
  x86: { en: 'bad username or password', zh: '用户名或密码错误' },
  x87: { en: 'not authorized', zh: '未授权' },
  x88: { en: 'the server was unavailable', zh: '服务器不可用' },
  x89: { en: 'the server was busy', zh: '服务器繁忙' },
  x8a: { en: 'it is banned', zh: '已被封禁' },
  x8c: { en: 'bad authentication method', zh: '认证方法错误' },
  x8f: { en: 'no such topic filter can be', zh: '主题过滤器无效' },
  x90: { en: 'the topic of its will is not valid', zh: '遗嘱主题无效' },
  x95: { en: 'its CONNECT is too large', zh: 'CONNECT 报文过大' },
  x97: { en: 'a quota was exceeded', zh: '超出配额' },
  x99: { en: 'the payload of its will is not valid', zh: '遗嘱 Payload 格式无效' },
  x9a: { en: 'a retained will is not allowed', zh: '不允许保留的遗嘱消息' },
  x9b: { en: 'the QoS of its will is not allowed', zh: '遗嘱 QoS 不被支持' },
  x9e: { en: 'shared subscriptions are not allowed', zh: '不支持共享订阅' },
  x9f: { en: 'it connected too often', zh: '超出连接速率' },
  xa2: { en: 'wildcards are not allowed', zh: '不支持通配符订阅' },
  otherReason: { en: 'reason code {code}', zh: '原因码 {code}' },

  // From the list of connections
  notHere: {
    en: 'No connected client and no kept session matches',
    zh: '没有匹配的在线客户端或保留的会话',
  },
  seenBefore: {
    en: 'These were heard of since the broker started; see what happened to them:',
    zh: 'Broker 启动以来出现过以下客户端，可查看其经历：',
  },
  neverSeen: {
    en: 'Nothing was heard of such a client since the broker started.',
    zh: 'Broker 启动以来没有出现过这样的客户端。',
  },
  ofGateway: { en: 'A device of the gateway {gateway}', zh: '网关 {gateway} 的设备' },
  ofGatewayText: {
    en: 'It does not speak MQTT, so it is in no list of MQTT clients. It stands among the connections of its gateway.',
    zh: '该设备不使用 MQTT，因此不在 MQTT 客户端列表中，请在网关的连接列表中查看。',
  },
  contested: {
    en: 'Taken over {times} times in {minutes} minutes: two devices seem to use this client ID, and each ends the connection of the other. The last time by {address},',
    zh: '{minutes} 分钟内被接管 {times} 次：可能有两台设备使用同一客户端 ID，互相断开对方的连接。最近一次接管者 {address}，',
  },
  toGateway: { en: '{clientid} at the gateway {gateway}', zh: '网关 {gateway} 中的 {clientid}' },
  whatHappened: { en: 'What happened to {clientid}', zh: '{clientid} 的时间线' },
  clearFilters: { en: 'Clear filters', zh: '清除筛选' },
});
