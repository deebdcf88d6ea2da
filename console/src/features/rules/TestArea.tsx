import { api } from '@mqdeck/contract/api';
import type { Bridge } from '@mqdeck/contract/bridges';
import type { RuleEvent, RuleSample } from '@mqdeck/contract/rules';
import { useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { request } from '../../api/request.ts';
import { CodeEditor } from '../../editor/CodeEditor.tsx';
import classes from '../../form/form.module.css';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { Mark } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlTab } from '../../url-state.ts';
import { Output } from './Output.tsx';
import { RealSamples } from './RealSamples.tsx';
import styles from './rules.module.css';
import { sourcesOf } from './sql-parts.ts';
import { faultText } from './test-fault.ts';
import {
  columnsFor,
  contextOf,
  eventTypeOf,
  shown,
  type TestColumn,
  type TestSource,
  testSourceOf,
  testSources,
} from './test-input.ts';
import { testWords } from './test-words.ts';

type Outcome = { result: unknown } | { fault: string };

/** What the statement makes of data that the operator enters, or of a message that really came. */
export function TestArea({
  sql,
  events,
  bridges,
}: {
  sql: string;
  events: readonly RuleEvent[];
  bridges: readonly Bridge[];
}) {
  const w = useWords(testWords);
  const [shownArea, setShown] = useUrlTab(['off', 'on'], 'test');
  const isOn = shownArea === 'on';
  return (
    <section className={styles.test} aria-label={w.test}>
      <label className={classes.toggle}>
        <input
          type="checkbox"
          role="switch"
          className={classes.switch}
          checked={isOn}
          aria-checked={isOn}
          onChange={(event) => setShown(event.currentTarget.checked ? 'on' : 'off')}
        />
        <span>{w.test}</span>
      </label>
      {isOn &&
        (events.length > 0 ? (
          <Trial sql={sql} events={events} bridges={bridges} />
        ) : (
          <p className={styles.note}>{w.noEvents}</p>
        ))}
    </section>
  );
}

