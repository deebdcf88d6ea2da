import * as z from 'zod/mini';
import { parseAddress } from './acl/network.ts';
import { endpoint, json } from './kit/endpoint.ts';
import { flag, mqttText } from './kit/values.ts';

const address = z.string().check(z.refine((value) => parseAddress(value) !== null, 'Not an IP address'));

/** A client as it would connect, and what it would do then. */
export const AccessQuestion = z.strictObject({
  clientid: mqttText.check(z.minLength(1, 'required_field')),
  username: z.optional(z.nullable(mqttText)),
  /** Without it authentication is not tried, and whether the client would be a superuser is not known. */
  password: z.optional(mqttText),
  peerhost: z._default(address, '127.0.0.1'),
  /** Its own chain of authenticators counts, where it has one. */
  listener: z._default(
    z.string().check(z.regex(/^(tcp|ssl|ws|wss):\S{1,256}$/, 'bad_listener')),
    'tcp:default',
  ),
  /**
   * What the client of this id said and was given when it connected counts: username, address, listener, superuser,
   * attributes, rules of its token. It must be connected.
   */
  connected: z._default(flag, false),
  action: z._default(z.enum(['publish', 'subscribe']), 'publish'),
  /** A filter when subscribing. Without it only the connection is looked at. */
  topic: z.optional(mqttText),
  qos: z._default(z.literal([0, 1, 2]), 0),
  retain: z._default(flag, false),
});
export type AccessQuestion = z.output<typeof AccessQuestion>;

/** An authenticator and what it said; the last one that was asked and did not ignore decides. */
const AuthenticationStep = z.looseObject({
  id: z.string(),
  result: z.enum(['allow', 'deny', 'ignore']),
  why: z.string(),
});

/** Which rule decided. */
export const AccessRule = z.looseObject({
  index: z.number(), // among those of its source, from 1
  line: z.optional(z.number()), // in the file, from 1
  of: z.optional(z.enum(['clientid', 'username', 'all'])), // of the built-in database
  text: z.string(), // as an ACL file says it
});
export type AccessRule = z.infer<typeof AccessRule>;

/**
 * A source and what it said: `nomatch` no rule fits, `ignore` it could not be asked. Beside the types of sources there
 * are `system_topic`, `superuser`, `acl` (rules of the credentials), `no_match` (the setting) and `undecided` (a source failed, so
 * refused). The last one decides.
 */
const AuthorizationStep = z.looseObject({
  source: z.string(),
  result: z.enum(['allow', 'deny', 'nomatch', 'ignore']),
  why: z.string(),
  rule: z.nullable(AccessRule),
});

/** What the whole comes to. */
export const ACCESS_REASONS = [
  'banned', // refused by an entry of the blacklist
  'bad_credentials', // refused by the authenticator that decided
  'nobody_knows', // no authenticator knows the client: refused
  'may_connect', // let in; nothing else was asked
  'may_connect_untested', // not banned; the password was not tried
  'system_topic', // only the broker publishes below `$SYS`
  'superuser', // a superuser may everything
  'rule', // a rule allows or denies it
  'no_match', // no rule fits: the setting decides
  'undecided', // a source could not be asked, and no other decided: refused
] as const;
export type AccessReason = (typeof ACCESS_REASONS)[number];

export const AccessAnswer = z.looseObject({
  /** Whose request was looked at, in the end. */
  client: z.looseObject({
    clientid: z.string(),
    username: z.nullable(z.string()),
    peerhost: z.string(),
    listener: z.string(),
    connected: z.boolean(), // its facts are those of the connected client
  }),
  /** The entry of the blacklist that keeps it out. */
  banned: z.nullable(
    z.looseObject({ as: z.string(), who: z.string(), reason: z.string(), until: z.string() }),
  ),
  authentication: z.looseObject({
    decision: z.enum(['allow', 'deny', 'not_tried']),
    steps: z.array(AuthenticationStep),
  }),
  /** Null: not known, as nobody was authenticated. */
  superuser: z.nullable(z.boolean()),
  /** Null: nothing was asked, or the client would not get that far. */
  authorization: z.nullable(
    z.looseObject({
      decision: z.enum(['allow', 'deny']),
      steps: z.array(AuthorizationStep),
      no_match: z.enum(['allow', 'deny']),
      deny_action: z.enum(['ignore', 'disconnect']),
    }),
  ),
  verdict: z.enum(['allowed', 'refused']),
  reason: z.enum(ACCESS_REASONS),
});
export type AccessAnswer = z.infer<typeof AccessAnswer>;

export const access = {
  test: endpoint({
    method: 'POST',
    path: '/access/test',
    asks: true,
    summary:
      'What would become of a client that connects and publishes or subscribes, and who decides it, step by step. Nobody is banned, nothing is counted or cached',
    body: AccessQuestion,
    ok: json(AccessAnswer),
    errors: ['CLIENTID_NOT_FOUND', 'BAD_TOPIC', 'SERVICE_UNAVAILABLE'],
    extension: 'who decides about a client, step by step',
  }),
};
