import { Button } from '@mantine/core';
import { type DeliveryQuestion, delivery, type ProbeAnswer } from '@mqdeck/contract/delivery';
import { useId, useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { formatTime } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import { Mark } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './delivery.module.css';
import { words } from './words.ts';

const SECONDS = 15;
const TONES = {
  acked: 'good',
  delivered: 'good',
  queued: 'warn',
  dropped: 'bad',
  not_routed: 'bad',
  stopped: 'bad',
  denied: 'bad',
  not_seen: 'off',
} as const;

/** One message is followed while it goes: one that is sent now, or the next one of the publisher. */
export function Probe({ question }: { question: DeliveryQuestion }) {
  const w = useWords(words);
  const id = useId();
  const { publisher, topic, subscriber, qos, retain } = question;
  const about = { publisher, topic, subscriber, qos, retain };
  const [payload, setPayload] = useState('probe');
  const [waiting, setWaiting] = useState<'send' | 'await'>();
  const [answer, setAnswer] = useState<ProbeAnswer>();
  const follow = useAction(delivery.probe, {
    confirm: ({ body }) =>
      body.payload === undefined
        ? undefined
        : {
            title: w.sendAsk({ topic: visibleText(topic) }),
            text: w.sendText({ publisher: visibleText(publisher) }),
            action: w.send,
          },
  });
  const run = async (how: 'send' | 'await') => {
    setWaiting(how);
    const body = { ...about, seconds: SECONDS, ...(how === 'send' && { payload }) };
    const followed = await follow({ body });
    setWaiting(undefined);
    if (followed.done) setAnswer(followed.answer);
  };
  return (
    <Panel title={w.probe}>
      <div className={styles.result}>
        <p className={styles.text}>{w.probeText}</p>
        <div className={styles.probe}>
          <label htmlFor={id}>{w.payload}</label>
          <input
            id={id}
            value={payload}
            spellCheck={false}
            onChange={(event) => setPayload(event.currentTarget.value)}
          />
          <Button
            variant="filled"
            disabled={waiting !== undefined}
            loading={waiting === 'send'}
            onClick={() => void run('send')}
          >
            {w.send}
          </Button>
          <Button
            disabled={waiting !== undefined}
            loading={waiting === 'await'}
            onClick={() => void run('await')}
          >
            {w.await}
          </Button>
          {waiting === 'await' && (
            <span className={styles.text} role="status">
              {w.waiting({ seconds: SECONDS })}
            </span>
          )}
        </div>
        <div aria-live="polite">{answer && <Followed answer={answer} />}</div>
      </div>
    </Panel>
  );
}

function Followed({ answer: { outcome, message_id, events } }: { answer: ProbeAnswer }) {
  const w = useWords(words);
  const language = useLanguage();
  const atQos0 = events.some(({ event, facts }) => event === 'delivered' && facts.qos === 0);
  return (
    <>
      <p className={styles.outcome}>
        <Mark tone={TONES[outcome]}>
          {outcome === 'delivered' && atQos0 ? w['outcome.deliveredQos0'] : w[`outcome.${outcome}`]}
        </Mark>
      </p>
      {message_id !== undefined && (
        <p className={styles.text}>
          {w.messageId} <code>{message_id}</code>
        </p>
      )}
      <ol className={styles.events}>
        {events.map(({ event, at, facts }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they stay in their order
          <li key={i}>
            <time dateTime={new Date(at).toISOString()}>{formatTime(at, language, false)}</time>
            <span>{w[`event.${event}`]}</span>
            <code>
              {Object.entries(facts)
                .map(([name, value]) => visibleText(`${name}: ${value}`))
                .join(' · ')}
            </code>
          </li>
        ))}
      </ol>
    </>
  );
}
