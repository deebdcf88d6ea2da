import { Drawer } from '@mantine/core';
import { useState } from 'react';
import classes from '../../form/form.module.css';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { CopyButton } from '../../ui/Copyable.tsx';
import { confirm } from '../../ui/confirm.ts';
import { exampleWords } from './example-words.ts';
import { examples, type SqlExample } from './examples.ts';
import { formWords } from './form-words.ts';
import styles from './rules.module.css';
import { SqlText } from './SqlText.tsx';
import { SQL_PRESET } from './sql-parts.ts';

/** Statements to begin with, each with what goes in and what comes out. */
export function SqlExamples({ sql, onUse }: { sql: string; onUse: (sql: string) => void }) {
  const w = useWords(formWords);
  const ew = useWords(exampleWords);
  const language = useLanguage();
  const [opened, setOpened] = useState(false);
  const use = async (example: SqlExample) => {
    const isOwn = sql.trim() !== '' && sql !== SQL_PRESET && !examples.some((one) => one.sql === sql);
    const ask = { title: w.replaceAsk, text: w.replaceText, action: w.replace };
    if (isOwn && !(await confirm(ask))) return;
    onUse(example.sql);
    setOpened(false);
  };
  return (
    <>
      <button type="button" className={classes.restore} onClick={() => setOpened(true)}>
        {w.examples}
      </button>
      <Drawer
        opened={opened}
        onClose={() => setOpened(false)}
        title={w.examples}
        position="right"
        size={640}
        lockScroll={false}
        closeButtonProps={{ 'aria-label': w.close }}
      >
        <div className={styles.examples}>
          {examples.map((example) => {
            const { id, title, scenario, input, output } = example;
            return (
              <section key={id} className={styles.example} aria-label={title[language]}>
                <div className={styles.exampleHead}>
                  <h3 className={styles.exampleTitle}>{title[language]}</h3>
                  <CopyButton text={example.sql} label={ew.copy({ name: title[language] })} />
                  <button
                    type="button"
                    className={classes.small}
                    aria-label={w.use({ name: title[language] })}
                    onClick={() => void use(example)}
                  >
                    {w.useShort}
                  </button>
                </div>
                <p className={styles.note}>{scenario[language]}</p>
                <SqlText sql={example.sql} label={ew.sqlOf({ name: title[language] })} />
                <dl className={styles.inOut}>
                  <div>
                    <dt>{ew.input}</dt>
                    <dd>
                      <pre className={styles.json}>{JSON.stringify(input, null, 1)}</pre>
                    </dd>
                  </div>
                  <div>
                    <dt>{ew.output}</dt>
                    <dd>
                      <pre className={styles.json}>{JSON.stringify(output, null, 1)}</pre>
                    </dd>
                  </div>
                </dl>
              </section>
            );
          })}
        </div>
      </Drawer>
    </>
  );
}
