import type { ReactNode } from 'react';
import styles from './Facts.module.css';
import { NOTHING } from './format.ts';

export interface Fact {
  label: string;
  /** Null, undefined and an empty text are shown as a dash. */
  value: ReactNode;
  /** Why it is as it is, on hover of the label. */
  hint?: string | undefined;
}

/** Label–value pairs in columns; never a table of one row. */
export function Facts({ facts, columnWidth = 200 }: { facts: readonly Fact[]; columnWidth?: number }) {
  return (
    <dl
      className={styles.facts}
      style={{ gridTemplateColumns: `repeat(auto-fill, minmax(min(${columnWidth}px, 100%), 1fr))` }}
    >
      {facts.map(({ label, value, hint }) => (
        <div key={label} className={styles.fact}>
          <dt title={hint}>{label}</dt>
          <dd>{value === null || value === undefined || value === '' ? NOTHING : value}</dd>
        </div>
      ))}
    </dl>
  );
}
