import { MYSQL_INSERT, PGSQL_INSERT } from '@mqdeck/contract/bridges/sql';
import type { BridgeType } from '@mqdeck/contract/bridges/types';
import { MASK } from '@mqdeck/contract/kit/values';
import { DUPLICATION_SUFFIX } from '@mqdeck/contract/rules';
import { jsonText } from '../../../form/backends/json-text.ts';
import { type Product, productOf } from '../kinds.ts';
import { commandText } from './command.ts';

/** What the forms begin with, how they take an answer of the API, and what they send. */

export type Values = Record<string, unknown>;

const ssl = { enable: false, verify: 'verify_peer' };
const KAFKA_COMMON = { bootstrap_hosts: '127.0.0.1:9092', authentication: { mechanism: 'none' }, ssl };
const INGRESS = {
  remote: { topic: '', qos: 1 },
  local: { topic: '', qos: '${qos}', retain: '${retain}', payload: '' },
};
const EGRESS = {
  local: { topic: '' },
  remote: { topic: '', qos: '${qos}', retain: '${retain}', payload: '' },
};

const INITIAL: Readonly<Record<Product, Values>> = {
  webhook: {
    method: 'post',
    url: '',
    headers: { 'content-type': 'application/json' },
    body: '',
    pool_type: 'random',
    ssl,
  },
  mqtt: {
    server: '',
    proto_ver: 'v4',
    mode: 'cluster_shareload',
    clean_start: true,
    bridge_mode: false,
    has_ingress: false,
    ingress: INGRESS,
    has_egress: true,
    egress: EGRESS,
    ssl,
  },
  kafka: {
    ...KAFKA_COMMON,
    kafka: {
      topic: '',
      message: { key: '${.clientid}', value: '${.}', timestamp: '${.timestamp}' },
      compression: 'no_compression',
      partition_strategy: 'random',
      required_acks: 'all_isr',
      buffer: { mode: 'memory' },
    },
  },
  kafka_consumer: {
    ...KAFKA_COMMON,
    kafka: { offset_reset_policy: 'latest' },
    topic_mapping: [{ kafka_topic: '', mqtt_topic: '', qos: 0, payload_template: '${.}' }],
    key_encoding_mode: 'none',
    value_encoding_mode: 'none',
  },
  gcp_pubsub: { pubsub_topic: '', service_account_json: '', payload_template: '' },
  mysql: { server: '127.0.0.1:3306', database: '', username: 'root', sql: MYSQL_INSERT, ssl },
  pgsql: { server: '127.0.0.1:5432', database: '', username: 'postgres', sql: PGSQL_INSERT, ssl },
  timescale: { server: '127.0.0.1:5432', database: '', username: 'postgres', sql: PGSQL_INSERT, ssl },
  matrix: { server: '127.0.0.1:5432', database: '', username: 'postgres', sql: PGSQL_INSERT, ssl },
  mongodb: {
    mongo_type: 'single',
    server: '127.0.0.1:27017',
    servers: '127.0.0.1:27017',
    database: 'mqtt',
    collection: 'mqtt',
    r_mode: 'master',
    w_mode: 'safe',
    srv_record: false,
    payload_template: '',
    ssl,
  },
  redis: {
    redis_type: 'single',
    server: '127.0.0.1:6379',
    servers: '127.0.0.1:6379',
    command_template: 'LPUSH mqtt:${clientid} ${payload}',
    ssl,
  },
  influxdb: {
    api: 'v2',
    server: '127.0.0.1:8086',
    precision: 'ms',
    write_syntax: 'mqtt,clientid=${clientid} value=${payload.value} ${timestamp}',
    ssl,
  },
};

