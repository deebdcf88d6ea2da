import {
  BANNED_AS,
  BANNED_PATTERNS_MAX,
  BANNED_REASON_MAX,
  type BannedAs,
  type banned,
  FOREVER,
  type refusedConnections,
} from '@mqdeck/contract/banned';
import type { CheckedRequest } from '@mqdeck/contract/kit/endpoint';
import { reasonName } from '@mqdeck/mqtt/reason-codes';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { type PageOf, pageOf, pageOfList, presented } from '../../paging/page.ts';
import { rfc3339, rfc3339Seconds } from '../../paging/rfc3339.ts';
import { type Ban, canonical } from './ban.ts';
import type { Blacklist } from './banned.ts';
import type { Bans } from './bans.ts';
import type { Refused, RefusedConnections } from './refused.ts';

/** Who bans when a request does not say it. */
const BY = 'mgmt_api';

type Query = CheckedRequest<typeof banned.list>['query'];

export const bannedApi = (blacklist: Blacklist): Handlers<typeof banned> => ({
  list: async ({ query }) => presented(await listBans(blacklist.bans, query), present),
  create: async ({ body: { as, who: given, by = BY, reason = '', at, until } }) => {
    const now = Date.now();
    const who = checked(as, given);
    if (until !== FOREVER && until * 1000 <= now)
      return fail('BAD_REQUEST', 'The expiry time cannot be earlier than now');
    if (reason.length > BANNED_REASON_MAX || by.length > BANNED_REASON_MAX)
      return fail('BAD_REQUEST', `Reason and name may have ${BANNED_REASON_MAX} characters`);
    if (as.endsWith('_re') && blacklist.bans.patternCount >= BANNED_PATTERNS_MAX)
      return fail('BAD_REQUEST', `There can be ${BANNED_PATTERNS_MAX} patterns at most`);
    const ban: Ban = {
      as,
      who,
      by,
      reason,
      at: at ?? Math.floor(now / 1000),
      until: until === FOREVER ? null : until,
    };
    if (!(await blacklist.add(ban)))
      return fail('ALREADY_EXISTS', `${as} ${who.slice(0, 200)} is banned already`, 400);
    return present(ban);
  },
  remove: async ({ params: { as, who } }) => {
    if (!isKind(as)) return fail('BAD_REQUEST', `Nobody is banned as that: ${BANNED_AS.join(', ')}`);
    if (!(await blacklist.remove(as, keptForm(as, who))))
      return fail('NOT_FOUND', `${as} ${who.slice(0, 200)} is not banned`);
  },
  clear: () => blacklist.clear(),
});

export const refusedConnectionsApi = (
  refused: RefusedConnections,
  blacklist: Blacklist,
): Handlers<typeof refusedConnections> => ({
  list: ({ query: { page, limit, like_clientid, like_username, like_ip_address } }) => {
    const rows = refused
      .list()
      .filter(
        ({ clientid, username, address }) =>
          (like_clientid === undefined || clientid.includes(like_clientid)) &&
          (like_username === undefined || (username?.includes(like_username) ?? false)) &&
          (like_ip_address === undefined || address.includes(like_ip_address)),
      );
    return presented(pageOfList({ page, limit }, rows), (row) => ({
      ...presentRefused(row),
      ban: nameOf(blacklist.explain(row)),
    }));
  },
  clear: () => refused.clear(),
});

const isKind = (as: string): as is BannedAs => (BANNED_AS as readonly string[]).includes(as);

function checked(as: BannedAs, given: string): string {
  const result = canonical(as, given);
  return 'fault' in result ? fail('BAD_REQUEST', result.fault) : result.who;
}

/** Of a ban that is there already, so that its form is not to be judged. */
function keptForm(as: BannedAs, given: string): string {
  const result = canonical(as, given);
  return 'who' in result ? result.who : given;
}

type Filter = readonly [kinds: readonly BannedAs[], passes: (who: string) => boolean];

/** Each filter concerns the kinds it names; two of different kinds find nothing. */
function filtersOf(query: Query): Filter[] {
  const filters: Filter[] = [];
  const exact = (as: BannedAs, value: string | undefined) => {
    if (value === undefined) return;
    const form = keptForm(as, value);
    filters.push([[as], (who) => who === form]);
  };
  const fuzzy = (kinds: readonly BannedAs[], part: string | undefined) => {
    if (part !== undefined) filters.push([kinds, (who) => who.includes(part)]);
  };
  exact('clientid', query.clientid);
  exact('username', query.username);
  exact('peerhost', query.peerhost);
  fuzzy(['clientid', 'clientid_re'], query.like_clientid);
  fuzzy(['username', 'username_re'], query.like_username);
  fuzzy(['peerhost', 'peerhost_net'], query.like_peerhost);
  fuzzy(['peerhost_net'], query.like_peerhost_net);
  return filters;
}

async function listBans(bans: Bans, query: Query): Promise<PageOf<Ban>> {
  const filters = filtersOf(query);
  const kinds = BANNED_AS.filter((as) => filters.every(([concerned]) => concerned.includes(as)));
  const { sort, order, like_clientid, like_username, like_peerhost, like_peerhost_net } = query;
  const fuzzy = [like_clientid, like_username, like_peerhost, like_peerhost_net].some(
    (part) => part !== undefined,
  );
  const found = await pageOf<Ban>(query, {
    rows: bans.slices(kinds),
    matches: ({ who }) => filters.every(([, passes]) => passes(who)),
    counted: !fuzzy,
    sorting: sort && { by: sort, order, valueIn: (ban) => ban[sort] },
  });
  if (filters.length > 0) return found;
  const { hasnext: _, ...meta } = found.meta; // as real brokers: the count says it
  return { ...found, meta };
}

const present = ({ as, who, by, reason, at, until }: Ban) => ({
  as,
  at: rfc3339Seconds(at * 1000),
  by,
  reason,
  until: until === null ? FOREVER : rfc3339Seconds(until * 1000),
  who,
});

const nameOf = (ban: Ban | null) => ban && { as: ban.as, who: ban.who };

const presentRefused = (row: Refused) => ({
  clientid: row.clientid,
  username: row.username,
  ip_address: row.address,
  listener: row.listener,
  ...(row.protocolName !== null && { proto_name: row.protocolName }),
  proto_ver: row.protocolVersion,
  reason_code: row.reasonCode,
  reason: reasonName(row.reasonCode),
  why: row.why,
  count: row.count,
  first_at: rfc3339(row.firstAt),
  last_at: rfc3339(row.lastAt),
});
