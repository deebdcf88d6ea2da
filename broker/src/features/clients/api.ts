import { Client as ClientRow, type clients } from '@mqdeck/contract/clients';
import type { Subscription } from '@mqdeck/contract/subscriptions';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { presented } from '../../paging/page.ts';
import { Turn } from '../../paging/turn.ts';
import { listClients } from './list.ts';
import { inflightMessages, queuedMessages } from './messages.ts';
import { presentClient, presentSubscription } from './present.ts';

interface SubscribeBody {
  topic: string;
  qos: 0 | 1 | 2;
  nl: 0 | 1;
  rap: 0 | 1;
  rh: 0 | 1 | 2;
}

export function clientsApi(core: Core): Handlers<typeof clients> {
  const { registry, node } = core;
  const found = (clientid: string): Client => registry.find(clientid) ?? fail('CLIENTID_NOT_FOUND');

  const subscribe = (clientid: string, wanted: SubscribeBody[]): Subscription[] => {
    found(clientid);
    const wrong = wanted.find(({ topic }) => !isValidFilter(topic));
    if (wrong)
      fail('BAD_REQUEST', `Nobody can subscribe to "${wrong.topic.slice(0, 200)}": it is not a topic filter`);
    const requests = wanted.map(({ topic, qos, nl, rap, rh }) => ({
      filter: topic,
      qos,
      noLocal: nl === 1,
      retainAsPublished: rap === 1,
      retainHandling: rh,
    }));
    const codes = core.subscribe(clientid, requests) ?? fail('CLIENTID_NOT_FOUND');
    const refused = codes.findIndex((code) => code >= 0x80);
    if (refused >= 0)
      fail(
        'BAD_REQUEST',
        `The subscription to "${wanted[refused]!.topic.slice(0, 200)}" was refused: 0x${codes[refused]!.toString(16)}`,
      );
    const client = found(clientid);
    return wanted.flatMap(({ topic }) => {
      const subscription = client.subscription(topic);
      return subscription ? [presentSubscription(node, clientid, subscription)] : [];
    });
  };

  const unsubscribe = (clientid: string, filters: string[]): void => {
    if (!core.unsubscribe(clientid, filters)) fail('CLIENTID_NOT_FOUND');
  };

  return {
    list: async ({ query }) => {
      const pick = fieldsOf(query.fields);
      return presented(await listClients(core, query), (client) => pick(presentClient(client)));
    },
    get: ({ params: { clientid } }) => presentClient(found(clientid)),
    kickOut: ({ params: { clientid } }) => {
      if (!core.kick(clientid)) fail('CLIENTID_NOT_FOUND');
    },
    kickOutMany: async ({ body: clientids }) => {
      const turn = new Turn();
      for (const clientid of clientids) {
        core.kick(clientid);
        if (turn.over) await turn.next();
      }
    },
    subscriptions: ({ params: { clientid } }) =>
      [...found(clientid).subscriptions()].map((one) => ({
        ...presentSubscription(node, clientid, one),
        durable: false,
      })),
    subscribe: ({ params: { clientid }, body }) => subscribe(clientid, [body])[0]!,
    subscribeMany: ({ params: { clientid }, body }) => subscribe(clientid, body),
    unsubscribe: ({ params: { clientid }, body: { topic } }) => unsubscribe(clientid, [topic]),
    unsubscribeMany: ({ params: { clientid }, body }) =>
      unsubscribe(
        clientid,
        body.map(({ topic }) => topic),
      ),
    mqueueMessages: ({ params: { clientid }, query }) => queuedMessages(found(clientid), query),
    inflightMessages: ({ params: { clientid }, query }) => inflightMessages(found(clientid), query),
    keepalive: ({ params: { clientid }, body: { interval } }) => {
      const client = found(clientid);
      if (interval === undefined) return fail('BAD_REQUEST', 'The interval is missing');
      client.setKeepalive(interval);
      return presentClient(client);
    },
  };
}

const FIELDS: ReadonlySet<string> = new Set([...Object.keys(ClientRow.shape), 'all']);

/** Leaves only the fields that were asked for, if any were. */
function fieldsOf(fields: string | undefined): (row: ClientRow) => Partial<ClientRow> {
  if (fields === undefined) return (row) => row;
  const wanted = fields.split(',');
  const unknown = wanted.find((field) => !FIELDS.has(field));
  if (unknown !== undefined) return fail('BAD_REQUEST', `Clients have no field "${unknown.slice(0, 200)}"`);
  if (wanted.includes('all')) return (row) => row;
  const chosen = new Set(wanted);
  return (row) => Object.fromEntries(Object.entries(row).filter(([field]) => chosen.has(field)));
}
