import { parseNetwork } from '@mqdeck/contract/acl/network';
import { type AclWho, type AuthzRule, aclTopic } from '@mqdeck/contract/acl/rule';
import type { Row } from '../../../backends/backend.ts';
import type { Log } from '../../../core/core.ts';
import type { AccessRequest, ClientInfo } from '../../../core/hooks.ts';
import { PatternError } from '../patterns.ts';
import { compileAll, firstFit, NO_MATCH, verdictOf } from '../rules.ts';
import type { SourceVerdict } from '../source.ts';

const COMPLAINTS_MAX = 100;

/** Something in a row that is no rule. */
class RowFault extends Error {}

/**
 * What rows of another system say, in their order. One that cannot be read is left out, with a line in the log, when it
 * would have allowed something; any other might have denied it, so there the source has no answer.
 */
export class Rows {
  private readonly log: Log;
  private readonly source: string;
  private readonly complaints = new Set<string>();

  constructor(log: Log, source: string) {
    this.log = log;
    this.source = source;
  }

  judge(rows: readonly Row[], who: ClientInfo, request: AccessRequest): SourceVerdict {
    for (const [i, row] of rows.entries()) {
      try {
        const compiled = compileAll([ruleOf(row)]);
        if (firstFit(compiled, who, request) === 0) {
          const verdict = verdictOf(compiled, 0);
          return { ...verdict, ...(verdict.rule && { rule: { ...verdict.rule, index: i + 1 } }) };
        }
      } catch (error) {
        if (!(error instanceof RowFault || error instanceof PatternError)) throw error;
        const reason = `row ${i + 1} is no rule: ${error.message}`;
        this.complain(reason);
        if (row.permission !== 'allow') return { result: 'ignore', why: reason };
      }
    }
    return NO_MATCH;
  }

  /** Each once: the same row is asked for again and again. */
  private complain(reason: string): void {
    if (this.complaints.has(reason) || this.complaints.size >= COMPLAINTS_MAX) return;
    this.complaints.add(reason);
    this.log.warn({ source: this.source, reason }, 'a rule of authorization cannot be read');
  }
}

function ruleOf(row: Row): AuthzRule {
  const filters = topicsOf(row);
  return {
    permission: oneOf(['allow', 'deny'], row.permission, 'permission'),
    who: whoOf(row),
    action: oneOf(['publish', 'subscribe', 'all'], row.action, 'action'),
    qos: qosOf(row.qos),
    retain: retainOf(row.retain),
    topics: filters.map(aclTopic),
  };
}

function oneOf<T extends string>(words: readonly T[], value: unknown, name: string): T {
  const text = textOf(value)?.toLowerCase();
  return words.find((word) => word === text) ?? faulty(`${name} is not ${words.join(', ')}`);
}

function topicsOf({ topic, topics }: Row): string[] {
  const all = [...(isAbsent(topic) ? [] : [topic]), ...(Array.isArray(topics) ? topics : [])].map(textOf);
  if (all.length === 0) return faulty('there is no topic');
  return all.map((filter) => (filter === null || filter === '' ? faulty('a topic is empty') : filter));
}

/** Conditions beside those of the query. */
function whoOf({ ipaddr, username_re, clientid_re }: Row): AclWho {
  const all: AclWho[] = [];
  if (!isAbsent(ipaddr)) all.push({ kind: 'ipaddr', networks: [networkOf(ipaddr)] });
  for (const [kind, value] of [
    ['username_re', username_re],
    ['clientid_re', clientid_re],
  ] as const)
    if (!isAbsent(value)) all.push({ kind, pattern: textOf(value) ?? faulty(`${kind} is no pattern`) });
  return all.length === 0 ? { kind: 'all' } : { kind: 'and', all };
}

function networkOf(value: unknown): string {
  const text = textOf(value);
  return text !== null && parseNetwork(text) !== null ? text : faulty('ipaddr is no address or network');
}

/** `1`, `"0,1"` or a list. */
function qosOf(value: unknown): AuthzRule['qos'] {
  if (isAbsent(value)) return null;
  const list = Array.isArray(value) ? value : (textOf(value)?.split(',') ?? [value]);
  return list.map((one) => {
    switch (textOf(one)?.trim()) {
      case '0':
        return 0;
      case '1':
        return 1;
      case '2':
        return 2;
      default:
        return faulty('qos is not 0, 1 or 2');
    }
  });
}

function retainOf(value: unknown): boolean | null {
  if (isAbsent(value)) return null;
  if (value instanceof Uint8Array && value.length === 1 && value[0]! <= 1) return value[0] === 1; // BIT(1)
  switch (textOf(value)?.toLowerCase()) {
    case 'all':
      return null;
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
      return false;
    default:
      return faulty('retain is not true, false or all');
  }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (['number', 'boolean', 'bigint'].includes(typeof value)) return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : null;
}

function faulty(why: string): never {
  throw new RowFault(why);
}
