import { type RawLine, readLine, type TraceLine } from './trace-line.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'plain';

/** One station of a message on its way through the broker. */
export interface Step {
  number: number; // of its line
  line: TraceLine;
  node: string;
  tone: Tone;
  /** After the first one. */
  afterMs: number;
}

const TONES: Readonly<Record<string, Tone>> = {
  publish_received: 'plain',
  publish_made: 'plain',
  allowed: 'good',
  denied: 'bad',
  topic_changed: 'warn',
  rule_matched: 'plain',
  rule_result: 'plain',
  rule_no_result: 'warn',
  rule_failed: 'bad',
  action_sent: 'good',
  action_failed: 'bad',
  action_retried: 'warn',
  action_expired: 'bad',
  queued: 'busy',
  delivered: 'good',
  acknowledged: 'good',
  dropped: 'bad',
  authentication_failed: 'bad',
  subscription_refused: 'bad',
};

const LEAST_FAILURE = 0x80;

/** What a line is to somebody who looks for what went wrong. */
export function toneOf({ msg, facts }: TraceLine): Tone {
  if (msg === 'action_done') return facts.outcome === 'success' ? 'good' : 'bad';
  if (msg === 'connack_sent') return Number(facts.reason_code) === 0 ? 'plain' : 'bad';
  // It may also end where it should: kept for later, consumed
  if (msg === 'publish_stopped')
    return Number(facts.reason_code ?? LEAST_FAILURE) >= LEAST_FAILURE ? 'bad' : 'warn';
  // What was delivered to nobody because its publisher did not want it back is as it should be
  if (msg === 'dropped' && facts.reason === 'no_local') return 'plain';
  return TONES[msg] ?? 'plain';
}

/** The lines of one message, in their order. */
export function wayOf(lines: readonly RawLine[], messageId: string): Step[] {
  const steps: Step[] = [];
  let startedAt: number | null = null;
  for (const raw of lines) {
    // Reading every line of a long trace would take longer than looking for the id in it
    if (!raw.text.includes(messageId)) continue;
    const line = readLine(raw);
    if (line.messageId !== messageId) continue;
    const at = line.time === null ? Number.NaN : Date.parse(line.time);
    startedAt ??= at;
    steps.push({
      number: raw.number,
      line,
      node: raw.node,
      tone: toneOf(line),
      afterMs: Math.max(0, at - startedAt),
    });
  }
  return steps;
}

/** Facts that a step shows beside its words, the message's own left out. */
export function tellingFacts({ msg, facts }: TraceLine): [name: string, value: string][] {
  const begins = msg === 'publish_received' || msg === 'publish_made';
  // The topic stands above all steps
  const left = new Set(begins ? ['topic'] : ['topic', 'qos', 'retain']);
  return Object.entries(facts)
    .filter(([name]) => !left.has(name) && name !== 'username' && name !== 'peername')
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}
