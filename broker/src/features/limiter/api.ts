import type {
  LimiterSettings,
  LimiterStatus,
  LimiterType,
  limiter,
  NodeRates,
} from '@mqdeck/contract/limiter';
import { limiterTypes } from '@mqdeck/contract/limiter';
import type { Core } from '../../core/core.ts';
import type { Wait } from '../../core/limiter/client-limits.ts';
import { Hits } from '../../core/limiter/tally.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';

const SHOWN_MAX = 100;

/** The node's rate of a type, under its newer name. */
const typeOfRate = {
  max_conn_rate: 'connection',
  messages_rate: 'message_in',
  bytes_rate: 'bytes_in',
} as const satisfies Record<string, LimiterType>;
const rateNames = Object.keys(typeOfRate) as (keyof typeof typeOfRate)[];

export function limiterApi(core: Core, settings: SettingsStore): Handlers<typeof limiter> {
  const nodeRates = (): NodeRates => {
    const values = settings.get('limiter');
    const limited = rateNames.filter((name) => values[typeOfRate[name]].rate !== 'infinity');
    return Object.fromEntries(limited.map((name) => [name, values[typeOfRate[name]].rate]));
  };
  const get =
    <T extends LimiterType>(type: T) =>
    () =>
      settings.get('limiter')[type];
  const update =
    <T extends LimiterType>(type: T) =>
    async ({
      body,
    }: {
      body:
        | Partial<LimiterSettings[T]>
        | { [K in keyof LimiterSettings[T]]?: LimiterSettings[T][K] | undefined };
    }) => {
      const values = settings.get('limiter');
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      const changed = { ...values, [type]: { ...values[type], ...given } };
      await settings.change('limiter', changed);
      return changed[type];
    };
  return {
    get: nodeRates,
    update: async ({ body }) => {
      const changed = { ...settings.get('limiter') };
      for (const name of rateNames) {
        const rate = body[name];
        if (rate !== undefined) changed[typeOfRate[name]] = { ...changed[typeOfRate[name]], rate };
      }
      await settings.change('limiter', changed);
      return nodeRates();
    },
    getBytesIn: get('bytes_in'),
    updateBytesIn: update('bytes_in'),
    getMessageIn: get('message_in'),
    updateMessageIn: update('message_in'),
    getConnection: get('connection'),
    updateConnection: update('connection'),
    getMessageRouting: get('message_routing'),
    updateMessageRouting: update('message_routing'),
    getInternal: get('internal'),
    updateInternal: update('internal'),
    getBatch: get('internal'),
    updateBatch: update('internal'),
    status: ({ query: { clientid } }) => statusOf(core, clientid),
  };
}

function statusOf({ limiter }: Core, clientid: string | undefined): LimiterStatus {
  const { tally, waits } = limiter;
  const waiting = new Map<string, number>();
  for (const { gate } of waits) {
    const key = `${gate.parts.type} ${gate.parts.bucketName}`;
    waiting.set(key, (waiting.get(key) ?? 0) + 1);
  }
  return {
    types: limiterTypes.map((type) => {
      const hits = tally.ofType(type);
      const buckets = limiter.bucketNames(type).map((name) => ({
        name,
        ...(hits.get(name) ?? new Hits()),
        waiting: waiting.get(`${type} ${name}`) ?? 0,
      }));
      const sum = (of: (one: Hits) => number) => [...hits.values()].reduce((all, one) => all + of(one), 0);
      return {
        type,
        held: sum(({ held }) => held),
        dropped: sum(({ dropped }) => dropped),
        ended: sum(({ ended }) => ended),
        forced: sum(({ forced }) => forced),
        waiting: buckets.reduce((all, one) => all + one.waiting, 0),
        buckets,
      };
    }),
    clients: longest(waits, clientid).map(({ gate, level, limits }) => ({
      clientid: limits.owner.who?.clientid ?? '',
      listener: limits.owner.entrance.id,
      type: gate.parts.type,
      bucket: gate.parts.bucketName,
      level,
      since: limits.since,
    })),
  };
}

/** The hundred that wait longest, without sorting the thousands. */
function longest(waits: Iterable<Wait>, clientid: string | undefined): Wait[] {
  const found: Wait[] = [];
  for (const wait of waits) {
    if (clientid !== undefined && wait.limits.owner.who?.clientid !== clientid) continue;
    const { since } = wait.limits;
    if (found.length === SHOWN_MAX && since >= found.at(-1)!.limits.since) continue;
    let at = found.length;
    while (at > 0 && found[at - 1]!.limits.since > since) at--;
    found.splice(at, 0, wait);
    if (found.length > SHOWN_MAX) found.pop();
  }
  return found;
}
