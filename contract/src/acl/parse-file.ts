import { parseNetwork } from './network.ts';
import type { AclTopic, AclWho, AuthzRule } from './rule.ts';
import { type Term, type TermFault, TermReader } from './terms.ts';
import { unknownPlaceholder } from './topic-template.ts';

export const ACL_CHARACTERS_MAX = 1024 * 1024;
export const ACL_RULES_MAX = 10_000;
const FAULTS_MAX = 20;

/** A rule of a file, and where it stands. */
export interface FileRule {
  readonly rule: AuthzRule;
  readonly line: number; // from 1
  /** As it was written. */
  readonly text: string;
}

export interface AclFile {
  readonly rules: readonly FileRule[];
  /** What is wrong, by place; then the rules are not to be used. */
  readonly faults: readonly TermFault[];
}

/** Reads rules in the syntax of EMQX's ACL files, whatever the text; linear in its length. */
export function parseAclFile(text: string): AclFile {
  if (text.length > ACL_CHARACTERS_MAX)
    return refused('too_long', `the text may have ${ACL_CHARACTERS_MAX} characters at most`);
  const reader = new TermReader(text);
  const rules: FileRule[] = [];
  const faults: TermFault[] = [];
  while (faults.length < FAULTS_MAX) {
    const read = reader.next();
    if (read === null) break;
    if (rules.length === ACL_RULES_MAX) {
      faults.push({ ...placeOf(read.at), code: 'too_many', message: `${ACL_RULES_MAX} rules at most` });
      break;
    }
    if (read.fault !== null) faults.push(read.fault);
    else
      try {
        rules.push({ rule: ruleOf(read.term), line: read.at.line, text: read.text });
      } catch (cause) {
        if (!(cause instanceof Unexpected)) throw cause;
        faults.push({ ...placeOf(cause.term), code: cause.code, message: cause.message });
      }
  }
  return { rules, faults };
}

const placeOf = ({ line, column }: { line: number; column: number }) => ({ line, column });
const refused = (code: TermFault['code'], message: string): AclFile => ({
  rules: [],
  faults: [{ line: 1, column: 1, code, message }],
});

class Unexpected extends Error {
  readonly term: Term;
  readonly code: TermFault['code'];

  constructor(term: Term, code: TermFault['code'], message: string) {
    super(message);
    this.term = term;
    this.code = code;
  }
}

function fail(term: Term, code: TermFault['code'], message: string): never {
  throw new Unexpected(term, code, message);
}

const atomOf = (term: Term): string | null => (term.kind === 'atom' ? term.value : null);
const tupleOf = (term: Term, name: readonly string[], size: number): readonly Term[] | null =>
  term.kind === 'tuple' && term.items.length === size && name.includes(atomOf(term.items[0]!) ?? '')
    ? term.items
    : null;

function ruleOf(term: Term): AuthzRule {
  if (term.kind !== 'tuple')
    return fail(term, 'rule', 'expected a rule: {allow, all}. or {allow, Who, Action, [Topic]}.');
  const [first, who, action, topics, ...more] = term.items;
  const permission = first && atomOf(first);
  if (!first || (permission !== 'allow' && permission !== 'deny'))
    return fail(first ?? term, 'permission', 'expected allow or deny');
  if (!who) return fail(term, 'rule', 'expected who the rule is about, such as all, after the comma');
  if (!action) {
    if (atomOf(who) !== 'all')
      return fail(
        who,
        'short_rule',
        `expected all: a rule without action and topics is {${permission}, all}`,
      );
    const everything: AclTopic = { filter: '#', eq: false, ...(permission === 'deny' && { dollar: true }) };
    return { permission, who: { kind: 'all' }, action: 'all', qos: null, retain: null, topics: [everything] };
  }
  if (!topics) return fail(action, 'rule', 'expected a list of topics behind the action');
  if (more.length > 0) return fail(more[0]!, 'rule', 'expected the end of the rule: } behind the topics');
  return { permission, who: whoOf(who), ...actionOf(action), topics: topicsOf(topics) };
}

const WHO =
  "expected who: all, {username, …}, {clientid, …}, {ipaddr, …}, {ipaddrs, […]}, {client_attr, …, …}, {listener, …}, {zone, …}, {'and', […]} or {'or', […]}";

const NAMED = {
  user: 'username',
  username: 'username',
  client: 'clientid',
  clientid: 'clientid',
  listener: 'listener',
  zone: 'zone',
} as const;

