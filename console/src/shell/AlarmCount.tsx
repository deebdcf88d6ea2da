import { alarms } from '@mqdeck/contract/alarms';
import { useAvailable } from '../api/features.ts';
import { useEndpoint } from '../api/use-endpoint.ts';
import { useWords } from '../i18n/words.ts';
import { Link } from '../Link.tsx';
import { paths } from '../paths.ts';
import { IconAlarm } from '../ui/icons.tsx';
import styles from './AlarmCount.module.css';
import { words } from './words.ts';

const POLL_MS = 15_000;
const active = { query: { activated: true } } as const;

/** How many alarms are active; leads to them. Where the broker has no alarms, or does not say, there is nothing. */
export function AlarmCount() {
  const w = useWords(words);
  const available = useAvailable(alarms.list);
  const { data } = useEndpoint(alarms.list, active, {
    poll: POLL_MS,
    progress: false,
    quiet: true,
    enabled: available,
  });
  if (!available || !data) return null;
  // Older brokers count only what they send.
  const count = data.meta?.count ?? data.data.length;
  const label = count === 0 ? w.noAlarm : w.alarms({ count });
  return (
    <Link
      to={paths.currentAlarms()}
      className={styles.alarms}
      data-active={count > 0 || undefined}
      aria-label={label}
      title={label}
    >
      <IconAlarm size={17} />
      {count > 0 && <span className={styles.text}>{label}</span>}
    </Link>
  );
}