function Trial({
  sql,
  events,
  bridges,
}: {
  sql: string;
  events: readonly RuleEvent[];
  bridges: readonly Bridge[];
}) {
  const w = useWords(testWords);
  const language = useLanguage();
  const id = useId();
  const deferred = useDeferredValue(sql);
  const from = useMemo(() => sourcesOf(deferred), [deferred]);
  const all = useMemo(() => testSources(events, bridges), [events, bridges]);
  const [chosen, setChosen] = useState<string>();
  // Preselected from FROM until somebody chooses.
  const preset = from.map(testSourceOf).find((value) => all.some((one) => one.value === value));
  const source = all.find(({ value }) => value === (chosen ?? preset)) ?? all[0]!;
  const columns = useMemo(() => columnsFor(source, from), [source, from]);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [wrong, setWrong] = useState<ReadonlyMap<string, 'number' | 'json'>>(new Map());
  const [outcome, setOutcome] = useState<Outcome>();
  const [running, setRunning] = useState(false);
  const runs = useRef(0);
  const mismatch = from.length > 0 && !from.some((one) => testSourceOf(one) === source.value);

  const run = async () => {
    const made = contextOf(columns, texts);
    setWrong('wrong' in made ? made.wrong : new Map());
    if ('wrong' in made) return;
    const own = ++runs.current;
    setRunning(true);
    const context = { ...made.context, event_type: eventTypeOf(source) };
    let next: Outcome;
    try {
      next = { result: await request(api.rules.test, { body: { sql, context } }, { quiet: true }) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      next = { fault: faultText(error, w) };
    }
    if (own !== runs.current) return; // a later one has been asked for
    setRunning(false);
    setOutcome(next);
  };
  const reset = async () => {
    const isTouched = Object.keys(texts).length > 0;
    const ask = { title: w.resetAsk, text: w.resetText, action: w.reset };
    if (isTouched && !(await confirm(ask))) return;
    setTexts({});
    setWrong(new Map());
    setOutcome(undefined);
  };
  const use = ({ columns: real }: RuleSample) =>
    setTexts(
      Object.fromEntries(
        columns.flatMap(({ name }) => (real[name] === undefined ? [] : [[name, shown(real[name])]])),
      ),
    );
  const nameOf = ({ value, event, bridge }: TestSource) =>
    bridge ? visibleText(value) : `${event.title[language]} (${value})`;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter within the test runs it, and saves no rule
    <div
      className={styles.trial}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        void run();
      }}
    >
      <p className={styles.note}>{w.testText}</p>
      {mismatch && (
        <p className={styles.mismatch} role="alert">
          <Mark tone="warn">{w.mismatch}</Mark>
        </p>
      )}
      <div className={classes.field}>
        <label className={classes.label} htmlFor={`${id}-source`}>
          {w.source}
        </label>
        <select
          id={`${id}-source`}
          className={classes.input}
          value={source.value}
          onChange={(event) => {
            setChosen(event.currentTarget.value);
            setTexts({});
            setOutcome(undefined);
          }}
        >
          <optgroup label={w.events}>
            {all
              .filter(({ bridge }) => !bridge)
              .map((one) => (
                <option key={one.value} value={one.value}>
                  {nameOf(one)}
                </option>
              ))}
          </optgroup>
          {all.some(({ bridge }) => bridge) && (
            <optgroup label={w.bridges}>
              {all
                .filter(({ bridge }) => bridge)
                .map((one) => (
                  <option key={one.value} value={one.value}>
                    {nameOf(one)}
                  </option>
                ))}
            </optgroup>
          )}
        </select>
      </div>
      <fieldset className={styles.inputs}>
        <legend className={classes.label}>{w.input}</legend>
        {columns.map((column) => (
          <Input
            key={`${source.value} ${column.name}`}
            id={`${id}-${column.name}`}
            column={column}
            text={texts[column.name] ?? column.sample}
            wrong={wrong.get(column.name)}
            onText={(text) => setTexts((before) => ({ ...before, [column.name]: text }))}
          />
        ))}
      </fieldset>
      <RealSamples sources={from} onUse={use} />
      <div className={styles.buttons}>
        <button
          type="button"
          className={classes.button}
          aria-disabled={running || undefined}
          onClick={() => void run()}
        >
          {running ? w.running : w.run}
        </button>
        <button type="button" className={classes.button} onClick={() => void reset()}>
          {w.reset}
        </button>
      </div>
      <section aria-label={w.output} className={styles.outcome}>
        <h4 className={styles.samplesTitle}>{w.output}</h4>
        {outcome && 'result' in outcome ? (
          <Output
            result={outcome.result}
            told={
              <span role="status">
                <Mark tone="good">{w.passed}</Mark>
              </span>
            }
          />
        ) : (
          <div role="status">
            {outcome ? <Mark tone="bad">{outcome.fault}</Mark> : <p className={styles.note}>{w.notYet}</p>}
          </div>
        )}
      </section>
    </div>
  );
}

function Input({
  id,
  column: { name, kind, meaning },
  text,
  wrong,
  onText,
}: {
  id: string;
  column: TestColumn;
  text: string;
  wrong: 'number' | 'json' | undefined;
  onText: (text: string) => void;
}) {
  const w = useWords(testWords);
  const language = useLanguage();
  const isLong = name === 'payload' || kind === 'json';
  const [json, setJson] = useState(isLong);
  const fault = wrong && (wrong === 'number' ? w.wrongNumber : w.wrongJson);
  const aria = {
    id,
    'aria-invalid': fault ? (true as const) : undefined,
    'aria-describedby': `${id}-what`,
  };
  const choices = kind === 'boolean' ? ['true', 'false'] : name === 'qos' ? ['0', '1', '2'] : undefined;
  return (
    <div className={isLong ? styles.longInput : classes.field}>
      <div className={classes.labelLine}>
        <label className={classes.label} htmlFor={id}>
          <code>{name}</code>
        </label>
        {name === 'payload' && (
          <label className={styles.jsonChoice}>
            <input
              type="checkbox"
              checked={json}
              onChange={(event) => setJson(event.currentTarget.checked)}
            />
            JSON
          </label>
        )}
      </div>
      {choices ? (
        <select
          {...aria}
          className={classes.input}
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : isLong ? (
        <CodeEditor
          id={id}
          label={name}
          value={text}
          onChange={onText}
          language={json ? 'json' : 'plain'}
          size="small"
        />
      ) : (
        <input
          {...aria}
          className={classes.input}
          data-mono="true"
          value={text}
          inputMode={kind === 'number' ? 'numeric' : undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onText(event.currentTarget.value)}
        />
      )}
      <p className={fault ? classes.error : classes.hint} id={`${id}-what`}>
        {fault ?? meaning?.[language]}
      </p>
    </div>
  );
}
