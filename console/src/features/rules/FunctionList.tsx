import { useState } from 'react';
import classes from '../../form/form.module.css';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { CopyButton } from '../../ui/Copyable.tsx';
import { formWords } from './form-words.ts';
import { functionDocs } from './function-docs.ts';
import styles from './rules.module.css';
import { allSignatures, nameOf } from './suggest.ts';

/** Every function of the language, to be found by name or by what it does. */
export function FunctionList() {
  const w = useWords(formWords);
  const language = useLanguage();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = allSignatures.filter((signature) => {
    const doc = functionDocs[nameOf(signature)]?.[language] ?? '';
    return signature.toLowerCase().includes(wanted) || doc.toLowerCase().includes(wanted);
  });
  return (
    <div className={styles.functions}>
      <input
        type="search"
        className={classes.input}
        aria-label={w.searchFunctions}
        placeholder={w.searchFunctions}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault(); // it would save the rule
        }}
      />
      {found.length === 0 && <p className={styles.note}>{w.noFunctions}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.functionList} tabIndex={0} aria-label={w.functions}>
        <dl>
          {found.map((signature) => (
            <div key={signature}>
              <dt>
                <code>{signature}</code>
                <CopyButton text={signature} />
              </dt>
              <dd>{functionDocs[nameOf(signature)]?.[language]}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}
