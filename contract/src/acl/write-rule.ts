import type { AclWho, AuthzRule } from './rule.ts';

/** A rule as an ACL file says it. */
export function ruleText({ permission, who, action, qos, retain, topics }: AuthzRule): string {
  const [only, ...more] = topics;
  const everything = only?.filter === '#' && !only.eq && (permission === 'allow' || only.dollar === true);
  if (everything && more.length === 0 && who.kind === 'all' && action === 'all' && !qos && retain === null)
    return `{${permission}, all}.`;
  const conditions = [
    ...(qos === null ? [] : [`{qos, ${qos.length === 1 ? qos[0] : `[${qos.join(', ')}]`}}`]),
    ...(retain === null || action === 'subscribe' ? [] : [`{retain, ${retain}}`]),
  ];
  const what = conditions.length === 0 ? action : `{${action}, [${conditions.join(', ')}]}`;
  const filters = topics.map(({ filter, eq }) => (eq ? `{eq, ${quoted(filter)}}` : quoted(filter)));
  return `{${permission}, ${whoText(who)}, ${what}, [${filters.join(', ')}]}.`;
}

function whoText(who: AclWho): string {
  switch (who.kind) {
    case 'all':
      return 'all';
    case 'username':
    case 'clientid':
    case 'listener':
    case 'zone':
      return `{${who.kind}, ${quoted(who.value)}}`;
    case 'username_re':
    case 'clientid_re':
    case 'listener_re':
    case 'zone_re':
      return `{${who.kind.slice(0, -3)}, {re, ${quoted(who.pattern)}}}`;
    case 'ipaddr':
      return who.networks.length === 1
        ? `{ipaddr, ${quoted(who.networks[0]!)}}`
        : `{ipaddrs, [${who.networks.map(quoted).join(', ')}]}`;
    case 'client_attr':
      return `{client_attr, ${quoted(who.name)}, ${quoted(who.value)}}`;
    case 'client_attr_re':
      return `{client_attr, ${quoted(who.name)}, {re, ${quoted(who.pattern)}}}`;
    case 'and':
    case 'or':
      return `{'${who.kind}', [${who.all.map(whoText).join(', ')}]}`;
  }
}

/** Control characters by their codes, so that a rule is one line and nothing in it hides. */
const quoted = (text: string): string =>
  `"${text
    .replaceAll(/["\\]/g, '\\$&')
    .replaceAll(/\p{Cc}/gu, (char) => `\\x{${char.charCodeAt(0).toString(16)}}`)}"`;
