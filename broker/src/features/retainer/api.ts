import type { RetainerChange, RetainerSettings, retainer } from '@mqdeck/contract/retainer';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { pageOf, presented } from '../../paging/page.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { Turn } from '../../paging/turn.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { expired } from './replays.ts';
import type { Retained, RetainedStore } from './store.ts';

export function retainerApi(settings: SettingsStore, store: RetainedStore): Handlers<typeof retainer> {
  const alive = (retained: Retained | undefined): retained is Retained =>
    retained !== undefined && !expired(retained, Date.now());

  const matching = (filter: string) => (isValidFilter(filter) ? store.matching(filter) : []);

  return {
    get: () => settings.get('retainer'),
    update: async ({ body }) => {
      const changed = merged(settings.get('retainer'), body);
      await settings.change('retainer', changed);
      return changed;
    },
    messages: async ({ query }) => {
      const { topic } = query;
      const found = await pageOf<Retained | undefined>(query, {
        rows: [topic === undefined ? store.all() : matching(topic)],
        matches: alive,
        counted: topic === undefined,
      });
      return presented(found, (retained) => present(retained!));
    },
    removeAll: async () => {
      store.clear();
      await store.flushed();
    },
    message: async ({ params: { topic } }) => {
      const turn = new Turn();
      for (const retained of matching(topic)) {
        if (alive(retained))
          return { ...present(retained), payload: Buffer.from(retained.payload).toString('base64') };
        if (turn.over) await turn.next();
      }
      return fail('NOT_FOUND', NO_MESSAGE);
    },
    remove: async ({ params: { topic } }) => {
      const turn = new Turn();
      let removed = 0;
      for (const retained of matching(topic)) {
        if (alive(retained) && store.remove(retained.topic)) removed++;
        if (turn.over) await turn.next();
      }
      if (removed === 0) fail('NOT_FOUND', NO_MESSAGE);
      await store.flushed();
    },
  };
}

const NO_MESSAGE = "Viewed message doesn't exist";

const present = ({ id, topic, qos, timestamp, from, username }: Retained) => ({
  msgid: id.toUpperCase(),
  topic,
  qos,
  publish_at: rfc3339(timestamp),
  from_clientid: from,
  from_username: username ?? '',
});

/** What the change leaves out, or leaves undefined, keeps its value. */
function merged(old: RetainerSettings, { backend = {}, ...change }: RetainerChange): RetainerSettings {
  const given = <T extends object>(part: T): T =>
    Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as T;
  return { ...old, ...given(change), backend: { ...old.backend, ...given(backend) } } as RetainerSettings;
}
