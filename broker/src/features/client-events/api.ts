import type { ClientEvent, clientEvents } from '@mqdeck/contract/client-events';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { Turn } from '../../paging/turn.ts';
import type { ClientEvents, Heard } from './client-events.ts';

export const clientEventsApi = (
  { registry, startedAt }: Core,
  events: ClientEvents,
): Handlers<typeof clientEvents> => ({
  list: ({ params: { clientid }, query: { limit } }) => {
    const heard = events.of(clientid);
    const client = registry.find(clientid);
    if (heard.events.length === 0 && !client) return fail('CLIENTID_NOT_FOUND');
    const shown = heard.events.slice(0, limit);
    return {
      data: shown.map(present),
      meta: {
        connected: client?.connected ?? false,
        forgotten: heard.forgotten + heard.events.length - shown.length,
        since: rfc3339(startedAt),
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
      const connected = registry.find(clientid)?.connected ?? false;
      if (wanted === undefined || wanted === connected)
        data.push({ clientid, connected, last_type: last.type, last_at: rfc3339(last.lastAt) });
    }
    return { data };
  },
});

const present = ({ id, type, at, lastAt, times, facts }: Heard): ClientEvent => ({
  id,
  type,
  at: rfc3339(at),
  ...(times > 1 && { times, last_at: rfc3339(lastAt) }),
  ...facts,
});
