import { CLIENT_SORT, type clients } from '@mqdeck/contract/clients';
import type { CheckedRequest } from '@mqdeck/contract/kit/endpoint';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { PageOf } from '../../paging/page.ts';
import { pageOf } from '../../paging/page.ts';
import type { SortValue } from '../../paging/sort.ts';

type Query = CheckedRequest<typeof clients.list>['query'];
type Filter = (client: Client) => boolean;

/** A page of the clients that pass every filter given. */
export async function listClients({ registry, node }: Core, query: Query): Promise<PageOf<Client>> {
  if (query.node !== undefined && query.node !== node) return fail('NODE_DOWN');
  const filters = filtersOf(query);
  const fuzzy = query.like_clientid !== undefined || query.like_username !== undefined;
  const { clientid, sort, order } = query;
  return pageOf(query, {
    // Ids that are given are looked up, not looked for.
    rows: clientid
      ? [[...new Set(clientid)].map((id) => registry.find(id)).filter((client) => client !== undefined)]
      : registry.slices(),
    matches: (client) => filters.every((passes) => passes(client)),
    counted: !fuzzy,
    total: !clientid && filters.length === 0 ? registry.size : undefined,
    sorting: sort && { by: sort, order, valueIn: SORT_VALUES[sort] },
  });
}

/** The filters whose key is there. Values are data: nothing in them is a pattern. */
function filtersOf(query: Query): Filter[] {
  const filters: Filter[] = [];
  const when = <T>(value: T | undefined, filter: (value: T) => Filter) => {
    if (value !== undefined) filters.push(filter(value));
  };
  when(
    query.username,
    (names) =>
      ({ username }) =>
        username !== null && names.includes(username),
  );
  when(
    query.like_clientid,
    (part) =>
      ({ clientid }) =>
        clientid.includes(part),
  );
  when(
    query.like_username,
    (part) =>
      ({ username }) =>
        username?.includes(part) ?? false,
  );
  when(
    query.ip_address,
    (ip) =>
      ({ address }) =>
        address === ip,
  );
  when(
    query.conn_state,
    (state) =>
      ({ connected }) =>
        state === (connected ? 'connected' : 'disconnected'),
  );
  when(
    query.clean_start,
    (clean) =>
      ({ cleanStart }) =>
        cleanStart === clean,
  );
  when(query.proto_ver, (given) => {
    const version = protocolVersion(given);
    return ({ protocolVersion }) => protocolVersion === version;
  });
  when(
    query.proto_name,
    (name) =>
      ({ protocolVersion }) =>
        name === (protocolVersion === 3 ? 'MQIsdp' : 'MQTT'),
  );
  when(
    query.gte_created_at,
    (ms) =>
      ({ createdAt }) =>
        createdAt >= ms,
  );
  when(
    query.lte_created_at,
    (ms) =>
      ({ createdAt }) =>
        createdAt <= ms,
  );
  when(
    query.gte_connected_at,
    (ms) =>
      ({ connectedAt }) =>
        connectedAt >= ms,
  );
  when(
    query.lte_connected_at,
    (ms) =>
      ({ connectedAt }) =>
        connectedAt <= ms,
  );
  return filters;
}

function protocolVersion(given: string | number): number {
  if (!/^\d{1,3}$/.test(String(given)))
    return fail('INVALID_PARAMETER', 'proto_ver must be a number: 3, 4 or 5');
  return Number(given);
}

type SortField = (typeof CLIENT_SORT)[number];

/** Cheap fields are read from the client itself, figures from its facts. */
const SORT_VALUES: Record<SortField, (client: Client) => SortValue> = {
  ...(Object.fromEntries(
    CLIENT_SORT.map((field) => [field, (client: Client): SortValue => client.facts()[field]]),
  ) as Record<SortField, (client: Client) => SortValue>),
  clientid: (client) => client.clientid,
  username: (client) => client.username,
  connected: (client) => client.connected,
  ip_address: (client) => client.address,
  keepalive: (client) => client.keepalive,
  expiry_interval: (client) => client.expiryInterval,
  proto_ver: (client) => client.protocolVersion,
  connected_at: (client) => client.connectedAt,
  created_at: (client) => client.createdAt,
  subscriptions_cnt: (client) => client.subscriptionCount,
};
