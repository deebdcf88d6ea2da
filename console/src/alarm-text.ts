import type { Alarm } from '@mqdeck/contract/alarms';
import { words } from './alarm-words.ts';
import type { Language } from './i18n/language.ts';
import { type Words, wordsIn } from './i18n/words.ts';
import { formatPercent } from './ui/format.ts';
import { visibleText } from './ui/visible-text.ts';

type Said = Pick<Alarm, 'name' | 'message' | 'details'>;
type Teller = (w: Words<typeof words>, facts: Facts, id: string) => string | undefined;

/** The details of an alarm, read as what they should be; undefined where they are something else. */
class Facts {
  readonly message: string;
  private readonly details: Readonly<Record<string, unknown>>;
  private readonly language: Language;

  constructor({ details, message }: Said, language: Language) {
    this.message = message;
    this.details = typeof details === 'object' && details !== null ? { ...details } : {};
    this.language = language;
  }

  text(name: string): string | undefined {
    const value = this.details[name];
    return typeof value === 'string' && value !== '' ? visibleText(value) : undefined;
  }

  number(name: string): number | undefined {
    const value = this.details[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  }

  /** 70.13 and "70.13%" are the same to brokers. */
  percent(name: string): string | undefined {
    const value = this.details[name];
    const found =
      typeof value === 'string' && /^\d+(\.\d+)?%$/.test(value)
        ? Number.parseFloat(value)
        : this.number(name);
    return found === undefined ? undefined : formatPercent(found / 100, this.language);
  }

  list(name: string): readonly unknown[] {
    const value = this.details[name];
    return Array.isArray(value) ? value : [];
  }

  pairs(name: string): readonly (readonly [string, unknown])[] {
    const value = this.details[name];
    return typeof value === 'object' && value !== null ? Object.entries(value) : [];
  }
}

const overMark =
  (
    name: 'high_cpu_usage' | 'high_system_memory_usage' | 'high_process_memory_usage' | 'too_many_processes',
  ) =>
  (w: Words<typeof words>, facts: Facts): string | undefined => {
    const [usage, high] = [facts.percent('usage'), facts.percent('high_watermark')];
    return usage === undefined || high === undefined ? undefined : w[name]({ usage, high });
  };

const TELLERS: Readonly<Record<string, Teller>> = {
  high_cpu_usage: overMark('high_cpu_usage'),
  high_system_memory_usage: overMark('high_system_memory_usage'),
  high_process_memory_usage: overMark('high_process_memory_usage'),
  too_many_processes: overMark('too_many_processes'),
  too_many_connections: (w, facts) => {
    const [connections, files] = [facts.number('connections'), facts.number('files_max')];
    const usage = facts.percent('usage');
    if (connections === undefined || files === undefined || usage === undefined) return undefined;
    return w.too_many_connections({ connections, files, usage });
  },
  high_event_loop_delay: (w, facts) => {
    const [delay, high] = [facts.number('delay_ms'), facts.number('high_watermark_ms')];
    return delay === undefined || high === undefined ? undefined : w.high_event_loop_delay({ delay, high });
  },
  store_not_writable: (w, facts) => {
    const [folder, reason] = [facts.text('folder'), facts.text('reason')];
    return folder === undefined || reason === undefined
      ? undefined
      : w.store_not_writable({ folder, reason });
  },
  log_not_writable: (w, facts) => {
    const reason = facts
      .pairs('handlers')
      .map(([handler, why]) => visibleText(`${handler}: ${why}`))
      .join(w.and);
    return reason === '' ? undefined : w.log_not_writable({ reason });
  },
  rules_feed_each_other: (w, facts) => {
    const rules = facts.list('rules').map((rule) => visibleText(String(rule)));
    return rules.length === 0 ? undefined : w.rules_feed_each_other({ rules: rules.join(w.and) });
  },
  license_quota: (w, facts) => {
    const [connections, max] = [facts.number('connections'), facts.number('max_connections')];
    return connections === undefined || max === undefined ? undefined : w.license_quota({ connections, max });
  },
  license_expiry: (w, facts) => {
    const [date, days] = [facts.text('expiry_at'), facts.number('days_left')];
    if (date === undefined || days === undefined) return undefined;
    return days === 0 ? w.license_over({ date }) : w.license_expiry({ date, days });
  },
};

const HOOKS = ['client.authenticate', 'client.authorize', 'message.publish'] as const;
const LIMITS = ['bytes_in', 'message_in', 'connection', 'message_routing', 'internal'] as const;
const RESOURCE_DOWN = /^resource down: /;

/** Alarms of a thing bear its id behind their own name. */
const OF_A_THING: readonly (readonly [prefix: string, tell: Teller])[] = [
  ['bridge:', withReason('bridge')],
  ['plugin:', withReason('plugin')],
  [
    'exhook:',
    (w, facts, id) => {
      const text = withReason('exhook')(w, facts, id);
      const refused = facts.list('refused');
      const what = HOOKS.filter((hook) => refused.includes(hook)).map((hook) => w[hook]);
      return text === undefined || what.length === 0
        ? text
        : w.exhookRefuses({ text, what: what.join(w.and) });
    },
  ],
  ['connector:', ofResource],
  ['action:', ofResource],
  ['source:', ofResource],
  // These have nothing else to say than what went wrong
  ['gateway_down:', (w, { message }, id) => w.gateway_down({ id, reason: visibleText(message) })],
  ['gateway_listener_down:', (w, { message }, id) => w.listener_down({ id, reason: visibleText(message) })],
  ['listener_down:', (w, { message }, id) => w.listener_down({ id, reason: visibleText(message) })],
  [
    'certificate_expiry:',
    (w, facts, id) => {
      const days = facts.number('days');
      if (days === undefined) return undefined;
      return days < 0 ? w.certificate_over({ id }) : w.certificate_expiry({ id, days });
    },
  ],
  [
    'limiter_',
    (w, _facts, id) => {
      const what = LIMITS.find((limit) => limit === id);
      return what && w.limiter({ what: w[what] });
    },
  ],
];

function withReason(name: 'bridge' | 'plugin' | 'exhook'): Teller {
  return (w, facts, id) => {
    const reason = facts.text('reason');
    return reason === undefined ? undefined : w[name]({ id, reason });
  };
}

function ofResource(w: Words<typeof words>, facts: Facts): string | undefined {
  const id = facts.text('resource_id');
  if (id === undefined || !RESOURCE_DOWN.test(facts.message)) return undefined;
  return w.resource({ id, reason: visibleText(facts.message.replace(RESOURCE_DOWN, '')) });
}

/**
 * What an alarm says, in the language of its reader. One that is not known, or lacks a part of what would be said, is told
 * as the broker tells it.
 */
export function alarmText(alarm: Said, language: Language): string {
  const { name, message } = alarm;
  const [prefix = '', ofThing] = OF_A_THING.find(([begin]) => name.startsWith(begin)) ?? [];
  const tell = Object.hasOwn(TELLERS, name) ? TELLERS[name] : ofThing;
  const said = tell?.(
    wordsIn(words, language),
    new Facts(alarm, language),
    visibleText(name.slice(prefix.length)),
  );
  return said ?? visibleText(message === '' ? name : message);
}
