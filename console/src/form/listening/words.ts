import { defineWords } from '../../i18n/words.ts';

/** Labels and hints of what is set of any listener, by field, and what is said of it. */
export const listeningWords = defineWords({
  basics: { en: 'Basics', zh: '基本' },
  nameFault: {
    en: 'Letters, digits, - and _ only; begins with a letter or digit',
    zh: '只能包含字母、数字、- 和 _，并以字母或数字开头',
  },
  bind: { en: 'Bind address', zh: '监听地址' },
  'bind.hint': {
    en: 'A port, or IP:port for one address only: 1883, 127.0.0.1:1883, [::1]:1883. Port 0 takes any free one.',
    zh: '端口，或只监听某个地址的 IP:端口，如 1883、127.0.0.1:1883、[::1]:1883。端口 0 表示任意空闲端口。',
  },
  portUsed: {
    en: 'The port is in use. Choose another one, or stop what uses it.',
    zh: '端口已被占用。请更换端口，或停止占用它的程序。',
  },
  notHere: { en: 'The broker’s machine does not have this address', zh: 'Broker 所在主机没有该地址' },
  notKnown: { en: 'Nobody knows this name', zh: '无法解析该名称' },
  refused: { en: 'The broker refused it: {reason}', zh: 'Broker 拒绝了该值：{reason}' },
  notAllowed: {
    en: 'The broker may not use this port: ports below 1024 need more rights',
    zh: 'Broker 无权使用该端口：1024 以下的端口需要更高权限',
  },
  mountpoint: { en: 'Mountpoint', zh: '挂载点' },
  mountpointFault: { en: 'Wildcards are not supported', zh: '不支持通配符' },

  limits: { en: 'Limits', zh: '限制' },
  max_connections: { en: 'Max connections', zh: '最大连接数' },
  max_conn_rate: { en: 'Max connection rate', zh: '最大连接速率' },
  'max_conn_rate.hint': {
    en: 'Connections of the listener; who comes too fast is refused.',
    zh: '监听器接受连接的速率，超出时拒绝连接。',
  },
  acceptors: { en: 'Acceptors', zh: '接收器' },
  'acceptors.hint': {
    en: 'The embedded broker needs one only.',
    zh: '内置 Broker 只需要一个接收器。',
  },

  access: { en: 'Access rules', zh: '访问规则' },
  accessText: {
    en: 'Who may open a connection, by address. The first rule that fits decides; whom none fits is let in.',
    zh: '按地址决定谁可以建立连接。第一条匹配的规则生效，均不匹配时允许连接。',
  },
  access_rules: { en: 'Rules', zh: '规则' },
  allow: { en: 'Allow', zh: '允许' },
  deny: { en: 'Deny', zh: '拒绝' },
  effectOf: { en: 'Rule {row}: allow or deny', zh: '规则 {row}：允许或拒绝' },
  addressOf: { en: 'Rule {row}: address', zh: '规则 {row}：地址' },
  ruleUp: { en: 'Move rule {row} up', zh: '上移规则 {row}' },
  ruleDown: { en: 'Move rule {row} down', zh: '下移规则 {row}' },
  ruleRemove: { en: 'Remove rule {row}', zh: '移除规则 {row}' },
  ruleAdd: { en: 'Add rule', zh: '添加规则' },
  ruleMoved: { en: 'Now rule {row} of {count}', zh: '现在是第 {row} 条，共 {count} 条' },
  ruleFault: {
    en: 'Rule {row} is not all, an address or a network: 10.0.0.0/8',
    zh: '规则 {row} 无效：应为 all、地址或网段，如 10.0.0.0/8',
  },
  'access_rules.hint': {
    en: 'all, an address, or a network such as 10.0.0.0/8. Behind a proxy it is the proxy’s address that counts.',
    zh: '填写 all、地址或网段，如 10.0.0.0/8。经代理连接时以代理的地址为准。',
  },

  proxy: { en: 'Proxy', zh: '代理' },
  proxy_protocol: { en: 'PROXY protocol', zh: 'PROXY 协议' },
  'proxy_protocol.hint': {
    en: 'A proxy says first whose connection it passes on, in version 1 or 2. Connections that do not are refused.',
    zh: '由代理先说明转发的是谁的连接，支持版本 1 和 2。没有说明的连接会被拒绝。',
  },
  proxy_protocol_timeout: { en: 'Time to say it', zh: 'PROXY 协议超时' },

  tcpOptions: { en: 'TCP options', zh: 'TCP 选项' },
  'tcp_options.backlog': { en: 'Backlog', zh: '等待队列长度' },
  'tcp_options.backlog.hint': { en: 'Connections that wait to be accepted.', zh: '等待被接受的连接数。' },
  'tcp_options.nodelay': {
    en: 'Send small packets at once (TCP_NODELAY)',
    zh: '立即发送小包（TCP_NODELAY）',
  },
  'tcp_options.keepalive': { en: 'TCP keepalive', zh: 'TCP 保活' },
  'tcp_options.keepalive.hint': {
    en: 'none, or seconds until the first probe, between probes, and their number: 240,30,5',
    zh: 'none，或首次探测前的秒数、探测间隔秒数和次数，如 240,30,5',
  },
  keepaliveFault: { en: 'none, or three numbers such as 240,30,5', zh: '应为 none 或三个数字，如 240,30,5' },
  'tcp_options.send_timeout': { en: 'Send timeout', zh: '发送超时' },
  'tcp_options.send_timeout_close': { en: 'Close after the send timeout', zh: '发送超时后关闭连接' },
  'tcp_options.nolinger': { en: 'Reset connections that are broken off', zh: '断开时直接重置连接' },
  'tcp_options.reuseaddr': { en: 'Reuse the address', zh: '地址重用' },
  'tcp_options.active_n': { en: 'Packets per turn (active_n)', zh: '每轮报文数（active_n）' },
  'tcp_options.buffer': { en: 'Buffer', zh: '缓冲区' },
  'tcp_options.high_watermark': { en: 'High watermark', zh: '高水位' },
  'tcp_options.recbuf': { en: 'Receive buffer', zh: '接收缓冲区' },
  'tcp_options.sndbuf': { en: 'Send buffer', zh: '发送缓冲区' },
  systemDecides: {
    en: 'With the embedded broker the system decides.',
    zh: '使用内置 Broker 时由系统决定。',
  },

  tls: { en: 'TLS', zh: 'TLS' },
  tlsText: {
    en: 'Without certificate and key the embedded broker shows one that it makes and renews itself.',
    zh: '不填写证书和密钥时，内置 Broker 使用自己生成并自动更新的证书。',
  },
  'ssl_options.certfile': { en: 'TLS Cert', zh: 'TLS 证书' },
  'ssl_options.keyfile': { en: 'TLS Key', zh: 'TLS 密钥' },
  'ssl_options.password': { en: 'Key password', zh: '密钥密码' },
  'ssl_options.cacertfile': { en: 'CA Cert', zh: 'CA 证书' },
  pemHint: { en: 'PEM text, or a file read into the field.', zh: 'PEM 文本，或选择文件读入。' },
  'ssl_options.verify': { en: 'Verify the certificates of clients', zh: '验证客户端证书' },
  'ssl_options.verify.hint': {
    en: 'They must be signed by the CA.',
    zh: '必须由 CA 签发。',
  },
  'ssl_options.fail_if_no_peer_cert': {
    en: 'Refuse clients without certificate',
    zh: '拒绝没有证书的客户端',
  },
  caNeeded: { en: 'To verify clients, CA Cert is required', zh: '验证客户端证书时，请填写 CA 证书' },
  pairNeeded: { en: 'Certificate and key belong together', zh: '证书和密钥必须同时填写' },
  'ssl_options.depth': { en: 'Depth', zh: '证书链深度' },
  'ssl_options.depth.hint': {
    en: 'So many certificates may stand between a client’s and the CA.',
    zh: '客户端证书与 CA 之间允许的证书数量。',
  },
  'ssl_options.versions': { en: 'Versions', zh: '版本' },
  'ssl_options.versions.hint': {
    en: '1.1 and 1.0 are broken; leave them off.',
    zh: '1.1 和 1.0 已不安全，不建议启用。',
  },
  versionNeeded: { en: 'Choose at least one version', zh: '请至少选择一个版本' },
  'ssl_options.ciphers': { en: 'Ciphers', zh: '加密套件' },
  'ssl_options.ciphers.hint': {
    en: 'Names as OpenSSL writes them; none = the usual ones.',
    zh: 'OpenSSL 名称，留空使用默认套件。',
  },
  'ssl_options.handshake_timeout': { en: 'Handshake timeout', zh: '握手超时' },
  'ssl_options.honor_cipher_order': {
    en: 'The broker’s order of ciphers counts',
    zh: '以 Broker 的套件顺序为准',
  },
  'ssl_options.reuse_sessions': { en: 'Resume TLS sessions', zh: '恢复 TLS 会话' },
  'ssl_options.dhfile': { en: 'Diffie-Hellman parameters', zh: 'Diffie-Hellman 参数' },
  'ssl_options.client_renegotiation': { en: 'Renegotiation by clients', zh: '允许客户端重新协商' },
  'ssl_options.secure_renegotiate': { en: 'Secure renegotiation', zh: '安全重新协商' },
  'ssl_options.gc_after_handshake': { en: 'Collect garbage after the handshake', zh: '握手后回收内存' },
  'ssl_options.hibernate_after': { en: 'Hibernate after', zh: '休眠等待时间' },
  'ssl_options.log_level': { en: 'Log level', zh: '日志级别' },
  'ssl_options.enable_crl_check': { en: 'Check revocation lists', zh: '检查证书吊销列表' },
  'ssl_options.ocsp.enable_ocsp_stapling': { en: 'OCSP stapling', zh: 'OCSP 装订' },
  notOffered: { en: 'The embedded broker cannot do it.', zh: '内置 Broker 不支持。' },
  keptOnly: {
    en: 'It has no effect with the embedded broker.',
    zh: '对内置 Broker 不生效。',
  },
  reads: {
    en: '{subject}, valid until {date} ({days} {days|day|days})',
    zh: '{subject}，有效期至 {date}（{days} 天）',
  },
  readsSoon: {
    en: '{subject}, ends on {date}, in {days} {days|day|days}',
    zh: '{subject}，将于 {date} 到期（{days} 天后）',
  },
  readsEnded: { en: '{subject}, expired on {date}', zh: '{subject}，已于 {date} 过期' },
  readsEarly: { en: '{subject}, not valid before {date}', zh: '{subject}，{date} 起生效' },
  readsNot: { en: 'This is no certificate that can be read', zh: '无法识别为证书' },
  noSubject: { en: 'Without a name', zh: '无名称' },

  advanced: { en: 'Advanced', zh: '高级设置' },
});
