/** What rules can be made of, and the columns that each has. Names and their order are the API's. */

const MESSAGE = ['clientid', 'username', 'payload', 'peerhost', 'peername', 'topic', 'qos', 'flags'] as const;
const PUBLISHED = [...MESSAGE, 'publish_received_at', 'pub_props'] as const;
const FROM = ['from_clientid', 'from_username'] as const;
const END = ['timestamp', 'node'] as const;
const CONNECTION = ['clientid', 'username', 'peername', 'sockname', 'proto_name', 'proto_ver'] as const;

export const events = {
  '$events/message_publish': ['event', 'id', ...PUBLISHED, ...END, 'client_attrs'],
  '$events/message_delivered': ['event', 'id', ...FROM, ...PUBLISHED, ...END],
  '$events/message_acked': ['puback_props', 'event', 'id', ...FROM, ...PUBLISHED, ...END],
  '$events/message_dropped': ['event', 'id', 'reason', ...PUBLISHED, ...END],
  '$events/delivery_dropped': [
    'event',
    'id',
    'reason',
    ...FROM,
    ...MESSAGE,
    'pub_props',
    'publish_received_at',
    ...END,
  ],
  '$events/client_connected': [
    'event',
    ...CONNECTION,
    'mountpoint',
    'keepalive',
    'clean_start',
    'expiry_interval',
    'is_bridge',
    'conn_props',
    'connected_at',
    ...END,
    'client_attrs',
  ],
  '$events/client_disconnected': [
    'event',
    'reason',
    ...CONNECTION,
    'disconn_props',
    'connected_at',
    'disconnected_at',
    ...END,
    'client_attrs',
  ],
  '$events/client_connack': [
    'event',
    'reason_code',
    ...CONNECTION,
    'keepalive',
    'clean_start',
    'expiry_interval',
    'connected_at',
    'conn_props',
    ...END,
  ],
  '$events/client_check_authz_complete': [
    'event',
    'clientid',
    'username',
    'peerhost',
    'peername',
    'topic',
    'action',
    'authz_source',
    'result',
    ...END,
    'client_attrs',
  ],
  '$events/client_check_authn_complete': [
    'event',
    'clientid',
    'username',
    'peername',
    'reason_code',
    'is_superuser',
    'is_anonymous',
    ...END,
    'client_attrs',
  ],
  '$events/session_subscribed': [
    'sub_props',
    'client_attrs',
    'event',
    'clientid',
    'username',
    'peerhost',
    'peername',
    'topic',
    'qos',
    ...END,
  ],
  '$events/session_unsubscribed': [
    'unsub_props',
    'client_attrs',
    'event',
    'clientid',
    'username',
    'peerhost',
    'peername',
    'topic',
    'qos',
    ...END,
  ],
  '$events/sys/alarm_activated': ['event', 'name', 'details', 'message', 'activated_at'],
  '$events/sys/alarm_deactivated': ['event', 'name', 'details', 'message', 'activated_at', 'deactivated_at'],
} as const satisfies Record<string, readonly string[]>;

export type EventTopic = keyof typeof events;

/** Of messages that a bridge has fetched from another broker: `$bridges/mqtt:…`. */
export const BRIDGE_COLUMNS = [
  'event',
  'id',
  'payload',
  'server',
  'topic',
  'qos',
  'dup',
  'retain',
  'pub_props',
  'message_received_at',
  'timestamp',
  'node',
] as const;

/** Which columns a source has: a topic filter those of a publish. Empty for an event that does not exist. */
export function columnsOf(source: string): readonly string[] {
  if (source.startsWith('$bridges/')) return BRIDGE_COLUMNS;
  if (!source.startsWith('$events/')) return events['$events/message_publish'];
  return Object.hasOwn(events, source) ? events[source as EventTopic] : [];
}
