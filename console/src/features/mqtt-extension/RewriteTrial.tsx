import { filterMatches, isValidFilter } from '@mqdeck/mqtt/topics';
import { useEffect, useId, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useWords } from '../../i18n/words.ts';
import { IconGood, IconWarn } from '../../ui/icons.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './mqtt-extension.module.css';
import { words } from './words.ts';

type Engine = typeof import('re2js').RE2JS;
type Outcome = { topic: string } | { why: string };

/** What the rule of the form makes of a topic, by the engine that the broker uses. */
export function RewriteTrial() {
  const w = useWords(words);
  const id = useId();
  const [topic, setTopic] = useState('');
  const [source, re, dest] = useWatch({ name: ['source_topic', 're', 'dest_topic'] }) as string[];
  const [engine, setEngine] = useState<{ RE2JS: Engine }>();
  const wanted = topic !== '';
  useEffect(() => {
    if (wanted) void import('re2js').then(({ RE2JS }) => setEngine({ RE2JS }));
  }, [wanted]);

  const outcome = (): Outcome | undefined => {
    if (!engine || topic === '' || !source || !re) return undefined;
    if (!isValidFilter(source) || !filterMatches(source, topic)) return { why: w.trialNoFilter };
    try {
      const matcher = engine.RE2JS.compile(re).matcher(topic);
      if (!matcher.find()) return { why: w.trialNoMatch };
      const groups = matcher.groupCount();
      const made = (dest ?? '').replace(/\$([1-9])/g, (found, group: string) =>
        Number(group) <= groups ? (matcher.group(Number(group)) ?? '') : found,
      );
      return { topic: made };
    } catch (cause) {
      return { why: w.trialWrong({ reason: cause instanceof Error ? cause.message : '' }) };
    }
  };
  const result = outcome();
  return (
    <fieldset className={styles.trial}>
      <legend>{w.trial}</legend>
      <label htmlFor={id}>{w.trialTopic}</label>
      <input
        id={id}
        className={styles.trialInput}
        value={topic}
        placeholder="sensor/7/raw"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTopic(event.currentTarget.value)}
      />
      <output htmlFor={id} className={styles.trialResult}>
        {result && 'topic' in result && (
          <>
            <IconGood size={16} /> <code>{visibleText(result.topic)}</code>
          </>
        )}
        {result && 'why' in result && (
          <>
            <IconWarn size={16} /> {result.why}
          </>
        )}
      </output>
    </fieldset>
  );
}
