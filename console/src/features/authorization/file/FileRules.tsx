import { parseAclFile } from '@mqdeck/contract/acl/parse-file';
import { DEFAULT_ACL_RULES } from '@mqdeck/contract/authorization';
import { useDeferredValue, useMemo, useState } from 'react';
import { useController } from 'react-hook-form';
import type { Place } from '../../../editor/CodeEditor.tsx';
import { EditorField } from '../../../editor/EditorField.tsx';
import type { CheckText, Problem } from '../../../editor/problem.ts';
import classes from '../../../form/form.module.css';
import { useLanguage, useWords } from '../../../i18n/words.ts';
import { confirm } from '../../../ui/confirm.ts';
import { formWords } from '../form-words.ts';
import { faultWords } from './fault-words.ts';
import styles from './file.module.css';
import { Reading } from './Reading.tsx';
import { serverProblem } from './server-problem.ts';
import { suggestAcl } from './suggest.ts';

const NAME = 'rules';
const NOTHING: readonly Problem[] = [];
const WORD = /^(?:"(?:[^"\\]|\\.)*"|\w+|.)/;

/** The rules as a text, and beside it what they mean. */
export function FileRules() {
  const w = useWords(formWords);
  const language = useLanguage();
  const { field, fieldState } = useController({ name: NAME });
  const text = typeof field.value === 'string' ? field.value : '';
  const read = useMemo(() => parseAclFile(text), [text]);
  const [reveal, setReveal] = useState<Place>();

  const check = useMemo<CheckText>(
    () => (value) => {
      const lines = value.split('\n');
      return parseAclFile(value).faults.map(({ line, column, code }) => ({
        line,
        column,
        // The parser names where it begins; what is seen as one is marked as one.
        endColumn: column + (WORD.exec(lines[line - 1]?.slice(column - 1) ?? '')?.[0].length ?? 1),
        text: faultWords[code][language],
      }));
    },
    [language],
  );
  // What the broker said, as long as nothing else was typed; what we find ourselves stands there already.
  const refusal = fieldState.error?.type === 'broker' ? fieldState.error.message : undefined;
  const found = useMemo(() => {
    const problem = serverProblem(refusal);
    return problem && read.faults.length === 0 ? [problem] : NOTHING;
  }, [refusal, read]);

  const restore = async () => {
    const yes =
      text.trim() === '' || (await confirm({ title: w.restoreAsk, text: w.restoreText, action: w.restore }));
    if (yes) field.onChange(DEFAULT_ACL_RULES);
  };
  return (
    <div className={styles.columns}>
      <EditorField
        name={NAME}
        label={w.rules}
        language="acl"
        size="large"
        required
        check={(value) => {
          const [fault] = parseAclFile(String(value ?? '')).faults;
          return fault
            ? w.fixFirst({ line: String(fault.line), text: faultWords[fault.code][language] })
            : null;
        }}
        checkText={check}
        found={found}
        suggest={suggestAcl}
        reveal={reveal}
        beside={
          text === DEFAULT_ACL_RULES ? undefined : (
            <button type="button" className={classes.restore} onClick={() => void restore()}>
              {w.restore}
            </button>
          )
        }
      />
      <Reading file={useDeferredValue(read)} onLine={(line) => setReveal({ line })} />
    </div>
  );
}
