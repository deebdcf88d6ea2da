import { type AclRequest, type AclSubject, compileRule } from '@mqdeck/contract/acl/match';
import { inNetwork, parseAddress, parseNetwork } from '@mqdeck/contract/acl/network';
import { parseAclFile } from '@mqdeck/contract/acl/parse-file';
import { type AuthzRule, aclTopic } from '@mqdeck/contract/acl/rule';
import { ruleText } from '@mqdeck/contract/acl/write-rule';
import type { AuthorizationSettings, AuthorizationSource, BuiltInRule } from '@mqdeck/contract/authorization';
import { type Banned, FOREVER } from '@mqdeck/contract/banned';
import { DELAYED_PREFIX } from '@mqdeck/contract/delayed';
import { parseExclusive, parseShared } from '@mqdeck/mqtt/topics';
import type { Question } from './question.ts';
import { type AccessView, NO_AUTHENTICATOR, NO_BAN, type Part, type Step, step } from './view.ts';

/** What a broker tells that does not explain its decisions; null = it does not tell. */
export interface Known {
  bans: readonly Banned[] | null;
  authenticators: readonly { id: string; enable: boolean }[] | null;
  sources: readonly AuthorizationSource[] | null;
  settings: Pick<AuthorizationSettings, 'no_match' | 'deny_action'> | null;
  /** Of the built-in database: those of the client id, of the username, of all. */
  rules: Readonly<Record<'clientid' | 'username' | 'all', readonly BuiltInRule[]>> | null;
}

class NotForBrowsers extends Error {}

