import { useEffect, useRef } from 'react';
import { useLanguage, useWords, type Words } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { Facts } from '../../ui/Facts.tsx';
import { Notice, Verdict } from '../../ui/Notice.tsx';
import { Mark } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './access.module.css';
import { type AccessView, NO_AUTHENTICATOR, NO_BAN, type Part, type Step } from './view.ts';
import { words } from './words.ts';

type W = Words<typeof words>;

const TONES = { allow: 'good', deny: 'bad', pass: 'off', failed: 'warn', unknown: 'warn' } as const;
const VERDICTS = { allowed: 'good', refused: 'bad', unknown: 'warn' } as const;

/** The verdict in a sentence, then everybody who was asked in order. */
export function AccessResult({ view, toSee }: { view: AccessView; toSee: boolean }) {
  const w = useWords(words);
  const whole = useRef<HTMLDivElement>(null);
  // On a narrow screen it stands below the form.
  useEffect(() => {
    if (toSee) whole.current?.scrollIntoView({ block: 'nearest' });
  }, [toSee]);
  const { verdict, reason, client, parts, computed } = view;
  const refusesRequest = verdict === 'refused' && parts[2]?.steps.some(({ decides }) => decides);
  const asked = parts[2]?.state === 'done';
  const after = refusesRequest && view.denyAction;
  const why = [
    w[`because.${reason}`],
    ...(after ? [after === 'disconnect' ? w.isDisconnected : w.staysConnected] : []),
  ].join(useLanguage() === 'zh' ? '' : ' ');
  return (
    <div ref={whole} className={styles.result}>
      <Verdict is={VERDICTS[verdict]} title={w[verdict]}>
        {why}
      </Verdict>
      {computed && <Notice>{w.computed}</Notice>}
      {asked && view.superuser === null && <Notice>{w.superuserUnknown}</Notice>}
      <Facts
        facts={[
          { label: w.clientid, value: visibleText(client.clientid) },
          { label: w.username, value: visibleText(client.username ?? '') },
          { label: w.peerhost, value: visibleText(client.peerhost) },
          { label: w.listener, value: visibleText(client.listener) },
        ]}
        columnWidth={150}
      />
      {parts.map((part) => (
        <PartOf key={part.part} part={part} />
      ))}
    </div>
  );
}

function PartOf({ part: { part, state, steps } }: { part: Part }) {
  const w = useWords(words);
  return (
    <section className={styles.part} aria-label={w[part]}>
      <h3>{w[part]}</h3>
      {state !== 'done' && <p className={styles.faint}>{w[state]}</p>}
      {steps.length > 0 && (
        <ol className={styles.steps}>
          {steps.map((one) => (
            <StepOf key={`${one.kind} ${one.name}`} step={one} />
          ))}
        </ol>
      )}
    </section>
  );
}

function StepOf({ step }: { step: Step }) {
  const w = useWords(words);
  const { result, why, notKnown, rule, decides } = step;
  return (
    <li
      className={styles.step}
      data-decides={decides || undefined}
      aria-current={decides ? 'step' : undefined}
    >
      <span className={styles.head}>
        <Mark tone={TONES[result]}>{w[`result.${result}`]}</Mark>
        <StepName step={step} />
        {decides && <span className={styles.decides}>{w.decides}</span>}
      </span>
      {rule && (
        <span className={styles.rule}>
          <span className={styles.faint}>{placeOf(rule, w)}</span>
          <code>{visibleText(rule.text)}</code>
        </span>
      )}
      {why && <span className={styles.why}>{visibleText(why)}</span>}
      {notKnown && <span className={styles.why}>{w[`notKnown.${notKnown}`]}</span>}
    </li>
  );
}

function StepName({ step: { kind, name } }: { step: Step }) {
  const w = useWords(words);
  if (name === NO_BAN || name === NO_AUTHENTICATOR) return <span>{w[name]}</span>;
  const known = (word: string): string => (Object.hasOwn(w, word) ? String(w[word as keyof W]) : word);
  if (kind === 'ban')
    return (
      <Link to={paths.banned()}>
        <bdi>{visibleText(known(name))}</bdi>
      </Link>
    );
  if (kind === 'authenticator') {
    if (name === 'authentication') return <Link to={paths.authentication()}>{w.authentication}</Link>;
    return <Link to={paths.authenticator(name)}>{visibleText(name.split(':').map(known).join(' · '))}</Link>;
  }
  switch (name) {
    case 'system_topic':
    case 'superuser':
    case 'acl':
      return <span>{w[name]}</span>;
    case 'no_match':
    case 'undecided':
    case 'authorization':
      return <Link to={paths.authorization()}>{w[name]}</Link>;
  }
  return <Link to={paths.authorizationSource(name)}>{visibleText(known(name))}</Link>;
}

function placeOf({ index, line, of }: NonNullable<Step['rule']>, w: W): string {
  const place = line === undefined ? w.ruleOf({ index }) : w.lineOf({ line });
  const owner = of && { clientid: w.ofClientid, username: w.ofUsername, all: w.ofAll }[of];
  return owner ? `${place} · ${owner}` : place;
}
