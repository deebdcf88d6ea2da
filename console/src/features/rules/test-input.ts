import type { Bridge } from '@mqdeck/contract/bridges';
import type { RuleEvent } from '@mqdeck/contract/rules';
import { isSource, sourceOf } from './bridge-sides.ts';
import { topicFor } from './sql-parts.ts';

const PUBLISH = '$events/message_publish';

/** Where test data may come from. */
export interface TestSource {
  /** The event, or what the bridge is called in FROM. */
  value: string;
  event: RuleEvent;
  bridge?: Bridge;
}

/** One column of the input; its text is what the operator sees. */
export interface TestColumn {
  name: string;
  kind: 'text' | 'number' | 'boolean' | 'json';
  sample: string;
  meaning: { en: string; zh: string } | undefined;
}

/** Events, then the bridges that can be read from, with the columns of their kind. */
export function testSources(events: readonly RuleEvent[], bridges: readonly Bridge[]): TestSource[] {
  const kinds = new Map(events.map((one) => [one.event, one]));
  return [
    ...events
      .filter(({ event }) => !event.startsWith('$bridges/'))
      .map((event): TestSource => ({ value: event.event, event })),
    ...bridges.filter(isSource).flatMap((bridge): TestSource[] => {
      const event = kinds.get(`$bridges/${bridge.type}:*`);
      return event ? [{ value: sourceOf(bridge), event, bridge }] : [];
    }),
  ];
}

/** What a source of FROM is in that list; every topic is a message that is published. */
export const testSourceOf = (from: string): string =>
  from.startsWith('$events/') || from.startsWith('$bridges/') ? from : PUBLISH;

/** The samples of an event; a topic that the statement's filter lets through. */
export function columnsFor({ event, bridge }: TestSource, sources: readonly string[]): TestColumn[] {
  const filter = sources.find((one) => testSourceOf(one) === PUBLISH && !one.startsWith('$'));
  return Object.entries(event.test_columns).map(([name, [given, meaning]]) => {
    const own = name === 'topic' && !bridge && event.event === PUBLISH && filter !== undefined;
    const sample = own ? topicFor(filter) : given;
    return { name, kind: kindOf(sample), sample: shown(sample), meaning: meaningOf(meaning) };
  });
}

const kindOf = (sample: unknown): TestColumn['kind'] =>
  typeof sample === 'number'
    ? 'number'
    : typeof sample === 'boolean'
      ? 'boolean'
      : typeof sample === 'object' && sample !== null
        ? 'json'
        : 'text';

export const shown = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

/** A broker says it in both languages, in one, or not at all. */
function meaningOf(value: unknown): TestColumn['meaning'] {
  if (typeof value === 'string') return { en: value, zh: value };
  if (typeof value !== 'object' || value === null || !('en' in value) || !('zh' in value)) return undefined;
  return { en: String(value.en), zh: String(value.zh) };
}

/** What is sent of the texts, or the columns that are no value of their kind. */
export function contextOf(
  columns: readonly TestColumn[],
  texts: Readonly<Record<string, string>>,
): { context: Record<string, unknown> } | { wrong: ReadonlyMap<string, 'number' | 'json'> } {
  const context: Record<string, unknown> = {};
  const wrong = new Map<string, 'number' | 'json'>();
  for (const { name, kind, sample } of columns) {
    const text = texts[name] ?? sample;
    if (kind === 'number') {
      if (text.trim() === '' || Number.isNaN(Number(text))) wrong.set(name, 'number');
      else context[name] = Number(text);
    } else if (kind === 'boolean') context[name] = text === 'true';
    else if (kind === 'json') {
      try {
        context[name] = JSON.parse(text);
      } catch {
        wrong.set(name, 'json');
      }
    } else context[name] = text;
  }
  return wrong.size > 0 ? { wrong } : { context };
}

/** How `/rule_test` calls a source. */
export function eventTypeOf({ event, bridge }: TestSource): string {
  if (bridge) return bridge.type === 'mqtt' ? 'bridge_mqtt' : event.event;
  return event.event.replace('$events/', '').replace('sys/', '');
}
