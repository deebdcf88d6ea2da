import { AUDIT_FROM, type AuditEntry } from '@mqdeck/contract/audit';
import { useWords } from '../../i18n/words.ts';
import { Mark } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './audit.module.css';
import { words } from './words.ts';

const isKnown = (from: string): from is (typeof AUDIT_FROM)[number] =>
  AUDIT_FROM.some((known) => known === from);

/** The user, the key, or that nobody was known; and through what. */
export function Who({ entry: { source, source_name: name, from } }: { entry: AuditEntry }) {
  const w = useWords(words);
  const through = isKnown(from) ? w[from] : visibleText(from);
  if (from === 'cli') return <span>{through}</span>;
  return (
    <span className={styles.who}>
      {source === '' ? (
        <span className={styles.faint}>{w.nobody}</span>
      ) : (
        <bdi>{visibleText(name ?? source)}</bdi>
      )}
      <span className={styles.faint}>
        {name === undefined ? through : `${through} ${visibleText(source)}`}
      </span>
    </span>
  );
}

export function Result({ entry: { operation_result, http_status_code } }: { entry: AuditEntry }) {
  const w = useWords(words);
  const done = operation_result === 'success';
  return (
    <Mark tone={done ? 'good' : 'bad'}>
      {done ? w.success : w.failure}
      {!done && http_status_code ? ` · ${http_status_code}` : ''}
    </Mark>
  );
}
