import { useWords } from '../i18n/words.ts';
import { Link } from '../Link.tsx';
import { paths } from '../paths.ts';
import { IconTerminal } from '../ui/icons.tsx';
import styles from './AlarmCount.module.css';
import { useConnectedCount } from './live-connections.ts';
import { words } from './words.ts';

/** How many connections of the WebSocket client are alive while other pages are looked at; leads back to them. */
export function LiveConnections() {
  const w = useWords(words);
  const count = useConnectedCount();
  if (count === 0) return null;
  const label = w.liveConnections({ count });
  return (
    <Link to={paths.websocketClient()} className={styles.alarms} aria-label={label} title={label}>
      <IconTerminal size={17} />
      <span>{count}</span>
    </Link>
  );
}
