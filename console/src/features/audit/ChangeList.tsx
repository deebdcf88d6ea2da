import type { AuditChange } from '@mqdeck/contract/audit';
import { useWords } from '../../i18n/words.ts';
import { IconEdit, IconMinus, IconPlus } from '../../ui/icons.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './audit.module.css';
import { isSecret, kindOf, pathText, sharedLength, valueText } from './audit-text.ts';
import { words } from './words.ts';

const SIGNS = { added: IconPlus, removed: IconMinus, changed: IconEdit };

/** Value by value: what it was, and what it is. */
export function ChangeList({ changes }: { changes: readonly AuditChange[] }) {
  const w = useWords(words);
  const shared = sharedLength(changes);
  const within = changes[0]?.path.slice(0, shared) ?? [];
  return (
    <table className={styles.changes}>
      {shared > 0 && <caption className={styles.within}>{visibleText(pathText({ path: within }))}</caption>}
      <thead>
        <tr>
          <th scope="col">{w.field}</th>
          <th scope="col">{w.was}</th>
          <th scope="col">{w.is}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => {
          const kind = kindOf(change);
          const Sign = SIGNS[kind];
          return (
            <tr key={JSON.stringify(change.path)} data-kind={kind}>
              <th scope="row">
                <span className={styles.path}>
                  {visibleText(pathText({ path: change.path.slice(shared) }))}
                </span>
                <span className={styles.kind}>
                  <Sign size={13} />
                  {w[kind]}
                </span>
              </th>
              <td>
                <Value value={change.before} />
              </td>
              <td>
                <Value value={change.after} />
                {isSecret(change) && <span className={styles.faint}>{w.secretChanged}</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Value({ value }: { value: unknown }) {
  const w = useWords(words);
  if (value === undefined) return <span className={styles.faint}>{w.none}</span>;
  const text = valueText(value);
  if (text === '') return <span className={styles.faint}>""</span>;
  return <code className={styles.value}>{text.split('\n').map(visibleText).join('\n')}</code>;
}
