import type { ListenerCertificate } from '@mqdeck/contract/listeners';
import { SOON_DAYS } from '../../form/listening/certificate.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { formatTime } from '../../ui/format.ts';
import { Mark } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './listeners.module.css';
import { words } from './words.ts';

/** How long a certificate is still valid: plain, a warning, or an error. */
export function CertificateEnd({ certificate }: { certificate: ListenerCertificate }) {
  const w = useWords(words);
  const language = useLanguage();
  const { days, own, subject, not_after } = certificate;
  const title = `${visibleText(subject)} · ${formatTime(not_after, language)}`;
  return (
    <span className={styles.end} title={title}>
      {days < 0 ? (
        <Mark tone="bad">{w.ended}</Mark>
      ) : own ? (
        w.own({ days })
      ) : days < SOON_DAYS ? (
        <Mark tone="warn">{days === 0 ? w.endsToday : w.ends({ days })}</Mark>
      ) : (
        w.days({ days })
      )}
    </span>
  );
}
