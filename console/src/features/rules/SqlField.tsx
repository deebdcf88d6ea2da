import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useController } from 'react-hook-form';
import { EditorField } from '../../editor/EditorField.tsx';
import type { CheckText, Problem } from '../../editor/problem.ts';
import classes from '../../form/form.module.css';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { IconEdit } from '../../ui/icons.tsx';
import { toast } from '../../ui/toast.ts';
import { formWords } from './form-words.ts';
import { problemsOf } from './problems.ts';
import styles from './rules.module.css';
import { SqlExamples } from './SqlExamples.tsx';
import { SqlForm } from './SqlForm.tsx';
import { partsOf } from './sql-parts.ts';
import { sqlWords } from './sql-words.ts';
import { explainIn, type Known, suggestFor } from './suggest.ts';

const NAME = 'sql';
const NOTHING: readonly Problem[] = [];

/** The statement, as SQL or as a form; each becomes the other where it can. */
export function SqlField({ known }: { known: Known }) {
  const w = useWords(formWords);
  const sw = useWords(sqlWords);
  const language = useLanguage();
  const { field, fieldState } = useController({ name: NAME });
  const sql = typeof field.value === 'string' ? field.value : '';
  const [mode, setMode] = useState<'sql' | 'form'>('sql');
  const checkText = useMemo<CheckText>(() => (text) => problemsOf(text, sw), [sw]);
  const suggest = useMemo(() => suggestFor(known, sw, language), [known, sw, language]);
  const explain = useMemo(() => explainIn(language), [language]);
  const refusal = fieldState.error?.type === 'broker' ? fieldState.error.message : undefined;
  // What the broker has found, and we have not, stands in the editor too.
  const found = useMemo<readonly Problem[]>(
    () => (refusal === undefined ? NOTHING : [{ line: 1, text: refusal }]),
    [refusal],
  );
  const check = (value: unknown) => {
    const first = problemsOf(String(value ?? ''), sw).find(({ severity }) => severity === 'error');
    return first ? sw.fixFirst({ line: String(first.line), text: first.text }) : null;
  };

  // What came from elsewhere, as an example, may be no form.
  const deferred = useDeferredValue(sql);
  const isForm = mode === 'form';
  const toForm = () => {
    const parts = partsOf(sql);
    if (typeof parts === 'object') setMode('form');
    else toast('warn', `${w.noForm}: ${parts === 'syntax' ? w.noFormSyntax : w.noFormComments}`);
  };
  useEffect(() => {
    if (isForm && partsOf(deferred) === 'comments') setMode('sql');
  }, [isForm, deferred]);
  const tools = (
    <span className={styles.sqlTools}>
      <button
        type="button"
        className={classes.restore}
        title={isForm ? w.toSql : w.toForm}
        onClick={() => (isForm ? setMode('sql') : toForm())}
      >
        <IconEdit size={13} /> {isForm ? w.toSql : w.toForm}
      </button>
      <SqlExamples sql={sql} onUse={field.onChange} />
    </span>
  );
  return isForm ? (
    <SqlForm name={NAME} check={check} suggest={suggest} explain={explain} known={known} beside={tools} />
  ) : (
    <EditorField
      name={NAME}
      language="rule-sql"
      size="medium"
      required
      check={check}
      checkText={checkText}
      found={found}
      suggest={suggest}
      explain={explain}
      beside={tools}
    />
  );
}
