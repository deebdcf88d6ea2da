/** A line of a trace, taken apart as far as it can be: clusters write theirs in other words, and those are shown as they are. */
export interface TraceLine {
  text: string;
  /** Null where the line does not begin with a moment: it belongs to the one before. */
  time: string | null;
  tag: string;
  /** What happened, in the broker's word. */
  msg: string;
  clientid: string | null;
  /** That of the message it is about; all lines with it are one message's way. */
  messageId: string | null;
  facts: Readonly<Record<string, unknown>>;
}

const HEAD = /^(\d{4}-\d\d-\d\dT\S+) \[([^\]]+)\](?: ("(?:[^"\\]|\\.)*"|[^\s@]+)(?:@\S+)?)? msg: (\w+)/;
const NEXT = /, (\w+): /y;
const QUOTED = /"(?:[^"\\]|\\.)*"/y;
const BARE = /[^,]*/y;

const cache = new WeakMap<{ text: string }, TraceLine>();

/** A line as it lies in memory; what it says is read when somebody looks. */
export interface RawLine {
  readonly text: string;
  /** Counts from the first one that was read. */
  readonly number: number;
  readonly node: string;
}

export function readLine(raw: RawLine): TraceLine {
  const known = cache.get(raw);
  if (known) return known;
  const line = parseLine(raw.text);
  cache.set(raw, line);
  return line;
}

export function parseLine(text: string): TraceLine {
  return (text.startsWith('{') ? fromJson(text) : null) ?? fromText(text);
}

function fromJson(text: string): TraceLine | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null; // text that only begins like JSON
  }
  const { time, tag, level, msg, clientid, message_id, ...facts } = parsed as Record<string, unknown>;
  if (typeof msg !== 'string') return null;
  return {
    text,
    time: typeof time === 'string' ? time : typeof time === 'number' ? fromMicroseconds(time) : null,
    tag: String(tag ?? level ?? ''),
    msg,
    clientid: typeof clientid === 'string' ? clientid : null,
    messageId: typeof message_id === 'string' ? message_id : null,
    facts,
  };
}

const fromMicroseconds = (time: number): string => new Date(time / 1000).toISOString();

function fromText(text: string): TraceLine {
  const head = HEAD.exec(text);
  if (!head) return { text, time: null, tag: '', msg: '', clientid: null, messageId: null, facts: {} };
  const [whole, time, tag, who, msg] = head;
  const { message_id, ...facts } = factsOf(text, whole.length);
  return {
    text,
    time: time!,
    tag: tag!,
    msg: msg!,
    clientid: who === undefined ? null : who.startsWith('"') ? (JSON.parse(who) as string) : who,
    messageId: typeof message_id === 'string' ? message_id : null,
    facts,
  };
}

/** `, name: value` as often as there is one. A value is quoted where it could be taken for more than one. */
function factsOf(text: string, from: number): Record<string, unknown> {
  const facts: Record<string, unknown> = {};
  let at = from;
  for (;;) {
    NEXT.lastIndex = at;
    const next = NEXT.exec(text);
    if (!next) return facts;
    at = NEXT.lastIndex;
    const [value, end] = valueAt(text, at);
    facts[next[1]!] = value;
    at = end;
  }
}

function valueAt(text: string, at: number): [value: unknown, end: number] {
  if (text[at] === '"') {
    QUOTED.lastIndex = at;
    const quoted = QUOTED.exec(text);
    if (quoted) return [safelyParsed(quoted[0]), QUOTED.lastIndex];
  }
  if (text[at] === '{' || text[at] === '[') {
    const end = endOfJson(text, at);
    if (end !== -1) return [safelyParsed(text.slice(at, end)), end];
  }
  BARE.lastIndex = at;
  return [BARE.exec(text)![0], BARE.lastIndex];
}

function safelyParsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // another broker's own notation
  }
}

/** Where what begins with a bracket ends, strings skipped; -1 when it does not. */
function endOfJson(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      QUOTED.lastIndex = at;
      if (!QUOTED.exec(text)) return -1;
      at = QUOTED.lastIndex - 1;
    } else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
