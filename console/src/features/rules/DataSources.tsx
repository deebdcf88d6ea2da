import type { Bridge } from '@mqdeck/contract/bridges';
import type { RuleEvent } from '@mqdeck/contract/rules';
import { useController } from 'react-hook-form';
import type { ApiError } from '../../api/api-error.ts';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import classes from '../../form/form.module.css';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { State, stateOf } from '../../ui/State.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { idOf, isSource, sourceOf } from './bridge-sides.ts';
import { formWords } from './form-words.ts';
import styles from './rules.module.css';
import { SqlText } from './SqlText.tsx';
import { SQL_PRESET, sourcesOf, withSource } from './sql-parts.ts';

const PUBLISH = '$events/message_publish';
const TOPIC = 't/#';

/** Messages, events and bridges that a statement can select from; each can be put behind FROM. */
export function DataSources({
  events,
  bridges,
  error,
  retry,
}: {
  events: readonly RuleEvent[];
  bridges: readonly Bridge[];
  error: ApiError | null;
  retry: () => unknown;
}) {
  const w = useWords(formWords);
  const language = useLanguage();
  const { field } = useController({ name: 'sql' });
  const sql = typeof field.value === 'string' ? field.value : '';
  const used = new Set(sourcesOf(sql));
  const use = (source: string) => {
    const next = withSource(sql, source);
    if (next === null) toast('warn', w.sqlFirst);
    else field.onChange(next);
  };
  const take = async (example: string) => {
    const ask = { title: w.replaceAsk, text: w.replaceText, action: w.replace };
    if (sql.trim() !== '' && sql !== SQL_PRESET && sql !== example && !(await confirm(ask))) return;
    field.onChange(example);
  };
  const shown = events.filter(({ event }) => !event.startsWith('$bridges/'));
  const fetching = bridges.filter(isSource);
  if (error && events.length === 0) return <QueryFailed error={error} retry={retry} />;
  return (
    <div className={styles.accordion}>
      <p className={styles.note}>{w.eventsText}</p>
      {shown.map(({ event, title, description, columns, sql_example }) => {
        // What is published is selected by its topic.
        const isPublish = event === PUBLISH;
        const source = isPublish ? TOPIC : event;
        const name = isPublish ? w.messages : title[language];
        const isUsed = used.has(source);
        return (
          <details key={event} className={styles.fold}>
            <summary>
              <span className={styles.foldTitle}>{name}</span>
              <code className={styles.foldId}>{source}</code>
            </summary>
            <div className={styles.foldBody}>
              <p className={styles.note}>{description[language]}</p>
              <p className={styles.names}>
                <span className={styles.namesLabel}>{w.columns}</span>
                {columns.map((column) => (
                  <code key={column}>{column}</code>
                ))}
              </p>
              <span className={styles.namesLabel}>{w.example}</span>
              <SqlText sql={sql_example} label={`${w.example}: ${name}`} />
              <div className={styles.buttons}>
                <button
                  type="button"
                  className={classes.small}
                  aria-label={w.use({ name })}
                  disabled={isUsed}
                  onClick={() => use(source)}
                >
                  {isUsed ? w.inUse : w.useShort}
                </button>
                <button type="button" className={classes.small} onClick={() => void take(sql_example)}>
                  {w.takeExample}
                </button>
              </div>
            </div>
          </details>
        );
      })}
      <details className={styles.fold}>
        <summary>
          <span className={styles.foldTitle}>{w.bridgeSources}</span>
          <span className={styles.foldId}>{fetching.length}</span>
        </summary>
        <div className={styles.foldBody}>
          {fetching.length === 0 && <p className={styles.note}>{w.noBridgeSources}</p>}
          {fetching.map((bridge) => {
            const source = sourceOf(bridge);
            const isUsed = used.has(source);
            return (
              <p key={source} className={styles.beside}>
                <code>{visibleText(idOf(bridge))}</code>
                <State is={bridge.enable ? stateOf(bridge.status) : 'disabled'} wanted />
                <button
                  type="button"
                  className={classes.small}
                  aria-label={w.use({ name: visibleText(idOf(bridge)) })}
                  disabled={isUsed}
                  onClick={() => use(source)}
                >
                  {isUsed ? w.inUse : w.useShort}
                </button>
              </p>
            );
          })}
        </div>
      </details>
    </div>
  );
}