/** With more of them a browser's own expressions, which go back and forth, might never come to an end. */
const REPETITIONS_MAX = 2;
/** Repeated groups, assertions and references. */
const INVOLVED = /\)[*+{]|\(\?|\\[1-9k]/;

/** A pattern, if it is one that a browser can be trusted with. */
function compilePattern(pattern: string): (value: string) => boolean {
  const repetitions = pattern.match(/[*+{]/g)?.length ?? 0;
  if (INVOLVED.test(pattern) || repetitions > REPETITIONS_MAX) throw new NotForBrowsers();
  try {
    const compiled = new RegExp(pattern, 'u');
    return (value) => compiled.test(value);
  } catch (cause) {
    throw new NotForBrowsers(undefined, { cause });
  }
}

/** How the broker would decide, as far as that can be told from what it lists. */
export function computeAccess(question: Question, known: Known, now: number): AccessView {
  const { clientid, username = null, peerhost, listener, connected } = question;
  const who: AclSubject = { clientid, username, address: peerhost, listener, attributes: {} };
  const blacklist = lookAtBans(who, known.bans, now);
  const authentication = lookAtLogin(known.authenticators);
  const request = requestOf(question);
  const banned = blacklist.some(({ decides }) => decides);
  const authorization = banned || request === null ? [] : lookAtRules(who, request, known);
  const decided = authorization.find(({ decides }) => decides);
  const parts: Part[] = [
    { part: 'blacklist', state: 'done', steps: blacklist },
    { part: 'authentication', state: 'done', steps: authentication },
    {
      part: 'authorization',
      state: banned ? 'not_reached' : request === null ? 'not_asked' : 'done',
      steps: authorization,
    },
  ];
  const view = {
    client: { clientid, username, peerhost, listener },
    connected,
    superuser: null,
    denyAction: known.settings?.deny_action ?? null,
    parts,
    computed: true,
  };
  if (banned) return { ...view, verdict: 'refused', reason: 'banned' };
  const unsure = (steps: readonly Step[]) => steps.some(({ result }) => result === 'unknown');
  // Who is connected has passed the first two
  if (!connected && (unsure(blacklist) || unsure(authentication)) && request === null)
    return { ...view, verdict: 'unknown', reason: 'unknown' };
  if (request === null) return { ...view, verdict: 'allowed', reason: 'may_connect' };
  if (!decided) return { ...view, verdict: 'unknown', reason: 'unknown' };
  return {
    ...view,
    verdict: decided.result === 'allow' ? 'allowed' : 'refused',
    reason: decided.name === 'no_match' ? 'no_match' : 'rule',
  };
}

function requestOf({ action, topic, qos, retain }: Question): AclRequest | null {
  if (topic === undefined) return null;
  if (action === 'subscribe')
    return {
      action,
      topic: parseShared(topic)?.filter ?? parseExclusive(topic) ?? topic,
      qos,
      retain: false,
    };
  let meant = topic;
  while (meant.startsWith(DELAYED_PREFIX)) {
    const slash = meant.indexOf('/', DELAYED_PREFIX.length);
    if (slash < 0) break;
    meant = meant.slice(slash + 1);
  }
  return { action, topic: meant, qos, retain };
}

function lookAtBans(who: AclSubject, bans: Known['bans'], now: number): Step[] {
  if (bans === null) return [step('ban', 'blacklist', 'unknown', { notKnown: 'not_listed' })];
  const unsure: Step[] = [];
  for (const ban of bans) {
    if (ban.until !== FOREVER && Date.parse(ban.until) < now) continue;
    const name = `${ban.as}: ${ban.who}`;
    try {
      if (concerns(ban, who)) return [step('ban', name, 'deny', { why: ban.reason, decides: true })];
    } catch (cause) {
      if (!(cause instanceof NotForBrowsers)) throw cause;
      unsure.push(step('ban', name, 'unknown', { notKnown: 'unreadable' }));
    }
  }
  return unsure.length > 0 ? unsure : [step('ban', NO_BAN, 'pass')];
}

function concerns(ban: Banned, { clientid, username, address }: AclSubject): boolean {
  switch (ban.as) {
    case 'clientid':
      return ban.who === clientid;
    case 'username':
      return ban.who === username;
    case 'peerhost':
    case 'peerhost_net': {
      const network = parseNetwork(ban.who);
      const groups = parseAddress(address);
      return network !== null && groups !== null && inNetwork(network, groups);
    }
    case 'clientid_re':
      return compilePattern(ban.who)(clientid);
    case 'username_re':
      return username !== null && compilePattern(ban.who)(username);
    default:
      throw new NotForBrowsers();
  }
}

function lookAtLogin(authenticators: Known['authenticators']): Step[] {
  if (authenticators === null)
    return [step('authenticator', 'authentication', 'unknown', { notKnown: 'not_listed' })];
  const enabled = authenticators.filter(({ enable }) => enable);
  if (enabled.length === 0) return [step('authenticator', NO_AUTHENTICATOR, 'allow')];
  return enabled.map(({ id }) => step('authenticator', id, 'unknown', { notKnown: 'password' }));
}

/** Source after source; behind one that cannot be asked from here nothing is certain. */
function lookAtRules(who: AclSubject, request: AclRequest, { sources, settings, rules }: Known): Step[] {
  if (sources === null) return [step('source', 'authorization', 'unknown', { notKnown: 'not_listed' })];
  const steps: Step[] = [];
  for (const source of sources) {
    if (!source.enable) continue;
    const said = lookAt(source, who, request, rules);
    const certain = !steps.some(({ result }) => result === 'unknown');
    const found = said.result === 'allow' || said.result === 'deny';
    steps.push({ ...said, decides: certain && found });
    if (found) return steps;
  }
  if (settings === null) return [...steps, step('source', 'no_match', 'unknown', { notKnown: 'not_listed' })];
  const certain = !steps.some(({ result }) => result === 'unknown');
  return [...steps, step('source', 'no_match', settings.no_match, { decides: certain })];
}

function lookAt(
  source: AuthorizationSource,
  who: AclSubject,
  request: AclRequest,
  rules: Known['rules'],
): Step {
  const { type } = source;
  try {
    if (type === 'file') {
      const file = parseAclFile(source.rules);
      if (file.faults.length > 0) throw new NotForBrowsers();
      for (const [i, { rule, line, text }] of file.rules.entries())
        if (compileRule(rule, compilePattern).fits(who, request))
          return step('source', type, rule.permission, { rule: { index: i + 1, line, text } });
      return step('source', type, 'pass');
    }
    if (type !== 'built_in_database') return step('source', type, 'unknown', { notKnown: 'elsewhere' });
    if (rules === null) return step('source', type, 'unknown', { notKnown: 'not_listed' });
    for (const of of ['clientid', 'username', 'all'] as const)
      for (const [i, stored] of rules[of].entries()) {
        const rule = ruleOf(stored);
        if (compileRule(rule, compilePattern).fits(who, request))
          return step('source', type, rule.permission, { rule: { index: i + 1, of, text: ruleText(rule) } });
      }
    return step('source', type, 'pass');
  } catch (cause) {
    if (!(cause instanceof NotForBrowsers)) throw cause;
    return step('source', type, 'unknown', { notKnown: 'unreadable' });
  }
}

const ruleOf = ({ permission, action, topic, qos, retain }: BuiltInRule): AuthzRule => ({
  permission,
  who: { kind: 'all' }, // whose they are is known already
  action,
  qos: qos === undefined || qos.length === 3 ? null : qos,
  retain: retain === undefined || retain === 'all' ? null : retain,
  topics: [aclTopic(topic)],
});
