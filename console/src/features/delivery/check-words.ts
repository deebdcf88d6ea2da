import { defineWords } from '../../i18n/words.ts';

/** Each check by its name, and each finding by that and its own; `{…}` are its facts. */
export const checkWords = defineWords({
  publisher: { en: 'Publisher', zh: '发布者' },
  'publisher.connected': {
    en: 'Connected from {address} at {listener}.',
    zh: '已从 {address} 连接到 {listener}。',
  },
  'publisher.guest': {
    en: 'Connected from {address} through the gateway {gateway} at {listener}; it speaks {protocol}.',
    zh: '已从 {address} 通过网关 {gateway}（{listener}）连接，使用 {protocol}。',
  },
  'publisher.not_connected': { en: 'Not connected since {since}.', zh: '自 {since} 起未连接。' },
  'publisher.unknown': {
    en: 'No client of this ID is connected or has a session.',
    zh: '没有使用此 ID 的客户端或会话。',
  },
  publisher_banned: { en: 'Blacklist, publisher', zh: '黑名单（发布者）' },
  'publisher_banned.not_banned': { en: 'Not banned.', zh: '未被封禁。' },
  'publisher_banned.banned': {
    en: 'Banned by {as} {who} until {until}. {reason}',
    zh: '已按 {as} {who} 封禁，至 {until}。{reason}',
  },
  publisher_contested: { en: 'Client ID, publisher', zh: '客户端 ID（发布者）' },
  'publisher_contested.taken_over': {
    en: 'Taken over {times} times in the last {minutes} minutes, the last time from {by}: two devices seem to use this ID, and each ends the connection of the other.',
    zh: '最近 {minutes} 分钟内被接管 {times} 次，最近一次来自 {by}：可能有两台设备使用同一 ID，互相断开对方的连接。',
  },
  message: { en: 'The message itself', zh: '消息本身' },
  'message.sendable': { en: 'Can be sent like this.', zh: '可以这样发送。' },
  'message.too_many_levels': {
    en: 'The topic has {levels} {levels|level|levels}; allowed are {max}.',
    zh: '主题有 {levels} 级，最多允许 {max} 级。',
  },
  'message.qos_not_supported': {
    en: 'QoS {qos} is not allowed here; the highest is {max}.',
    zh: '不允许 QoS {qos}，最高为 {max}。',
  },
  'message.retain_not_available': { en: 'Retained messages are not allowed here.', zh: '不允许保留消息。' },
  'message.too_large': {
    en: 'The packet has about {bytes} {bytes|byte|bytes}; allowed are {max}.',
    zh: '报文约 {bytes} 字节，最多允许 {max} 字节。',
  },
  publish_allowed: { en: 'May it publish there', zh: '是否有权发布' },
  'publish_allowed.allowed': { en: 'Allowed by {source}.', zh: '由{source}允许。' },
  'publish_allowed.denied': { en: 'Denied by {source}.', zh: '被{source}拒绝。' },
  'source.file': { en: 'the ACL file', zh: 'ACL 文件' },
  'source.built_in_database': { en: 'the built-in database', zh: '内置数据库' },
  'source.acl': { en: 'the rules of its credentials', zh: '凭据附带的规则' },
  'source.system_topic': {
    en: 'the broker: only the broker publishes below $SYS',
    zh: ' Broker（只有 Broker 可以发布 $SYS 主题）',
  },
  'source.superuser': { en: 'being a superuser', zh: '超级用户身份' },
  'source.no_match': { en: 'the setting for no match: no rule fits', zh: '“未匹配时”设置（没有匹配的规则）' },
  'source.undecided': { en: 'default, as a source could not be asked', zh: '默认规则（有数据源无法查询）' },
  'publish_allowed.not_asked': { en: 'Not asked: it would not be let in.', zh: '未检查：该客户端无法接入。' },
  rate: { en: 'Limits', zh: '限流' },
  'rate.not_limited': { en: 'No limit has dropped its messages.', zh: '没有因限流丢弃其消息。' },
  'rate.not_mqtt': {
    en: 'Limits of messages hold for MQTT, not for devices of a gateway.',
    zh: '消息限流仅适用于 MQTT，不适用于网关设备。',
  },
  'rate.dropped': {
    en: 'Limits have dropped {count} of its messages since it connected.',
    zh: '自连接以来因限流丢弃了其 {count} 条消息。',
  },
  rewrite: { en: 'Topic rewrite', zh: '主题重写' },
  'rewrite.unchanged': { en: 'The topic stays as it is.', zh: '主题不变。' },
  'rewrite.rewritten': { en: 'The topic becomes {to}.', zh: '主题改为 {to}。' },
  delay: { en: 'Delayed publish', zh: '延迟发布' },
  'delay.not_delayed': { en: 'Not delayed.', zh: '不延迟。' },
  'delay.delayed': { en: 'It is published to {to} after {seconds} s.', zh: '{seconds} 秒后发布到 {to}。' },
  'delay.off': {
    en: 'Delayed publish is switched off: the topic stays $delayed/… and is nobody’s.',
    zh: '延迟发布未启用：主题仍为 $delayed/…，没有订阅者。',
  },
  'delay.malformed': {
    en: 'Not of the form $delayed/seconds/topic: it is refused.',
    zh: '不符合 $delayed/秒数/主题 的格式，将被拒绝。',
  },
  others: { en: 'Extensions', zh: '扩展' },
  'others.nobody': { en: 'None looks at messages of this topic.', zh: '没有扩展处理该主题的消息。' },
  'others.may_change': {
    en: '{who} looks at messages of this topic and may change or drop them. Follow one to see.',
    zh: '{who} 会处理该主题的消息，可能更改或丢弃。可跟踪一条消息查看。',
  },
  'others.refuses': {
    en: 'The exhook server {who} is asked about messages of this topic and does not answer: they are refused until it is back.',
    zh: '该主题的消息须经 ExHook 服务器 {who} 处理，而它没有响应：恢复之前消息会被拒绝。',
  },
  subscriber: { en: 'Subscriber', zh: '订阅者' },
  'subscriber.connected': {
    en: 'Connected from {address} at {listener}.',
    zh: '已从 {address} 连接到 {listener}。',
  },
  'subscriber.guest': {
    en: 'Connected from {address} through the gateway {gateway} at {listener}; it speaks {protocol}.',
    zh: '已从 {address} 通过网关 {gateway}（{listener}）连接，使用 {protocol}。',
  },
  'subscriber.rests': {
    en: 'A device of the gateway {gateway} that sleeps since {since}; the gateway keeps what it can until it wakes.',
    zh: '网关 {gateway} 的设备，自 {since} 起休眠；唤醒前由网关尽量保留消息。',
  },
  'subscriber.waits': {
    en: 'Not connected since {since}. Its session is kept for {expires_s} s and its messages wait there.',
    zh: '自 {since} 起未连接。会话保留 {expires_s} 秒，消息在其中等待。',
  },
  'subscriber.unknown': {
    en: 'No client of this ID is connected or has a session: nothing is kept for it.',
    zh: '没有使用此 ID 的客户端或会话，不会为其保留消息。',
  },
  subscriber_banned: { en: 'Blacklist, subscriber', zh: '黑名单（订阅者）' },
  'subscriber_banned.not_banned': { en: 'Not banned.', zh: '未被封禁。' },
  'subscriber_banned.banned': {
    en: 'It cannot connect: banned by {as} {who} until {until}. {reason}',
    zh: '无法连接：已按 {as} {who} 封禁，至 {until}。{reason}',
  },
  subscriber_contested: { en: 'Client ID, subscriber', zh: '客户端 ID（订阅者）' },
  'subscriber_contested.taken_over': {
    en: 'Taken over {times} times in the last {minutes} minutes, the last time from {by}: two devices seem to use this ID, and each ends the connection of the other.',
    zh: '最近 {minutes} 分钟内被接管 {times} 次，最近一次来自 {by}：可能有两台设备使用同一 ID，互相断开对方的连接。',
  },
  filter: { en: 'Subscription', zh: '订阅' },
  'filter.matches': { en: 'Matched by {filters}.', zh: '由 {filters} 匹配。' },
  'filter.unknown': { en: 'There is no session to look at.', zh: '没有可检查的会话。' },
  'filter.no_match': {
    en: 'It has {count} {count|subscription|subscriptions}; none matches {topic}.',
    zh: '其 {count} 个订阅都不匹配 {topic}。',
  },
  'filter.near_case': {
    en: '{filter} differs from {topic} in upper and lower case; topics are case-sensitive.',
    zh: '{filter} 与 {topic} 大小写不同；主题区分大小写。',
  },
  'filter.near_slash': {
    en: '{filter} differs from {topic} by a slash or space at the beginning or end, which counts.',
    zh: '{filter} 与 {topic} 首尾的斜杠或空格不同，这也算不同主题。',
  },
  'filter.near_level': {
    en: '{filter} differs from {topic} in one level.',
    zh: '{filter} 与 {topic} 有一级不同。',
  },
  'filter.near_depth': {
    en: '{filter} ends above {topic}; with /# behind it would match.',
    zh: '{filter} 的级数少于 {topic}；末尾加上 /# 即可匹配。',
  },
  subscribe_allowed: { en: 'May it subscribe', zh: '是否有权订阅' },
  'subscribe_allowed.allowed': { en: 'Allowed by {source}.', zh: '由{source}允许。' },
  'subscribe_allowed.denied': { en: 'Denied by {source}.', zh: '被{source}拒绝。' },
  'subscribe_allowed.not_asked': { en: 'Not asked.', zh: '未检查。' },
  no_local: { en: 'Own messages', zh: '自己的消息' },
  'no_local.another_client': {
    en: 'Publisher and subscriber are two clients.',
    zh: '发布者与订阅者不是同一客户端。',
  },
  'no_local.own_messages_wanted': { en: 'It wants its own messages.', zh: '订阅者接收自己的消息。' },
  'no_local.no_local': {
    en: '{filters} has No Local: a client does not get its own messages.',
    zh: '{filters} 设置了 No Local，客户端收不到自己发布的消息。',
  },
  'no_local.loops_ignored': {
    en: 'The setting “Ignore loop deliver” keeps own messages back.',
    zh: '“忽略环路投递”设置会过滤自己发布的消息。',
  },
  shared: { en: 'Shared subscription', zh: '共享订阅' },
  'shared.not_shared': { en: 'Not shared.', zh: '不是共享订阅。' },
  'shared.alone': { en: 'The only member of the group {group}.', zh: '共享组 {group} 中唯一的成员。' },
  'shared.one_of': {
    en: 'The group {group} has {members} {members|member|members}; one of them gets it ({strategy}).',
    zh: '共享组 {group} 有 {members} 个成员，只有其中一个会收到（{strategy}）。',
  },
  qos: { en: 'QoS', zh: 'QoS' },
  'qos.qos': {
    en: 'Published with {published}, subscribed with {subscribed}: delivered with {delivered}.',
    zh: '发布 {published}，订阅 {subscribed}，投递 {delivered}。',
  },
  'qos.qos0': {
    en: 'Delivered with QoS 0: sent once, and lost when the connection breaks at that moment.',
    zh: '以 QoS 0 投递：只发送一次，若此时连接断开则丢失。',
  },
  'qos.qos0_not_kept': {
    en: 'QoS 0 messages are not kept for those who are away (store QoS 0 messages is off).',
    zh: '未启用存储 QoS 0 消息，离线客户端收不到 QoS 0 消息。',
  },
  expiry: { en: 'Expiry', zh: '过期' },
  'expiry.never': { en: 'It does not expire.', zh: '不会过期。' },
  'expiry.in_time': {
    en: 'It expires after {seconds} s; it is sent at once.',
    zh: '{seconds} 秒后过期；会立即发送。',
  },
  'expiry.may_expire': {
    en: 'It expires after {seconds} s, and the subscriber cannot take it now.',
    zh: '{seconds} 秒后过期，而订阅者目前无法接收。',
  },
  queue: { en: 'Queue', zh: '消息队列' },
  'queue.room': {
    en: 'There is room: {queued} of {max} {queued|waits|wait}, {inflight} of {window} in flight.',
    zh: '有空位：队列 {queued} / {max}，飞行窗口 {inflight} / {window}。',
  },
  'queue.not_mqtt': {
    en: 'It has no queue of MQTT: its gateway takes each message at once.',
    zh: '没有 MQTT 消息队列：网关立即接收每条消息。',
  },
  'queue.waits': {
    en: 'The inflight window is full ({inflight} of {window}): it waits for acknowledgements behind {queued} {queued|other|others}.',
    zh: '飞行窗口已满（{inflight} / {window}），将排在 {queued} 条消息之后等待确认。',
  },
  'queue.full': {
    en: 'The queue is full ({queued} of {max}): the oldest messages are dropped for new ones.',
    zh: '队列已满（{queued} / {max}）：最旧的消息会被丢弃。',
  },
  size: { en: 'Packet size', zh: '报文大小' },
  'size.any': { en: 'The subscriber takes packets of any size.', zh: '订阅者不限制报文大小。' },
  'size.not_mqtt': {
    en: 'It says no largest packet; its gateway may have limits of its own.',
    zh: '设备未声明报文大小上限，网关可能有自己的限制。',
  },
  'size.fits': {
    en: 'The subscriber takes packets of up to {max} {max|byte|bytes}.',
    zh: '订阅者最多接收 {max} 字节的报文。',
  },
  'size.too_large': {
    en: 'About {bytes} {bytes|byte|bytes}; the subscriber takes {max} at most, so it is dropped.',
    zh: '约 {bytes} 字节，订阅者最多接收 {max} 字节，将被丢弃。',
  },
  dropped: { en: 'Dropped so far', zh: '已丢弃' },
  'dropped.never': {
    en: 'Nothing was dropped on the way to it since it connected.',
    zh: '自连接以来没有丢弃发给它的消息。',
  },
  'dropped.before': {
    en: '{count} {count|message|messages} to it {count|was|were} dropped since it connected.',
    zh: '自连接以来丢弃了 {count} 条发给它的消息。',
  },
});
