/**
 * The small language of `client_attrs_init` and `clientid_override`: what is known of a client when it connects, made
 * into a text. `nth(2, tokens(clientid, '-'))`, `concat([cn, '.', username])`, `coalesce(user_property.site, zone)`.
 * What is not known is an empty text.
 */

/** What is known of a client when it connects; names that are not there are empty. */
export interface ExpressionFacts {
  clientid: string;
  username: string;
  cn: string;
  dn: string;
  zone: string;
  listener: string;
  peerhost: string;
  userProperties: readonly (readonly [name: string, value: string])[];
}

export type Expression = (facts: ExpressionFacts) => string;

export const EXPRESSION_MAX = 1024; // characters
const DEPTH_MAX = 16;

type Value = string | number | string[];
type Term = (facts: ExpressionFacts) => Value;

const VARIABLES = ['clientid', 'username', 'cn', 'dn', 'zone', 'listener', 'peerhost'] as const;
const USER_PROPERTY = 'user_property.';

const textOf = (value: Value | undefined): string =>
  value === undefined ? '' : Array.isArray(value) ? value.join('') : String(value);
const numberOf = (value: Value | undefined): number => Math.trunc(Number(textOf(value)));
const listed = (values: Value[]): string[] => values.flat().map(String);

/** Places count from 1, and from the end when they are negative. */
function nth(values: Value[]): string {
  const [place, list] = values;
  const at = numberOf(place);
  if (!at || !Array.isArray(list)) return '';
  return list.at(at > 0 ? at - 1 : at) ?? '';
}

interface FunctionDefinition {
  least: number;
  most: number; // arguments
  call: (values: Value[]) => Value;
}

const FUNCTIONS = new Map<string, FunctionDefinition>([
  ['nth', { least: 2, most: 2, call: nth }],
  [
    'tokens',
    {
      least: 2,
      most: 2,
      // Any of the characters parts two tokens, and there are no empty ones
      call: ([text, separators]) => {
        const parts = new Set(textOf(separators));
        const found = [''];
        for (const character of textOf(text))
          if (parts.has(character)) found.push('');
          else found[found.length - 1] += character;
        return found.filter((token) => token !== '');
      },
    },
  ],
  [
    'substr',
    {
      least: 2,
      most: 3,
      call: ([text, from, length]) => {
        const start = Math.max(0, numberOf(from) || 0);
        const end = length === undefined ? undefined : start + Math.max(0, numberOf(length) || 0);
        return textOf(text).slice(start, end);
      },
    },
  ],
  ['concat', { least: 1, most: 20, call: (values) => listed(values).join('') }],
  ['coalesce', { least: 1, most: 20, call: (values) => listed(values).find((value) => value !== '') ?? '' }],
  ['lower', { least: 1, most: 1, call: ([text]) => textOf(text).toLowerCase() }],
  ['upper', { least: 1, most: 1, call: ([text]) => textOf(text).toUpperCase() }],
  ['trim', { least: 1, most: 1, call: ([text]) => textOf(text).trim() }],
]);

const TOKEN = /\s*(?:('[^']*'|"[^"]*")|(-?\d+)|([A-Za-z_][\w.-]*)|([(),[\]]))/y;

/** Null: it cannot be understood. */
export function compileExpression(text: string): Expression | null {
  const tokens = tokensOf(text);
  if (tokens === null) return null;
  let at = 0;
  const take = (wanted: string): boolean => {
    if (tokens[at] !== wanted) return false;
    at++;
    return true;
  };

  const several = (end: string, depth: number): Term[] | null => {
    const terms: Term[] = [];
    if (take(end)) return terms;
    do {
      const next = term(depth);
      if (next === null) return null;
      terms.push(next);
    } while (take(','));
    return take(end) ? terms : null;
  };

  const term = (depth: number): Term | null => {
    const token = tokens[at++];
    if (token === undefined || depth > DEPTH_MAX) return null;
    if (token === '[') {
      const items = several(']', depth + 1);
      return items && ((facts) => listed(items.map((item) => item(facts))));
    }
    if (/^['"]/.test(token)) return constant(token.slice(1, -1));
    if (/^-?\d/.test(token)) return constant(Number(token));
    if (!take('(')) return variable(token);
    const definition = FUNCTIONS.get(token);
    const given = several(')', depth + 1);
    if (!definition || !given || given.length < definition.least || given.length > definition.most)
      return null;
    return (facts) => definition.call(given.map((one) => one(facts)));
  };

  const whole = term(0);
  return whole === null || at < tokens.length ? null : (facts) => textOf(whole(facts));
}

const constant =
  (value: Value): Term =>
  () =>
    value;

function variable(name: string): Term | null {
  if (name.startsWith(USER_PROPERTY)) {
    const wanted = name.slice(USER_PROPERTY.length);
    return ({ userProperties }) => userProperties.findLast(([key]) => key === wanted)?.[1] ?? '';
  }
  const known = VARIABLES.find((one) => one === name);
  return known === undefined ? null : (facts) => facts[known];
}

function tokensOf(text: string): string[] | null {
  const found: string[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const match = TOKEN.exec(trimmed);
    if (!match) return null;
    found.push(match[0].trim());
  }
  return found;
}
