import { Fragment } from 'react';
import { useWords } from '../i18n/words.ts';
import styles from './KeyList.module.css';
import { jumps } from './menu.ts';
import { pageTitles } from './page-words.ts';
import { words } from './words.ts';

/** Every key the console listens to; in the dialog and on the help page. */
export function KeyList() {
  const w = useWords(words);
  const titles = useWords(pageTitles);
  const keys: [readonly string[], string][] = [
    [['Ctrl K', '⌘K'], w.keyPalette],
    [['/'], w.keyFilter],
    [['?'], w.keyHelp],
    [['['], w.keyBar],
    [['Esc'], w.keyClose],
    ...jumps.map(({ id, jump }): [string[], string] => [['g', jump], w.keyJump({ page: titles[id] })]),
  ];
  return (
    <dl className={styles.keys}>
      {keys.map(([combination, does]) => (
        <div key={does}>
          <dt>
            {combination.map((key, nr) => (
              <Fragment key={key}>
                {nr > 0 && (
                  <span className={styles.then}>{combination[0] === 'g' ? w.thenKey : w.orKey}</span>
                )}
                <kbd>{key}</kbd>
              </Fragment>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
