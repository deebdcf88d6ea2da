import { lex } from '@mqdeck/rulesql/lex';
import { arities } from '@mqdeck/rulesql/signatures';
import { type ReactNode, useMemo } from 'react';
import styles from './rules.module.css';

/** A statement to read: coloured as in the editor. */
export function SqlText({ sql, label }: { sql: string; label?: string | undefined }) {
  const parts = useMemo(() => coloured(sql), [sql]);
  return (
    <pre className={styles.sql} {...(label ? { role: 'region', 'aria-label': label, tabIndex: 0 } : {})}>
      {parts}
    </pre>
  );
}

function coloured(sql: string): ReactNode[] {
  try {
    const parts: ReactNode[] = [];
    let done = 0;
    for (const { kind, value, start, end } of lex(sql)) {
      const between = sql.slice(done, start);
      if (between !== '')
        parts.push(
          <span key={`before ${start}`} data-sql={between.includes('--') ? 'comment' : undefined}>
            {between}
          </span>,
        );
      const tone = kind === 'name' && arities.has(value) && sql[end] === '(' ? 'function' : kind;
      parts.push(
        <span key={start} data-sql={tone}>
          {sql.slice(start, end)}
        </span>,
      );
      done = end;
    }
    return parts;
  } catch {
    return [sql]; // of another language than ours
  }
}
