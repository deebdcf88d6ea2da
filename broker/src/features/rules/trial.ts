import { randomBytes } from 'node:crypto';
import { SqlFault, SqlRuntimeError, SqlSyntaxError } from '@mqdeck/rulesql/errors';
import { type EventTopic, events } from '@mqdeck/rulesql/events';
import { presented, type Value, type ValueMap } from '@mqdeck/rulesql/values';
import { apiError, fail } from '../../http/api-error.ts';
import type { Rules } from './rules.ts';

/** What a statement would make of a message or an event that an operator has thought up. */

const USER_PROPERTIES = {
  'User-Property': { foo: 'bar' },
  'User-Property-Pairs': [{ key: 'foo', value: 'bar' }],
};
const PROPERTIES: ValueMap = {
  'Payload-Format-Indicator': 0,
  'Message-Expiry-Interval': 30,
  ...USER_PROPERTIES,
};

/** A value for each column that is not given. */
function samplesFor(now: number, node: string): Record<string, Value> {
  return {
    id: randomBytes(16).toString('hex').toUpperCase(),
    clientid: 'c_sensor',
    username: 'u_sensor',
    from_clientid: 'c_sensor',
    from_username: 'u_sensor',
    payload: '{"msg": "hello"}',
    peerhost: '192.168.0.10',
    peername: '192.168.0.10:32781',
    sockname: '0.0.0.0:1883',
    topic: 't/a',
    qos: 1,
    flags: {},
    publish_received_at: now,
    pub_props: PROPERTIES,
    puback_props: { 'Reason-String': 'OK', ...USER_PROPERTIES },
    sub_props: USER_PROPERTIES,
    unsub_props: USER_PROPERTIES,
    conn_props: { 'Session-Expiry-Interval': 7200, 'Receive-Maximum': 32, ...USER_PROPERTIES },
    disconn_props: {
      'Session-Expiry-Interval': 7200,
      'Reason-String': 'Redirect to another server',
      ...USER_PROPERTIES,
    },
    client_attrs: { test: 'example' },
    proto_name: 'MQTT',
    proto_ver: 5,
    keepalive: 60,
    clean_start: true,
    expiry_interval: 3600,
    is_bridge: false,
    mountpoint: undefined,
    connected_at: now,
    disconnected_at: now,
    reason: 'normal',
    reason_code: 'success',
    action: 'publish',
    result: 'allow',
    authz_source: 'cache',
    is_superuser: true,
    is_anonymous: false,
    name: 'alarm_name',
    message: 'something is wrong',
    details: { extra: 'details' },
    activated_at: now,
    deactivated_at: now,
    server: '192.168.0.1:1883',
    dup: false,
    retain: false,
    message_received_at: now,
    timestamp: now,
    node,
  };
}

/** Columns that the broker knows itself: a context must not say them. */
const OWN = new Set(['event', 'timestamp', 'node', 'flags', 'client_attrs']);
const BRIDGE = 'bridge_mqtt';
const bridgeColumns = [
  'id',
  'payload',
  'server',
  'topic',
  'qos',
  'dup',
  'retain',
  'pub_props',
  'message_received_at',
];

/** Where an event type comes from; null when there is none of that name. */
function sourceOf(eventType: unknown): string | null {
  if (typeof eventType !== 'string') return null;
  if (eventType === BRIDGE || eventType === '$bridges/mqtt:*') return '$bridges/mqtt:*';
  const source = `$events/${eventType.replace(/^alarm_/, 'sys/alarm_')}`;
  return Object.hasOwn(events, source) ? source : null;
}

const BAD = 'Bad Arguments: ';
const refuse = (path: string, reason: string): never =>
  fail('BAD_REQUEST', BAD + JSON.stringify({ kind: 'validation_error', path, reason }));

/** Ends the request with 400 when something is wrong, with 412 when the statement does not match. */
export function tryStatement(
  rules: Rules,
  node: string,
  { sql, context }: { sql: string; context: Record<string, unknown> },
): unknown {
  const { event_type: eventType, ...given } = context;
  const source = sourceOf(eventType);
  if (source === null) return refuse('rule_test.context', 'unknown event type');
  const columns = checkedColumns(source, given);
  const now = rules.world.now();
  const samples = samplesFor(now, node);
  const own =
    source === '$bridges/mqtt:*' ? [...bridgeColumns, 'timestamp', 'node'] : events[source as EventTopic];
  const row: Record<string, Value> = {};
  for (const column of own) if (column !== 'event') row[column] = samples[column];
  Object.assign(row, columns, {
    event: source.startsWith('$bridges/') ? source : eventName(source),
    event_type: eventType as string,
    metadata: { rule_id: `sql_tester:${randomBytes(8).toString('hex')}` },
  });
  try {
    const statement = rules.compiled(sql);
    const matches = statement.sources.some((one) => matchesSource(one, source, row.topic, rules));
    const result = matches ? statement.run(row) : null;
    if (result === null) throw apiError('NOT_MATCH', 'SQL Not Match');
    return presented(result);
  } catch (cause) {
    if (cause instanceof SqlSyntaxError || cause instanceof SqlRuntimeError || cause instanceof SqlFault)
      return fail('BAD_REQUEST', cause.message);
    throw cause;
  }
}

const eventName = (source: string): string =>
  source.slice('$events/'.length).replace('sys/', '').replace('_', '.');

function matchesSource(written: string, source: string, topic: Value, rules: Rules): boolean {
  if (source === '$bridges/mqtt:*') return written.startsWith('$bridges/mqtt:');
  if (written === source) return true;
  if (source !== '$events/message_publish' || written.startsWith('$events/')) return false;
  return typeof topic === 'string' && (written === topic || rules.world.topicMatches(topic, written));
}

function checkedColumns(source: string, given: Record<string, unknown>): Record<string, Value> {
  const known: readonly string[] =
    source === '$bridges/mqtt:*' ? bridgeColumns : events[source as EventTopic];
  for (const [column, value] of Object.entries(given)) {
    if (!known.includes(column) || OWN.has(column))
      return refuse(`rule_test.context.${column}`, 'unknown_fields');
    if (column === 'payload' && typeof value !== 'string' && typeof value !== 'number')
      return refuse('rule_test.context.payload', 'the payload is a text');
    if (column === 'qos' && value !== 0 && value !== 1 && value !== 2)
      return refuse('rule_test.context.qos', '0, 1 or 2');
  }
  const { payload } = given;
  return { ...(given as Record<string, Value>), ...(payload !== undefined && { payload: String(payload) }) };
}
