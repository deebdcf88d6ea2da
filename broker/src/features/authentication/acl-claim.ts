import { parseNetwork } from '@mqdeck/contract/acl/network';
import { type AclWho, type AuthzRule, aclTopic } from '@mqdeck/contract/acl/rule';
import { RE2JS } from 're2js';
import * as z from 'zod/mini';

/** More rules than these in one token or answer would be asked at every message. */
const RULES_MAX = 1000;

const qos = z.union([z.literal(0), z.literal(1), z.literal(2)]);
const topic = z.string().check(z.minLength(1));
const topics = z.array(topic).check(z.maxLength(RULES_MAX));
const pattern = z.string().check(z.refine(isPattern, 'is no regular expression'));

const network = z.string().check(z.refine((text) => parseNetwork(text) !== null, 'is no network'));

const Rule = z.looseObject({
  permission: z.enum(['allow', 'deny']),
  action: z.enum(['publish', 'subscribe', 'pub', 'sub', 'all']),
  topic: z.optional(topic),
  topics: z.optional(topics),
  qos: z.optional(z.union([qos, z.array(qos)])),
  retain: z.optional(
    z.union([z.boolean(), z.enum(['true', 'false', '0', '1', 'all']), z.literal(0), z.literal(1)]),
  ),
  clientid_re: z.optional(pattern),
  username_re: z.optional(pattern),
  ipaddr: z.optional(z.union([network, z.array(network)])),
});
type Rule = z.output<typeof Rule>;

const Lists = z.object({ pub: z.optional(topics), sub: z.optional(topics), all: z.optional(topics) });
const Claim = z.union([z.array(Rule).check(z.maxLength(RULES_MAX)), Lists]);

const ACTIONS = { pub: 'publish', sub: 'subscribe' } as const;

/**
 * The rules that come with a token or an answer: a list of them, or `{pub, sub, all}` with the topics that are allowed.
 * Null when they cannot be understood; whoever brought them is then refused.
 */
export function rulesOfClaim(claim: unknown): AuthzRule[] | null {
  const result = z.safeParse(Claim, claim);
  if (!result.success) return null;
  if (!Array.isArray(result.data)) return ruleOfLists(result.data);
  const rules = result.data.map(ruleOf);
  return rules.every((rule) => rule !== null) ? rules : null;
}

function ruleOfLists(lists: z.output<typeof Lists>): AuthzRule[] {
  const allowed = (action: AuthzRule['action'], filters: string[] = []): AuthzRule[] =>
    filters.length === 0
      ? []
      : [
          {
            permission: 'allow',
            who: { kind: 'all' },
            action,
            qos: null,
            retain: null,
            topics: filters.map(aclTopic),
          },
        ];
  return [...allowed('publish', lists.pub), ...allowed('subscribe', lists.sub), ...allowed('all', lists.all)];
}

function ruleOf(rule: Rule): AuthzRule | null {
  const filters = [...(rule.topic === undefined ? [] : [rule.topic]), ...(rule.topics ?? [])];
  if (filters.length === 0) return null;
  return {
    permission: rule.permission,
    who: whoOf(rule),
    action: rule.action === 'pub' || rule.action === 'sub' ? ACTIONS[rule.action] : rule.action,
    qos: rule.qos === undefined ? null : [rule.qos].flat(),
    retain: rule.retain === undefined || rule.retain === 'all' ? null : isTrue(rule.retain),
    topics: filters.map(aclTopic),
  };
}

function whoOf({ clientid_re, username_re, ipaddr }: Rule): AclWho {
  const all: AclWho[] = [
    ...(clientid_re === undefined ? [] : [{ kind: 'clientid_re', pattern: clientid_re } as const]),
    ...(username_re === undefined ? [] : [{ kind: 'username_re', pattern: username_re } as const]),
    ...(ipaddr === undefined ? [] : [{ kind: 'ipaddr', networks: [ipaddr].flat() } as const]),
  ];
  return all.length === 0 ? { kind: 'all' } : all.length === 1 ? all[0]! : { kind: 'and', all };
}

const isTrue = (value: boolean | string | number): boolean => ['true', '1'].includes(String(value));

function isPattern(text: string): boolean {
  try {
    RE2JS.compile(text);
    return true;
  } catch {
    return false;
  }
}