export const initialFor = (product: Product): Values => ({
  name: '',
  enable: true,
  ...structuredClone(INITIAL[product]),
  resource_opts: { query_mode: 'sync', buffer_mode: 'memory' },
});

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The form's values of what the API answered. What another choice would need is there too, at its default. */
export function valuesFrom(type: BridgeType, answer: Values): Values {
  const product = productOf(type);
  switch (product) {
    case 'mqtt':
      return {
        ...answer,
        has_ingress: isObject(answer.ingress),
        ingress: side(INGRESS, answer.ingress),
        has_egress: isObject(answer.egress),
        egress: side(EGRESS, answer.egress),
      };
    case 'kafka':
    case 'kafka_consumer': {
      const { authentication } = answer;
      return {
        ...answer,
        authentication: isObject(authentication) ? login(authentication) : { mechanism: 'none' },
      };
    }
    case 'redis': {
      const { command_template: words } = answer;
      return { ...answer, command_template: Array.isArray(words) ? commandText(words.map(String)) : '' };
    }
    case 'gcp_pubsub': {
      const { service_account_json: account } = answer;
      return { ...answer, service_account_json: isObject(account) ? jsonText(account) : account };
    }
    case 'influxdb':
      return { ...answer, api: type === 'influxdb_api_v1' ? 'v1' : 'v2' };
    default:
      return answer;
  }
}

const side = (standard: Readonly<Record<string, Values>>, given: unknown): Values => {
  const own = isObject(given) ? given : {};
  const parts = Object.entries(standard).map(([name, part]) => [
    name,
    { ...part, ...(isObject(own[name]) ? own[name] : {}) },
  ]);
  return { ...own, ...Object.fromEntries(parts) };
};

const login = (given: Values): Values =>
  'kerberos_principal' in given ? { ...given, mechanism: 'kerberos' } : given;

/** Which type of the API the choices of the form make. */
export function typeFrom(product: Product, values: Values): BridgeType {
  switch (product) {
    case 'redis':
      return values.redis_type === 'sentinel'
        ? 'redis_sentinel'
        : values.redis_type === 'cluster'
          ? 'redis_cluster'
          : 'redis_single';
    case 'mongodb':
      return values.mongo_type === 'rs'
        ? 'mongodb_rs'
        : values.mongo_type === 'sharded'
          ? 'mongodb_sharded'
          : 'mongodb_single';
    case 'influxdb':
      return values.api === 'v1' ? 'influxdb_api_v1' : 'influxdb_api_v2';
    default:
      return product;
  }
}

/** What is sent: the contract then keeps only what belongs to the type. */
export function bodyFrom(product: Product, values: Values): Values {
  const body: Values = { ...values, type: typeFrom(product, values) };
  if (product === 'mqtt') {
    if (values.has_ingress !== true) body.ingress = undefined;
    if (values.has_egress !== true) body.egress = undefined;
  }
  if (product === 'kafka' || product === 'kafka_consumer') body.authentication = authentication(values);
  const { resource_opts } = values;
  // The window belongs to async deliveries only.
  if (isObject(resource_opts) && resource_opts.query_mode !== 'async')
    body.resource_opts = { ...resource_opts, inflight_window: undefined };
  return body;
}

function authentication({ authentication: given }: Values): unknown {
  const { mechanism, username, password, kerberos_principal, kerberos_keytab_file } = isObject(given)
    ? given
    : {};
  if (mechanism === undefined || mechanism === 'none') return 'none';
  return mechanism === 'kerberos'
    ? { kerberos_principal, kerberos_keytab_file }
    : { mechanism, username, password };
}

/** A copy has no secrets: their places are empty, and `secrets` names them. */
export function withoutSecrets(values: Values): { values: Values; secrets: string[] } {
  const secrets: string[] = [];
  const emptied = (value: unknown, path: string): unknown => {
    if (value === MASK) {
      secrets.push(path);
      return '';
    }
    if (Array.isArray(value)) return value.map((one, i) => emptied(one, `${path}.${i}`));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, emptied(one, path === '' ? key : `${path}.${key}`)]),
    );
  };
  return { values: emptied(values, '') as Values, secrets };
}

/** `a_duplication`; of that one again `a_duplication_1`, then `_2`. */
export function copyName(name: string, taken: ReadonlySet<string>): string {
  const root = name.replace(/_duplication(?:_\d+)?$/, '') + DUPLICATION_SUFFIX;
  for (let i = 0; ; i++) {
    const next = i === 0 ? root : `${root}_${i}`;
    if (!taken.has(next)) return next;
  }
}
