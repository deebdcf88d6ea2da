import type { GatewayClient, gateways } from '@mqdeck/contract/gateways';
import type { CheckedRequest } from '@mqdeck/contract/kit/endpoint';
import type { Guest } from '../../core/guest.ts';
import { fail } from '../../http/api-error.ts';
import { type PageOf, pageOf, presented } from '../../paging/page.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';

type Query = CheckedRequest<typeof gateways.clients>['query'];
type Filter = (guest: Guest) => boolean;

/** A page of a gateway's guests that pass every filter given. */
export async function listGuests(
  guests: ReadonlyMap<string, Guest>,
  query: Query,
  node: string,
): Promise<PageOf<GatewayClient>> {
  if (query.node !== undefined && query.node !== node)
    return fail('NODE_DOWN', `There is no running node ${query.node}`);
  const filters = filtersOf(query);
  const fuzzy = [query.like_clientid, query.like_username, query.like_endpoint_name].some(
    (part) => part !== undefined,
  );
  const found = await pageOf<Guest>(query, {
    rows: [[...guests.values()]],
    matches: (guest) => filters.every((passes) => passes(guest)),
    counted: !fuzzy,
    total: filters.length === 0 ? guests.size : undefined,
  });
  return presented(found, presentGuest);
}

/** The filters whose key is there. */
function filtersOf(query: Query): Filter[] {
  const filters: Filter[] = [];
  const when = <T>(value: T | undefined, filter: (guest: Guest, value: T) => boolean) => {
    if (value !== undefined) filters.push((guest) => filter(guest, value));
  };
  const lifetimeOf = ({ extra }: Guest) => Number(extra.lifetime ?? Number.NaN);
  const endpointOf = ({ extra }: Guest) => (extra.endpoint_name == null ? null : String(extra.endpoint_name));
  when(query.clientid, ({ clientid }, id) => clientid === id);
  when(query.username, ({ username }, name) => username === name);
  when(query.ip_address, ({ address }, ip) => address === ip);
  when(query.conn_state, ({ connected }, state) => state === (connected ? 'connected' : 'disconnected'));
  when(query.proto_ver, ({ guestVersion }, version) => guestVersion === String(version));
  when(query.clean_start, ({ cleanStart }, clean) => cleanStart === clean);
  when(query.like_clientid, ({ clientid }, part) => clientid.includes(part));
  when(query.like_username, ({ username }, part) => username?.includes(part) ?? false);
  when(query.gte_created_at, ({ createdAt }, ms) => createdAt >= ms);
  when(query.lte_created_at, ({ createdAt }, ms) => createdAt <= ms);
  when(query.gte_connected_at, ({ connectedAt }, ms) => connectedAt >= ms);
  when(query.lte_connected_at, ({ connectedAt }, ms) => connectedAt <= ms);
  when(query.endpoint_name, (guest, name) => endpointOf(guest) === name);
  when(query.like_endpoint_name, (guest, part) => endpointOf(guest)?.includes(part) ?? false);
  when(query.gte_lifetime, (guest, seconds) => lifetimeOf(guest) >= seconds);
  when(query.lte_lifetime, (guest, seconds) => lifetimeOf(guest) <= seconds);
  return filters;
}

const SUBSCRIPTION_BYTES = 200; // about; as of clients of MQTT
const GUEST_BYTES = 2048;

/** A guest as the API shows it. */
export function presentGuest(guest: Guest): GatewayClient {
  const facts = guest.facts();
  return {
    ...guest.extra,
    clientid: facts.clientid,
    username: facts.username,
    node: facts.node,
    proto_name: facts.proto_name,
    proto_ver: String(facts.proto_ver),
    ip_address: facts.ip_address,
    port: facts.port,
    is_bridge: false,
    connected: facts.connected,
    connected_at: rfc3339(facts.connected_at),
    disconnected_at: facts.disconnected_at === null ? null : rfc3339(facts.disconnected_at),
    created_at: null, // of a session, which such a client has not
    keepalive: facts.keepalive,
    clean_start: facts.clean_start,
    expiry_interval: facts.expiry_interval,
    mountpoint: facts.mountpoint ?? '',
    subscriptions_cnt: facts.subscriptions_cnt,
    subscriptions_max: facts.subscriptions_max,
    inflight_cnt: 0,
    inflight_max: 'infinity',
    mqueue_len: 0,
    mqueue_max: 'infinity',
    mqueue_dropped: facts['send_msg.dropped'],
    awaiting_rel_cnt: 0,
    awaiting_rel_max: 'infinity',
    recv_oct: facts.recv_oct,
    recv_cnt: facts.recv_cnt,
    recv_pkt: facts.recv_pkt,
    recv_msg: facts.recv_msg,
    send_oct: facts.send_oct,
    send_cnt: facts.send_cnt,
    send_pkt: facts.send_pkt,
    send_msg: facts.send_msg,
    mailbox_len: 0,
    heap_size: Math.ceil((GUEST_BYTES + SUBSCRIPTION_BYTES * facts.subscriptions_cnt) / 8), // words
    reductions: facts.recv_pkt + facts.send_pkt,
  };
}
