import {
  type BridgeType,
  bridgeConfig,
  bridgeTypeNames,
  isBridgeType,
  newBridge,
} from '@mqdeck/contract/bridges/types';
import * as z from 'zod/mini';
import type { Words } from '../../i18n/words.ts';
import type { kindWords } from './kind-words.ts';

/** What operators choose between; some of them are several types of the API, told apart by how the target is deployed. */
const TYPES = {
  webhook: ['webhook'],
  mqtt: ['mqtt'],
  kafka: ['kafka'],
  kafka_consumer: ['kafka_consumer'],
  gcp_pubsub: ['gcp_pubsub'],
  mysql: ['mysql'],
  pgsql: ['pgsql'],
  matrix: ['matrix'],
  mongodb: ['mongodb_single', 'mongodb_rs', 'mongodb_sharded'],
  redis: ['redis_single', 'redis_sentinel', 'redis_cluster'],
  timescale: ['timescale'],
  influxdb: ['influxdb_api_v1', 'influxdb_api_v2'],
} as const satisfies Record<string, readonly BridgeType[]>;

export type Product = keyof typeof TYPES;
const products = Object.keys(TYPES) as Product[];
export const isProduct = (name: unknown): name is Product => products.some((one) => one === name);
const typesOf = (product: Product): readonly BridgeType[] => TYPES[product];
export const productOf = (type: BridgeType): Product =>
  products.find((one) => typesOf(one).includes(type)) ?? 'webhook';

export type GroupId = 'services' | 'streams' | 'databases' | 'stores' | 'series';
export const GROUPS: Readonly<Record<GroupId, readonly Product[]>> = {
  services: ['webhook', 'mqtt'],
  streams: ['kafka', 'kafka_consumer', 'gcp_pubsub'],
  databases: ['mysql', 'pgsql', 'matrix'],
  stores: ['mongodb', 'redis'],
  series: ['influxdb', 'timescale'],
};
export const groupOf = (type: string): GroupId | undefined => {
  if (!isBridgeType(type)) return undefined;
  const product = productOf(type);
  return (Object.keys(GROUPS) as GroupId[]).find((group) => GROUPS[group].includes(product));
};

type W = Words<typeof kindWords>;

/** What a type is called; one of a newer broker keeps its own name. */
export const typeName = (type: string, w: W): string => (isBridgeType(type) ? w[type] : type);
export const typesInOrder: readonly BridgeType[] = bridgeTypeNames;

/** What a form of this product sends to make a bridge: `type` says which of its types. */
export function newBody(product: Product): z.ZodMiniType {
  const shapes = typesOf(product).map((type) => newBridge(type));
  const [first, ...rest] = shapes;
  return rest.length === 0 ? first! : z.discriminatedUnion('type', [first!, ...rest]);
}
export const changeBody = (type: BridgeType): z.ZodMiniType => bridgeConfig(type);