function whoOf(term: Term): AclWho {
  if (atomOf(term) === 'all') return { kind: 'all' };
  if (term.kind !== 'tuple' || term.items.length === 0) return fail(term, 'who', WHO);
  const [head, value, other, ...more] = term.items as [Term, ...Term[]];
  const name = atomOf(head) ?? '';
  if (name === 'client_attr') {
    if (!value || !other || more.length > 0)
      return fail(term, 'client_attr', 'expected {client_attr, "name", "value"}');
    const attribute = textOf(value, 'the name of the attribute');
    const pattern = patternOf(other);
    return pattern === null
      ? { kind: 'client_attr', name: attribute, value: textOf(other, 'a text or {re, "pattern"}') }
      : { kind: 'client_attr_re', name: attribute, pattern };
  }
  if (!value || other) return fail(term, 'who', WHO);
  if (Object.hasOwn(NAMED, name)) {
    const kind = NAMED[name as keyof typeof NAMED];
    const pattern = patternOf(value);
    return pattern === null
      ? { kind, value: textOf(value, 'a text or {re, "pattern"}') }
      : { kind: `${kind}_re`, pattern };
  }
  switch (name) {
    case 'ipaddr':
      return { kind: 'ipaddr', networks: [networkOf(value)] };
    case 'ipaddrs':
      return { kind: 'ipaddr', networks: listOf(value, 'a list of addresses').map(networkOf) };
    case 'and':
    case 'or':
      return { kind: name, all: listOf(value, 'a list of who').map(whoOf) };
  }
  return fail(head, 'who', WHO);
}

function patternOf(term: Term): string | null {
  const pair = tupleOf(term, ['re'], 2);
  return pair && textOf(pair[1]!, 'a pattern');
}

function textOf(term: Term, what: string): string {
  if (term.kind !== 'text') return fail(term, 'text', `expected ${what} in double quotes`);
  return term.value;
}

function networkOf(term: Term): string {
  const text = textOf(term, 'an address');
  if (parseNetwork(text) === null)
    return fail(term, 'address', 'expected an address such as "10.0.0.1", or a network such as "10.0.0.0/8"');
  return text;
}

function listOf(term: Term, what: string): readonly Term[] {
  if (term.kind !== 'list') return fail(term, 'list', `expected ${what} in square brackets`);
  if (term.items.length === 0) return fail(term, 'empty_list', 'expected at least one item in the brackets');
  return term.items;
}

const ACTIONS = {
  publish: 'publish',
  pub: 'publish',
  subscribe: 'subscribe',
  sub: 'subscribe',
  all: 'all',
  pubsub: 'all',
} as const;
const ACTION =
  'expected an action: publish, subscribe or all, or with conditions {publish, [{qos, 1}, {retain, false}]}';

function actionOf(term: Term): Pick<AuthzRule, 'action' | 'qos' | 'retain'> {
  const conditioned = term.kind === 'tuple' && term.items.length === 2;
  const [head, conditions] = conditioned ? term.items : [term];
  const name = head && atomOf(head);
  if (!head || name === null || name === undefined || !Object.hasOwn(ACTIONS, name))
    return fail(head ?? term, 'action', ACTION);
  const action = ACTIONS[name as keyof typeof ACTIONS];
  let qos: AuthzRule['qos'] = null;
  let retain: AuthzRule['retain'] = null;
  for (const condition of conditions ? listOf(conditions, 'conditions') : []) {
    const ofQos = tupleOf(condition, ['qos'], 2);
    const ofRetain = tupleOf(condition, ['retain'], 2);
    if (ofQos) qos = qosOf(ofQos[1]!);
    else if (ofRetain && action !== 'subscribe') retain = retainOf(ofRetain[1]!);
    else
      return fail(
        condition,
        'condition',
        action === 'subscribe' ? 'expected {qos, 0|1|2}' : 'expected {qos, 0|1|2} or {retain, true|false}',
      );
  }
  return { action, qos, retain };
}

function qosOf(term: Term): AuthzRule['qos'] {
  return (term.kind === 'list' ? listOf(term, 'QoS levels') : [term]).map((one) => {
    if (one.kind !== 'integer' || (one.value !== 0 && one.value !== 1 && one.value !== 2))
      return fail(one, 'qos', 'expected a QoS: 0, 1 or 2');
    return one.value;
  });
}

function retainOf(term: Term): boolean | null {
  const word = atomOf(term);
  if (word === 'all') return null;
  if (word !== 'true' && word !== 'false') return fail(term, 'retain', 'expected true, false or all');
  return word === 'true';
}

function topicsOf(term: Term): readonly AclTopic[] {
  return listOf(term, 'a list of topics').map((one) => {
    const exact = tupleOf(one, ['eq'], 2);
    if (exact) return { filter: textOf(exact[1]!, 'a topic'), eq: true };
    const filter = textOf(one, 'a topic, or {eq, "topic"},');
    const unknown = unknownPlaceholder(filter);
    if (unknown !== null)
      return fail(
        one,
        'placeholder',
        `there is no placeholder ${unknown}: use \${username}, \${clientid} or \${client_attrs.NAME}`,
      );
    return { filter, eq: false };
  });
}
