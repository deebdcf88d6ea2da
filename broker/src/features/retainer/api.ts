import {
  MATCHING_FIRST,
  type RetainerChange,
  type RetainerSettings,
  type retainer,
} from '@mqdeck/contract/retainer';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { pageOf, presented } from '../../paging/page.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { Turn } from '../../paging/turn.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import type { RetainedClearing } from './clearing.ts';
import { Expiry } from './expiry.ts';
import type { Retained, RetainedStore } from './store.ts';

export function retainerApi(
  settings: SettingsStore,
  store: RetainedStore,
  clearing: RetainedClearing,
): Handlers<typeof retainer> {
  const expiry = new Expiry(() => settings.get('retainer'));
  const alive = (retained: Retained | undefined): retained is Retained =>
    retained !== undefined && !expiry.expired(retained, Date.now());

  /** Then all there are count, and nobody has to look at each. */
  const noneExpires = () =>
    store.mortalCount === 0 && settings.get('retainer').msg_expiry_interval_override === 'disabled';

  const matching = (filter: string) => (isValidFilter(filter) ? store.matching(filter) : []);

  return {
    get: () => settings.get('retainer'),
    update: async ({ body }) => {
      const changed = merged(settings.get('retainer'), body);
      await settings.change('retainer', changed);
      await store.keepOn(changed.backend.storage_type);
      return changed;
    },
    messages: async ({ query }) => {
      const { topic } = query;
      const found = await pageOf<Retained | undefined>(query, {
        rows: [topic === undefined ? store.all() : matching(topic)],
        matches: alive,
        counted: topic === undefined,
        total: noneExpires() ? store.size : undefined,
      });
      return presented(found, (retained) => present(retained!));
    },
    removeAll: async () => {
      await store.clear();
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
      if ((await store.removeEach(matching(topic), alive)) === 0) fail('NOT_FOUND', NO_MESSAGE);
    },
    matching: async ({ query: { topic } }) => {
      checkFilter(topic);
      const turn = new Turn();
      const first: Retained[] = [];
      let count = 0;
      for (const retained of matching(topic)) {
        if (alive(retained)) {
          count++;
          if (first.length < MATCHING_FIRST) first.push(retained);
        }
        if (turn.over) await turn.next();
      }
      return { topic, count, first: first.map(present) };
    },
    clear: async ({ body: { topic = null } }) => {
      if (topic !== null) checkFilter(topic);
      if (clearing.isRunning) fail('CONFLICT', 'Retained messages are being removed already');
      return clearing.start(topic, Date.now());
    },
    clearing: () => clearing.last,
    cancelClearing: () => clearing.cancel(),
  };
}

const NO_MESSAGE = "Viewed message doesn't exist";

function checkFilter(topic: string): void {
  if (!isValidFilter(topic)) fail('BAD_TOPIC', `"${topic.slice(0, 200)}" is no topic filter`);
}

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
