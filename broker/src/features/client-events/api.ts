import type { ClientEvent, clientEvents } from '@mqdeck/contract/client-events';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { Turn } from '../../paging/turn.ts';
import type { ClientEvents, Heard } from './client-events.ts';

export const clientEventsApi = (core: Core, events: ClientEvents): Handlers<typeof clientEvents> => ({
  list: ({ params: { clientid }, query: { limit } }) => {
    const heard = events.of(clientid);
    const client = clientOf(core, clientid);
    if (heard.events.length === 0 && !client) return fail('CLIENTID_NOT_FOUND');
    const shown = heard.events.slice(0, limit);
    return {
      data: shown.map(present),
      meta: {
        connected: client?.connected ?? false,
        forgotten: heard.forgotten + heard.events.length - shown.length,
        since: rfc3339(core.startedAt),
        ...gatewayOf(client),
      },
    };
  },
  clients: async ({ query: { like_clientid = '', connected: wanted, limit } }) => {
    const data = [];
    const turn = new Turn();
    for (const { clientid, last } of events.seen()) {
      if (data.length === limit) break;
      if (turn.over) await turn.next();
      if (!clientid.includes(like_clientid)) continue;
      const client = clientOf(core, clientid);
      const connected = client?.connected ?? false;
      if (wanted !== undefined && wanted !== connected) continue;
      const seen = { clientid, connected, last_type: last.type, last_at: rfc3339(last.lastAt) };
      data.push({ ...seen, ...gatewayOf(client) });
    }
    return { data };
  },
});

const clientOf = (core: Core, clientid: string): Client | undefined =>
  core.registry.find(clientid) ?? core.findGuest(clientid);

const gatewayOf = (client: Client | undefined): { gateway?: string } => {
  const gateway = client?.who.guest?.gateway;
  return gateway === undefined ? {} : { gateway };
};

const present = ({ id, type, at, lastAt, times, facts }: Heard): ClientEvent => ({
  id,
  type,
  at: rfc3339(at),
  ...(times > 1 && { times, last_at: rfc3339(lastAt) }),
  ...facts,
});
