import type { Client as ClientRow } from '@mqdeck/contract/clients';
import type { Subscription } from '@mqdeck/contract/subscriptions';
import type { Client, ClientFacts, ClientSubscription } from '../../core/client.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';

/** What belongs to a socket is gone with it. */
const WITHOUT_SOCKET = {
  recv_oct: undefined,
  recv_cnt: undefined,
  send_oct: undefined,
  send_cnt: undefined,
  disconn_props: {}, // what came with the goodbye; none is kept
};

/** A client as the API shows it. The facts are fresh and become the row: copying them would cost more than all else. */
export function presentClient(client: Client): ClientRow {
  const facts = client.facts();
  const { connected, disconnected_at } = facts;
  return Object.assign(facts as Omit<ClientFacts, keyof typeof WITHOUT_SOCKET | Moment>, {
    created_at: rfc3339(facts.created_at),
    connected_at: rfc3339(facts.connected_at),
    disconnected_at: connected || disconnected_at === null ? undefined : rfc3339(disconnected_at),
    durable: false, // sessions of the real broker's second kind do not exist here
    enable_authn: true,
    peersni: null,
    // The real broker runs a process per client; here a client is data. The three figures keep their meaning:
    heap_size: Math.ceil(sessionBytes(facts) / 8), // words
    reductions: facts.recv_pkt + facts.send_pkt, // steps of work done
    mailbox_len: 0, // nothing ever waits for a process
    ws_cookie: facts.listener.startsWith('ws') ? [] : undefined, // none is kept
    ...(connected ? undefined : WITHOUT_SOCKET),
  }) as ClientRow;
}

type Moment = 'created_at' | 'connected_at' | 'disconnected_at';

/** About what a session takes, without the payloads it shares with others; from heap snapshots. */
function sessionBytes(facts: {
  subscriptions_cnt: number;
  inflight_cnt: number;
  mqueue_len: number;
}): number {
  return 2048 + 200 * facts.subscriptions_cnt + 160 * (facts.inflight_cnt + facts.mqueue_len);
}

/** A subscription as the API shows it. */
export const presentSubscription = (
  node: string,
  clientid: string,
  { filter, qos, noLocal, retainAsPublished, retainHandling }: ClientSubscription,
): Subscription => ({
  clientid,
  node,
  topic: filter,
  qos,
  nl: noLocal ? 1 : 0,
  rap: retainAsPublished ? 1 : 0,
  rh: retainHandling,
});
