import { type ReactNode, useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import { CopyButton } from '../../ui/Copyable.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './rules.module.css';
import { testWords } from './test-words.ts';

/** A result as a tree to fold, and as JSON to copy. */
export function Output({ result, told }: { result: unknown; told: ReactNode }) {
  const w = useWords(testWords);
  const [form, setForm] = useState<'tree' | 'json'>('tree');
  const json = JSON.stringify(result, null, 2);
  return (
    <div className={styles.output}>
      <div className={styles.outputHead}>
        {told}
        {Array.isArray(result) && <span className={styles.note}>{w.results({ count: result.length })}</span>}
        <CopyButton text={json} label={w.copyOutput} />
      </div>
      {Array.isArray(result) && result.length === 0 && <p className={styles.note}>{w.noItems}</p>}
      <Tabs
        label={w.outputForm}
        value={form}
        onChange={setForm}
        tabs={[
          { value: 'tree', label: w.tree },
          { value: 'json', label: w.json },
        ]}
      >
        {form === 'json' ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <section aria-label={w.output} tabIndex={0}>
            <pre className={styles.json}>{json}</pre>
          </section>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <section className={styles.tree} aria-label={w.output} tabIndex={0}>
            <Branches value={result} />
          </section>
        )}
      </Tabs>
    </div>
  );
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;

function Branches({ value }: { value: unknown }) {
  if (!isBranch(value)) return <Leaf value={value} />;
  const isList = Array.isArray(value);
  return (
    <ul>
      {Object.entries(value).map(([key, one]) => {
        // Places of lists count from 1 in rule SQL.
        const name = isList ? `[${Number(key) + 1}]` : visibleText(key);
        const count = isBranch(one) ? Object.keys(one).length : 0;
        return (
          <li key={key}>
            {count > 0 ? (
              <details open>
                <summary>
                  <bdi>{name}</bdi>{' '}
                  <span className={styles.note}>{Array.isArray(one) ? `[${count}]` : `{${count}}`}</span>
                </summary>
                <Branches value={one} />
              </details>
            ) : (
              <>
                <bdi>{name}</bdi> <Leaf value={one} />
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Leaf({ value }: { value: unknown }) {
  const text = typeof value === 'string' ? visibleText(value) : JSON.stringify(value);
  return (
    <code className={styles.leaf} data-kind={value === null ? 'null' : typeof value}>
      {text}
    </code>
  );
}
