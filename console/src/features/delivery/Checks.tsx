import type { DeliveryAnswer, DeliveryCheck, DeliveryQuestion } from '@mqdeck/contract/delivery';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { Verdict } from '../../ui/Notice.tsx';
import { Mark } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './delivery.module.css';
import { nameOf, sentenceOf } from './sentence.ts';
import { words } from './words.ts';

const TONES = { ok: 'good', bad: 'bad', maybe: 'warn', none: 'off' } as const;
const VERDICTS = { arrives: 'good', may_not: 'warn', does_not: 'bad' } as const;

/** The verdict in a sentence, then every place in its order with its evidence. */
export function Checks({ answer, question }: { answer: DeliveryAnswer; question: DeliveryQuestion }) {
  const w = useWords(words);
  const { verdict, topic, checks } = answer;
  return (
    <div className={styles.result}>
      <Verdict is={VERDICTS[verdict]} title={w[verdict]}>
        {w[`${verdict}Text`]}
        {topic !== question.topic && (
          <>
            {' '}
            {w.routedAs} <code>{visibleText(topic)}</code>
          </>
        )}
      </Verdict>
      <ol className={styles.checks}>
        {checks.map((check) => (
          <CheckOf key={check.id} check={check} question={question} />
        ))}
      </ol>
    </div>
  );
}

function CheckOf({ check, question }: { check: DeliveryCheck; question: DeliveryQuestion }) {
  const w = useWords(words);
  const language = useLanguage();
  const { id, result, facts } = check;
  const to = result === 'ok' ? undefined : placeOf(check, question);
  return (
    <li className={styles.check} data-result={result}>
      <span className={styles.head}>
        <Mark tone={TONES[result]}>{w[result]}</Mark>
        <span className={styles.name}>{nameOf(id, language)}</span>
        {to !== undefined && (
          <Link to={to} aria-label={`${w.look}: ${nameOf(id, language)}`}>
            {w.look}
          </Link>
        )}
      </span>
      <span className={styles.found}>{sentenceOf(check, language)}</span>
      {typeof facts.rule === 'string' && <code className={styles.rule}>{visibleText(facts.rule)}</code>}
    </li>
  );
}

/** Where what stands in the way can be changed. */
function placeOf({ id, found, facts }: DeliveryCheck, q: DeliveryQuestion): string | undefined {
  switch (id) {
    case 'publisher':
    case 'publisher_contested':
      return paths.client(q.publisher);
    case 'subscriber':
    case 'subscriber_contested':
    case 'filter':
    case 'no_local':
    case 'queue':
    case 'dropped':
    case 'size':
      return found === 'loops_ignored' ? paths.mqtt('general') : paths.client(q.subscriber);
    case 'publisher_banned':
    case 'subscriber_banned':
      return paths.banned();
    case 'publish_allowed':
    case 'subscribe_allowed': {
      const source = String(facts.source ?? '');
      return /^(file|built_in_database|http|mysql|postgresql|mongodb|redis|ldap)$/.test(source)
        ? paths.authorizationSource(source)
        : paths.authorization();
    }
    case 'message':
    case 'qos':
    case 'expiry':
      return paths.mqtt('general');
    case 'rate':
      return paths.limiter();
    case 'rewrite':
    case 'delay':
      return paths.mqtt('extension');
    case 'others':
      if (facts.kind !== 'exhook') return paths.plugins();
      return found === 'refuses' ? paths.exhook(String(facts.who)) : paths.exhooks();
    case 'shared':
      return paths.subscriptions();
    default:
      return undefined;
  }
}
