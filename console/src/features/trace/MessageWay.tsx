import { useMemo } from 'react';
import type { Language } from '../../i18n/language.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { CopyButton } from '../../ui/Copyable.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconBad, IconBusy, IconClose, IconGood, IconInfo, IconWarn } from '../../ui/icons.tsx';
import tools from '../../ui/Tools.module.css';
import { visibleText } from '../../ui/visible-text.ts';
import { type Step, type Tone, tellingFacts, wayOf } from './message-way.ts';
import { clock } from './TraceLines.tsx';
import styles from './trace.module.css';
import type { RawLine } from './trace-line.ts';
import { words } from './view-words.ts';

const SIGNS: Record<Tone, typeof IconGood> = {
  good: IconGood,
  bad: IconBad,
  warn: IconWarn,
  busy: IconBusy,
  plain: IconInfo,
};

/** What happened to one message, station by station: received, authorized, rules, queued, delivered, dropped and why. */
export function MessageWay({
  lines,
  messageId,
  onShow,
  onClose,
}: {
  lines: readonly RawLine[];
  messageId: string;
  /** Brings a line into sight. */
  onShow: (number: number) => void;
  onClose: () => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const steps = useMemo(() => wayOf(lines, messageId), [lines, messageId]);
  const topic = steps.find(({ line }) => typeof line.facts.topic === 'string')?.line.facts.topic;
  return (
    <aside className={styles.way} aria-label={w.way}>
      <div className={styles.wayHead}>
        <h2 className={styles.wayTitle}>{w.way}</h2>
        <button type="button" className={tools.iconButton} aria-label={w.closeWay} onClick={onClose}>
          <IconClose size={15} />
        </button>
      </div>
      {typeof topic === 'string' && <bdi className={styles.wayTopic}>{visibleText(topic)}</bdi>}
      <p className={styles.wayId}>
        <span>{visibleText(messageId)}</span>
        <CopyButton text={messageId} />
      </p>
      {steps.length === 0 ? (
        <p className={tools.quiet}>{w.messageGone}</p>
      ) : (
        <ol className={styles.steps}>
          {steps.map((step, i) => (
            <StepRow
              key={step.number}
              step={step}
              withClient={step.line.clientid !== steps[i - 1]?.line.clientid}
              language={language}
              onShow={onShow}
            />
          ))}
        </ol>
      )}
    </aside>
  );
}

function StepRow({
  step,
  withClient,
  language,
  onShow,
}: {
  step: Step;
  /** It is about another client than the step before. */
  withClient: boolean;
  language: Language;
  onShow: (number: number) => void;
}) {
  const w = useWords(words);
  const { line, tone, afterMs, number } = step;
  const Sign = SIGNS[tone];
  const facts = tellingFacts(line).filter(([name]) => name !== 'reason' || !isReason(line.facts.reason));
  const reason = isReason(line.facts.reason) ? words[line.facts.reason][language] : undefined;
  return (
    <li className={styles.step} data-tone={tone}>
      <Sign size={15} />
      <div className={styles.stepBody}>
        <button type="button" className={styles.stepName} onClick={() => onShow(number)}>
          {nameOf(step, language)}
          {reason && `: ${reason}`}
        </button>
        <span className={styles.stepTime}>
          {line.time === null ? '' : clock(line.time)}
          {afterMs > 0 && ` ${w.later({ ms: formatNumber(afterMs, language) })}`}
          {withClient && line.clientid !== null && line.clientid !== '' && (
            <>
              {' · '}
              <Link to={paths.client(line.clientid)} className={styles.stepWho}>
                {visibleText(line.clientid)}
              </Link>
            </>
          )}
        </span>
        {facts.length > 0 && (
          <span className={styles.stepFacts}>
            {facts.map(([name, value]) => (
              <span key={name}>
                <span className={styles.factName}>{name}</span> <bdi>{visibleText(value)}</bdi>{' '}
              </span>
            ))}
          </span>
        )}
      </div>
    </li>
  );
}

type StepWord = Exclude<keyof typeof words, 'hits' | 'lines' | 'stale' | 'later' | 'log' | 'wayOf'>;

const STEP_WORDS = [
  'publish_received',
  'publish_made',
  'allowed',
  'denied',
  'topic_changed',
  'publish_stopped',
  'rule_matched',
  'rule_result',
  'rule_no_result',
  'rule_failed',
  'action_sent',
  'action_failed',
  'action_retried',
  'action_expired',
  'queued',
  'delivered',
  'acknowledged',
  'dropped',
] as const satisfies readonly StepWord[];
const REASONS = [
  'queue_full',
  'qos0_msg',
  'expired',
  'no_local',
  'too_large',
  'unencodable',
  'no_subscribers',
  'await_pubrel_timeout',
] as const satisfies readonly StepWord[];

const isReason = (word: unknown): word is (typeof REASONS)[number] =>
  (REASONS as readonly unknown[]).includes(word);

/** In words where we have some, in the broker's where it says something else. */
function nameOf({ line: { msg }, tone }: Step, language: Language): string {
  if (msg === 'action_done') return words[tone === 'good' ? 'action_done' : 'action_failed'][language];
  const known = STEP_WORDS.find((word) => word === msg);
  return known ? words[known][language] : msg;
}
