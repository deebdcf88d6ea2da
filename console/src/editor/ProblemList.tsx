import { useState } from 'react';
import { useWords } from '../i18n/words.ts';
import { IconBad, IconWarn } from '../ui/icons.tsx';
import classes from './editor.module.css';
import type { Problem } from './problem.ts';
import { words } from './words.ts';

/** As many as an eye takes in; the rest is told as a number. */
const SHOWN = 5;

/** What is wrong with the text above, each a way to its line. */
export function ProblemList({
  label,
  problems,
  goTo,
}: {
  label: string;
  problems: readonly Problem[];
  goTo: (problem: Problem) => void;
}) {
  const w = useWords(words);
  const [had, setHad] = useState(false);
  const count = problems.length;
  if (count > 0 && !had) setHad(true);
  return (
    <>
      <span role="status" className="visually-hidden">
        {count > 0
          ? `${w.problems({ name: label })}: ${w.count({ count })}`
          : had
            ? w.none({ name: label })
            : ''}
      </span>
      {count > 0 && (
        <ul className={classes.problems} aria-label={w.problems({ name: label })}>
          {problems.slice(0, SHOWN).map((problem) => {
            const { line, column, text, severity } = problem;
            const isWarning = severity === 'warning';
            return (
              <li key={`${line}:${column}:${text}`}>
                <button
                  type="button"
                  className={classes.problem}
                  data-tone={isWarning ? 'warn' : 'bad'}
                  onClick={() => goTo(problem)}
                >
                  {isWarning ? <IconWarn size={14} /> : <IconBad size={14} />}
                  <span className="visually-hidden">{isWarning ? w.warning : w.error}</span>
                  <span className={classes.place}>{w.line({ line })}</span>
                  <span className={classes.what}>{text}</span>
                </button>
              </li>
            );
          })}
          {count > SHOWN && <li className={classes.more}>{w.more({ count: count - SHOWN })}</li>}
        </ul>
      )}
    </>
  );
}
