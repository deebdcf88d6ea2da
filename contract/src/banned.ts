import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { moment } from './kit/moment.ts';
import { page, pageQueryFields, sortQueryFields } from './kit/page.ts';
import { text, timestamp } from './kit/values.ts';

/** What an entry goes by; `_re` are regular expressions found anywhere in the name, `peerhost_net` is a network. */
export const BANNED_AS = [
  'clientid',
  'username',
  'peerhost',
  'clientid_re',
  'username_re',
  'peerhost_net',
] as const;
export type BannedAs = (typeof BANNED_AS)[number];

/** As many characters as travel in a URL, however they are encoded; longer names are banned by a pattern. */
export const BANNED_WHO_MAX = 1024;
export const BANNED_PATTERN_MAX = 512;
/** Patterns of both kinds together. Names, addresses and networks are looked up, so of these there may be any number. */
export const BANNED_PATTERNS_MAX = 1000;
export const BANNED_REASON_MAX = 1024;

/** The value of `until` that never comes. */
export const FOREVER = 'infinity';

/** Somebody who may not connect. */
export const Banned = z.looseObject({
  as: z.string(),
  who: z.string(),
  by: z.string(),
  reason: z.string(),
  at: timestamp,
  /** A moment, or FOREVER. */
  until: z.string(),
});
export type Banned = z.infer<typeof Banned>;

const BANNED_SORT = ['who', 'as', 'reason', 'by', 'at', 'until'] as const;

/** Why and since when a connection was refused; a client that tries again at once makes no second row. */
export const RefusedConnection = z.looseObject({
  clientid: z.string(), // '' = it gave none, or it could not be read; cut off after BANNED_WHO_MAX characters
  username: z.nullable(z.string()),
  ip_address: z.string(),
  listener: z.string(), // `tcp:default`
  proto_name: z.optional(z.string()), // of a gateway's device: `STOMP`; none = MQTT
  proto_ver: z.union([z.number(), z.string()]),
  /** Of MQTT 5.0, also where an older client was answered with a number of its own. */
  reason_code: z.number(),
  /** The specification's name of it: `NotAuthorized`. */
  reason: z.string(),
  /** What is known beyond the code. */
  why: z.nullable(z.string()),
  count: z.number(),
  first_at: timestamp,
  last_at: timestamp,
  /** The entry of the blacklist that keeps it out now, whatever the reason was. */
  ban: z.nullable(z.looseObject({ as: z.string(), who: z.string() })),
});
export type RefusedConnection = z.infer<typeof RefusedConnection>;

const REFUSED = 'connections that were refused of late, and why';

export const banned = {
  list: endpoint({
    method: 'GET',
    path: '/banned',
    summary: 'Who may not connect',
    query: z.object({
      ...pageQueryFields,
      clientid: z.optional(z.string()),
      username: z.optional(z.string()),
      peerhost: z.optional(z.string()),
      /** Parts of what is banned, patterns included. */
      like_clientid: z.optional(z.string()),
      like_username: z.optional(z.string()),
      /** Networks included. */
      like_peerhost: z.optional(z.string()),
      like_peerhost_net: z.optional(z.string()),
      ...sortQueryFields(BANNED_SORT),
    }),
    ok: page(Banned),
  }),
  create: endpoint({
    method: 'POST',
    path: '/banned',
    summary: 'Ban a client id, a username or an address; who is connected is disconnected at once',
    body: z.strictObject({
      as: z.enum(BANNED_AS),
      who: text,
      by: z.optional(text),
      reason: z.optional(text),
      at: z.optional(moment),
      until: z._default(z.union([z.literal(FOREVER), moment], 'matched_no_union_member'), FOREVER),
    }),
    ok: json(Banned),
    errors: ['ALREADY_EXISTS'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/banned/:as/:who',
    summary: 'Lift a ban',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  clear: endpoint({
    method: 'DELETE',
    path: '/banned',
    summary: 'Lift all bans',
    ok: noContent,
  }),
};

export const refusedConnections = {
  list: endpoint({
    method: 'GET',
    path: '/refused_connections',
    summary: 'Connections that were refused of late, the latest first',
    query: z.object({
      ...pageQueryFields,
      like_clientid: z.optional(z.string()),
      like_username: z.optional(z.string()),
      like_ip_address: z.optional(z.string()),
    }),
    ok: page(RefusedConnection),
    extension: REFUSED,
  }),
  clear: endpoint({
    method: 'DELETE',
    path: '/refused_connections',
    summary: 'Forget the connections that were refused',
    ok: noContent,
    extension: REFUSED,
  }),
};
