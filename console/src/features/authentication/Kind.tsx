import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './authentication.module.css';
import { useChain } from './chain.ts';
import { mechanismName, nameOf } from './kinds.ts';
import { words } from './words.ts';

/** What an authenticator is: its backend, and the mechanism behind it in a fainter word. */
export function Kind({
  of,
  linked = false,
}: {
  of: { id: string; mechanism: string; backend?: string | undefined };
  linked?: boolean;
}) {
  const w = useWords(words);
  const chain = useChain();
  const name = visibleText(nameOf(of, w));
  const mechanism = mechanismName(of.mechanism, w);
  return (
    <span className={styles.kind}>
      {linked ? <Link to={chain.one(of.id)}>{name}</Link> : <span>{name}</span>}
      {of.mechanism === 'password_based' && (
        <span className={styles.mechanism}>{visibleText(mechanism)}</span>
      )}
    </span>
  );
}
