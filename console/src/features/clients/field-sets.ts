import type { Client } from '@mqdeck/contract/clients';

/** Which facts and figures a client has, by the protocol it speaks. */
export type ConnectionField =
  | 'node'
  | 'listener'
  | 'username'
  | 'protocol'
  | 'address'
  | 'keepalive'
  | 'clean_start'
  | 'endpoint_name'
  | 'lifetime'
  | 'is_bridge'
  | 'tls'
  | 'peersni'
  | 'connected_at'
  | 'disconnected_at'
  | 'zone'
  | 'mountpoint'
  | 'auth_expire_at'
  | 'client_attrs';

export type SessionField =
  | 'expiry_interval'
  | 'created_at'
  | 'durable'
  | 'subscriptions'
  | 'mqueue'
  | 'inflight'
  | 'awaiting_rel'
  | 'heap_size'
  | 'mailbox_len'
  | 'reductions';

export interface Figure {
  field: string;
  /** Messages lost: worth a look once above zero. */
  loss?: true;
}
export type FigureGroup = 'messagesIn' | 'messagesOut' | 'packets' | 'bytes';

export interface FieldSet {
  connection: readonly ConnectionField[];
  session: readonly SessionField[];
  figures: Readonly<Partial<Record<FigureGroup, readonly Figure[]>>>;
  /** Whether the API lists the messages that wait for it. */
  messages: boolean;
}

const plain = (...fields: string[]): Figure[] => fields.map((field) => ({ field }));
const loss = (...fields: string[]): Figure[] => fields.map((field) => ({ field, loss: true }));

/** What is left of all drops when those with a counter of their own are taken off. */
export const OTHER_REASONS = 'send_msg.dropped by other reasons';

const common = {
  packets: plain('recv_pkt', 'send_pkt', 'recv_cnt', 'send_cnt'),
  bytes: plain('recv_oct', 'send_oct'),
};

const mqtt: FieldSet = {
  connection: [
    'node',
    'listener',
    'username',
    'protocol',
    'address',
    'keepalive',
    'clean_start',
    'connected_at',
    'disconnected_at',
    'is_bridge',
    'tls',
    'peersni',
    'zone',
    'mountpoint',
    'auth_expire_at',
    'client_attrs',
  ],
  session: [
    'subscriptions',
    'mqueue',
    'inflight',
    'awaiting_rel',
    'expiry_interval',
    'created_at',
    'durable',
    'heap_size',
    'mailbox_len',
    'reductions',
  ],
  figures: {
    messagesIn: [
      ...plain('recv_msg', 'recv_msg.qos0', 'recv_msg.qos1', 'recv_msg.qos2'),
      ...loss('recv_msg.dropped', 'recv_msg.dropped.await_pubrel_timeout'),
    ],
    messagesOut: [
      ...plain('send_msg', 'send_msg.qos0', 'send_msg.qos1', 'send_msg.qos2'),
      ...loss(
        'send_msg.dropped',
        'send_msg.dropped.queue_full',
        'send_msg.dropped.expired',
        'send_msg.dropped.too_large',
        OTHER_REASONS,
      ),
    ],
    ...common,
  },
  messages: true,
};

const lwm2m: FieldSet = {
  connection: [
    'node',
    'endpoint_name',
    'username',
    'protocol',
    'address',
    'lifetime',
    'connected_at',
    'disconnected_at',
  ],
  session: ['subscriptions', 'created_at', 'heap_size', 'mailbox_len', 'reductions'],
  figures: { packets: plain('recv_pkt', 'send_lw_pkt', 'recv_cnt', 'send_cnt'), bytes: common.bytes },
  messages: false,
};

const others: FieldSet = {
  connection: ['node', 'username', 'protocol', 'address', 'keepalive', 'connected_at', 'disconnected_at'],
  session: ['subscriptions', 'mqueue', 'inflight', 'created_at', 'heap_size', 'mailbox_len'],
  figures: common,
  messages: false,
};

export function fieldSetOf({ proto_name }: Pick<Client, 'proto_name'>): FieldSet {
  if (proto_name === 'MQTT' || proto_name === 'MQIsdp') return mqtt;
  return proto_name.toLowerCase() === 'lwm2m' ? lwm2m : others;
}
