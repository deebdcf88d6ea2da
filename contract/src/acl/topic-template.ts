import type { AclTopic } from './rule.ts';

/** What a client says of itself, and may therefore be a lie. */
export interface AclNames {
  readonly clientid: string;
  readonly username: string | null;
  readonly attributes: Readonly<Record<string, string>>;
}

type Name = (names: AclNames) => string | null;

const PLACEHOLDER = /\$\{([^{}]*)\}|%[cu]/g;
const ATTRIBUTE = /^client_attrs\.([A-Za-z0-9_.-]+)$/;

function nameOf(placeholder: string): Name | null {
  switch (placeholder) {
    case '${clientid}':
    case '%c':
      return (names) => names.clientid;
    case '${username}':
    case '%u':
      return (names) => names.username;
  }
  const attribute = ATTRIBUTE.exec(placeholder.slice(2, -1))?.[1];
  if (attribute === undefined) return null;
  return ({ attributes }) => (Object.hasOwn(attributes, attribute) ? attributes[attribute]! : null);
}

/** The first placeholder of a filter that nobody knows, or null. In rules it would stand for itself. */
export function unknownPlaceholder(filter: string): string | null {
  for (const [placeholder] of filter.matchAll(PLACEHOLDER)) {
    if (nameOf(placeholder) === null) return placeholder;
  }
  return null;
}

const hasWildcard = (value: string): boolean => value.includes('+') || value.includes('#');

/** Texts between placeholders; `texts` has one more than `names`. */
interface Template {
  readonly texts: readonly string[];
  readonly names: readonly Name[];
}

function parse(filter: string): Template {
  const texts: string[] = [];
  const names: Name[] = [];
  let text = '';
  let end = 0;
  for (const match of filter.matchAll(PLACEHOLDER)) {
    const name = nameOf(match[0]);
    text += filter.slice(end, match.index) + (name ? '' : match[0]);
    end = match.index + match[0].length;
    if (!name) continue;
    texts.push(text);
    names.push(name);
    text = '';
  }
  texts.push(text + filter.slice(end));
  return { texts, names };
}

/** Stands in a level for any text; no MQTT text holds it. */
const ANY = '\0';

/** The level itself; or, in place of a name nobody can trust, anything between what stands around it. */
function fills(level: string, asked: string): boolean {
  if (!level.includes(ANY)) return level === asked;
  return (
    asked !== '#' &&
    asked.startsWith(level.slice(0, level.indexOf(ANY))) &&
    asked.endsWith(level.slice(level.lastIndexOf(ANY) + 1))
  );
}

/** Whether all of what is asked for, a topic or a filter, lies in the filter of the rule. */
function covers(filter: readonly string[], asked: readonly string[], dollar: boolean): boolean {
  const first = filter[0];
  if ((first === '#' || first === '+') && !dollar && asked[0]!.startsWith('$')) return false; // [MQTT-4.7.2-1]
  for (const [i, level] of filter.entries()) {
    if (level === '#' && i === filter.length - 1) return true; // a/# covers a, a/+, a/b/#
    if (i >= asked.length) return false;
    if (level === '+' ? asked[i] === '#' : !fills(level, asked[i]!)) return false;
  }
  return filter.length === asked.length;
}

/** A filter of a rule, taken apart once. */
export class TopicTemplate {
  private readonly eq: string | null;
  private readonly dollar: boolean;
  private readonly template: Template;
  private readonly levels: readonly string[] | null; // without placeholders

  constructor({ filter, eq, dollar = false }: AclTopic) {
    this.eq = eq ? filter : null;
    this.dollar = dollar;
    this.template = eq ? { texts: [filter], names: [] } : parse(filter);
    this.levels = this.template.names.length === 0 ? filter.split('/') : null;
  }

  /** `levels` are those of `topic`. */
  fits(topic: string, levels: readonly string[], names: AclNames, permission: 'allow' | 'deny'): boolean {
    if (this.eq !== null) return this.eq === topic;
    if (this.levels) return covers(this.levels, levels, this.dollar);
    const values = this.template.names.map((name) => name(names));
    const filled = this.fill(values);
    if (filled !== null) return covers(filled, levels, this.dollar);
    return permission === 'deny' && this.coversAnyway(values, levels);
  }

  /** Null when a value is missing, or is more than a part of one level: with such a name nothing is allowed. */
  private fill(values: readonly (string | null)[]): readonly string[] | null {
    for (const value of values)
      if (value === null || value === '' || value.includes('/') || hasWildcard(value)) return null;
    const filled = this.join(values as readonly string[]);
    // A client called `$SYS` is not given what the broker says of itself
    if (filled.startsWith('$') && this.template.texts[0] === '') return null;
    return filled.split('/');
  }

  /** Nobody slips past a denial by calling himself something odd: it holds for any name, and for the odd one. */
  private coversAnyway(values: readonly (string | null)[], levels: readonly string[]): boolean {
    const known = values.map((value) => value ?? '');
    if (covers(this.join(known).split('/'), levels, this.dollar)) return true;
    return covers(this.template.texts.join(ANY).split('/'), levels, this.dollar);
  }

  private join(values: readonly string[]): string {
    const { texts } = this.template;
    let joined = texts[0]!;
    for (const [i, value] of values.entries()) joined += value + texts[i + 1]!;
    return joined;
  }
}
