import { defineWords } from '../../i18n/words.ts';

/** Labels by the names of the contract, hints behind them. */
export const generalWords = defineWords({
  title: { en: 'MQTT general', zh: 'MQTT 通用' },
  purpose: {
    en: 'Limits and features of the protocol for all clients.',
    zh: '面向所有客户端的协议限制与功能。',
  },
  toFlapping: { en: 'Flapping detection', zh: '连接抖动检测' },
  seconds: { en: 'seconds', zh: '秒' },
  levels: { en: 'levels', zh: '级' },
  aliases: { en: 'aliases', zh: '个' },
  bytes: { en: 'bytes', zh: '字节' },

  connection: { en: 'Connection', zh: '连接' },
  connectionText: {
    en: 'Idle timeout and server keepalive count from the next connection on, the others at once.',
    zh: '空闲超时与服务端心跳间隔在下次连接时生效，其余立即生效。',
  },
  idle_timeout: { en: 'Idle timeout', zh: '空闲超时' },
  'mqtt.idle_timeout.hint': {
    en: 'A connection that has not sent its CONNECT by then is closed. Infinity: it may stay silent for ever.',
    zh: '在此时间内未发送 CONNECT 的连接将被关闭。无限：不关闭。',
  },
  server_keepalive: { en: 'Server keepalive', zh: '服务端心跳间隔' },
  'mqtt.server_keepalive.hint': {
    en: 'Takes the place of the keepalive that clients ask for; MQTT 5 clients are told. Disabled: as each client asks.',
    zh: '代替客户端请求的心跳间隔，并告知 MQTT 5 客户端。禁用：按客户端的请求。',
  },
  keepalive_multiplier: { en: 'Keepalive multiplier', zh: '心跳超时倍数' },
  'mqtt.keepalive_multiplier.hint': {
    en: 'A client that is silent for this many times its keepalive is disconnected.',
    zh: '客户端静默时间超过心跳间隔的该倍数时断开连接。',
  },
  keepalive_check_interval: { en: 'Keepalive check interval', zh: '心跳检查间隔' },
  'mqtt.keepalive_check_interval.hint': {
    en: 'How often the clients are looked at, so that another multiplier does not have to wait for the next keepalive.',
    zh: '检查客户端的间隔，修改倍数后最迟在该间隔后生效。',
  },
  client_attrs_init: { en: 'Client attributes', zh: '客户端属性' },
  'mqtt.client_attrs_init.hint': {
    en: 'Worked out of what a client says when it connects and kept under the name of the attribute. Known: clientid, username, cn, dn, zone, listener, peerhost, user_property.NAME; nth, tokens, substr, concat, coalesce, lower, upper, trim.',
    zh: '在客户端连接时计算表达式，结果存为对应的属性。可用变量：clientid、username、cn、dn、zone、listener、peerhost、user_property.名称；可用函数：nth、tokens、substr、concat、coalesce、lower、upper、trim。',
  },
  expression: { en: 'Expression', zh: '表达式' },
  attribute: { en: 'Attribute', zh: '属性' },
  expressionOf: { en: 'Expression {row}', zh: '表达式 {row}' },
  byExpression: { en: 'By expression', zh: '按表达式' },
  badExpression: { en: 'Not an expression that the broker understands', zh: 'Broker 无法识别该表达式' },
  attributeOf: { en: 'Attribute {row}', zh: '属性 {row}' },
  addAttribute: { en: 'Add attribute', zh: '添加属性' },
  removeAttribute: { en: 'Remove {name}', zh: '移除 {name}' },
  noExpression: { en: 'Expression is required', zh: '请输入表达式' },
  noAttribute: { en: 'Attribute is required', zh: '请输入属性' },
  attributeTwice: { en: 'The attribute {name} occurs twice', zh: '属性 {name} 重复' },

  limits: { en: 'Limits', zh: '限制' },
  limitsText: {
    en: 'MQTT 5 clients are told packet size, QoS and aliases when they connect: a change reaches them at their next connection, and older clients at once. The other limits hold at once.',
    zh: '报文长度、QoS 与主题别名在连接时告知 MQTT 5 客户端，更改在其下次连接时生效，对 MQTT 3 客户端立即生效。其余限制立即生效。',
  },
  max_packet_size: { en: 'Max packet size', zh: '最大报文长度' },
  'mqtt.max_packet_size.hint': {
    en: 'A client that sends a larger packet is disconnected. At most one byte less than 256 MB.',
    zh: '发送更大报文的客户端将被断开连接。最大为 256 MB 减 1 字节。',
  },
  max_clientid_len: { en: 'Max client ID length', zh: '客户端 ID 最大长度' },
  'mqtt.max_clientid_len.hint': {
    en: 'A client with a longer one may not connect.',
    zh: '客户端 ID 超过该长度的客户端无法连接。',
  },
  max_topic_levels: { en: 'Max topic levels', zh: '主题最大层级数' },
  'mqtt.max_topic_levels.hint': {
    en: 'Deeper filters are refused, and a client that publishes to a deeper topic is disconnected.',
    zh: '层级更多的主题过滤器将被拒绝，向层级更多的主题发布的客户端将被断开连接。',
  },
  max_topic_alias: { en: 'Max topic aliases', zh: '最大主题别名数' },
  'mqtt.max_topic_alias.hint': {
    en: 'How many a client may use. 0: none.',
    zh: '每个客户端可使用的主题别名数量。0：不可使用。',
  },
  max_qos_allowed: { en: 'Max QoS', zh: '最大 QoS' },
  'mqtt.max_qos_allowed.hint': {
    en: 'Subscriptions get no higher one. A client that publishes with a higher one is disconnected.',
    zh: '订阅不会获得更高的 QoS，使用更高 QoS 发布的客户端将被断开连接。',
  },
  message_expiry_interval: { en: 'Message expiry interval', zh: '消息过期间隔' },
  'mqtt.message_expiry_interval.hint': {
    en: 'For messages that bring none of their own: those still waiting after it are dropped. Never: they wait as long as their session lives.',
    zh: '用于自身未指定过期间隔的消息，超时仍未投递则丢弃。永不：在会话存续期间一直等待。',
  },

  capabilities: { en: 'Features', zh: '功能' },
  capabilitiesText: {
    en: 'MQTT 5 clients are told when they connect what they may use: a change reaches them at their next connection, and older clients at once.',
    zh: '可用功能在连接时告知 MQTT 5 客户端，更改在其下次连接时生效，对 MQTT 3 客户端立即生效。',
  },
  retain_available: { en: 'Retained messages', zh: '保留消息' },
  'mqtt.retain_available.hint': {
    en: 'Disabled: a client that publishes with the retain flag is disconnected.',
    zh: '禁用后，带保留标志发布的客户端将被断开连接。',
  },
  wildcard_subscription: { en: 'Wildcard subscriptions', zh: '通配符订阅' },
  'mqtt.wildcard_subscription.hint': {
    en: 'Disabled: filters with + or # are refused.',
    zh: '禁用后，含 + 或 # 的主题过滤器将被拒绝。',
  },
  shared_subscription: { en: 'Shared subscriptions', zh: '共享订阅' },
  'mqtt.shared_subscription.hint': {
    en: '$share/group/filter and $queue/filter: each message goes to one member of the group.',
    zh: '$share/组名/过滤器 与 $queue/过滤器：每条消息只投递给组内一个成员。',
  },
  shared_subscription_strategy: { en: 'Strategy of shared subscriptions', zh: '共享订阅策略' },
  'mqtt.shared_subscription_strategy.hint': {
    en: 'Which member of a group gets the next message. A group has the strategy that holds for its first member.',
    zh: '决定下一条消息投递给哪个组员。组采用其首个成员所适用的策略。',
  },
  random: { en: 'Random', zh: '随机' },
  round_robin: { en: 'In turn, for each publisher', zh: '按发布者轮询' },
  round_robin_per_group: { en: 'In turn, for all publishers together', zh: '按组轮询' },
  sticky: { en: 'Always the same one', zh: '固定成员' },
  local: { en: 'Members on the publisher’s node first', zh: '优先发布者所在节点的成员' },
  hash_topic: { en: 'By topic', zh: '按主题哈希' },
  hash_clientid: { en: 'By the publisher’s client ID', zh: '按发布者客户端 ID 哈希' },
  shared_subscription_initial_sticky_pick: { en: 'First pick of the same one', zh: '固定成员的首次选择' },
  'mqtt.shared_subscription_initial_sticky_pick.hint': {
    en: 'How the strategy “Always the same one” chooses the member.',
    zh: '“固定成员”策略首次选择成员的方式。',
  },
  exclusive_subscription: { en: 'Exclusive subscriptions', zh: '独占订阅' },
  'mqtt.exclusive_subscription.hint': {
    en: '$exclusive/topic: one client at a time; whoever comes second is refused. A change holds at once.',
    zh: '$exclusive/主题：同一时间只允许一个客户端订阅，后来者将被拒绝。更改立即生效。',
  },
  response_information: { en: 'Response information', zh: '响应信息' },
  'mqtt.response_information.hint': {
    en: 'Told to MQTT 5 clients that ask for it: the beginning of topics for replies. Empty: nothing is told.',
    zh: '告知请求该信息的 MQTT 5 客户端，用作响应主题的前缀。留空：不告知。',
  },

  behaviour: { en: 'Behaviour', zh: '行为' },
  behaviourText: {
    en: 'Holds at once, also for clients that are connected; strict mode from their next connection on.',
    zh: '立即生效，对已连接的客户端同样有效；严格模式在下次连接时生效。',
  },
  ignore_loop_deliver: { en: 'Nothing back to the publisher', zh: '不向发布者回传' },
  'mqtt.ignore_loop_deliver.hint': {
    en: 'A client does not get what it published itself, whatever it subscribed to. MQTT 5 clients can ask for this with No Local.',
    zh: '客户端不会收到自己发布的消息。MQTT 5 客户端可在订阅时使用“禁止本地转发”。',
  },
  strict_mode: { en: 'Strict mode', zh: '严格模式' },
  'mqtt.strict_mode.hint': {
    en: 'MQTT 3.1 clients with an ID longer than 23 bytes are refused, as that specification wants it. All other rules are checked in any case.',
    zh: '拒绝客户端 ID 超过 23 字节的 MQTT 3.1 客户端，符合该版本规范。其他规则始终严格检查。',
  },

  identity: { en: 'Identity', zh: '身份' },
  identityText: {
    en: 'Where client ID and username come from. A change holds from the next connection on.',
    zh: '设置客户端 ID 与用户名的来源，更改在下次连接时生效。',
  },
  use_username_as_clientid: { en: 'Username as client ID', zh: '以用户名作为客户端 ID' },
  'mqtt.use_username_as_clientid.hint': {
    en: 'The client ID that the client sends is replaced. Clients with the same username then push each other out.',
    zh: '替换客户端发送的客户端 ID，用户名相同的客户端会互相挤下线。',
  },
  peer_cert_as_username: { en: 'Certificate as username', zh: '以证书作为用户名' },
  'mqtt.peer_cert_as_username.hint': {
    en: 'Only on TLS listeners that ask clients for a certificate. Disabled: as the client says.',
    zh: '仅适用于要求客户端证书的 TLS 监听器。禁用：使用客户端发送的用户名。',
  },
  peer_cert_as_clientid: { en: 'Certificate as client ID', zh: '以证书作为客户端 ID' },
  'mqtt.peer_cert_as_clientid.hint': {
    en: 'Only on TLS listeners that ask clients for a certificate. Disabled: as the client says.',
    zh: '仅适用于要求客户端证书的 TLS 监听器。禁用：使用客户端发送的客户端 ID。',
  },
  disabled: { en: 'Disabled', zh: '禁用' },
  cn: { en: 'CN: the common name', zh: 'CN：通用名称' },
  dn: { en: 'DN: the whole subject', zh: 'DN：完整主题' },
  crt: { en: 'CRT: the certificate in Base64', zh: 'CRT：Base64 格式的证书' },
  pem: { en: 'PEM: the certificate as PEM', zh: 'PEM：PEM 格式的证书' },
  md5: { en: 'MD5: its fingerprint', zh: 'MD5：证书的指纹' },
  clientid_override: { en: 'Client ID by expression', zh: '以表达式生成客户端 ID' },
  'mqtt.clientid_override.hint': {
    en: 'What the expression gives takes the place of the client ID: username, or concat([username, ’-’, clientid]). Where it gives nothing, the client’s own stays.',
    zh: '以表达式的结果替换客户端 ID，例如 username、concat([username, ’-’, clientid])。结果为空时保留原值。',
  },
});
