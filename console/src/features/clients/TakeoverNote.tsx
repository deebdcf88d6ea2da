import { api } from '@mqdeck/contract/api';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { IconWarn } from '../../ui/icons.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { hasPath } from './address.ts';
import styles from './client-page.module.css';
import { CONTEST_MINUTES, contestOf } from './event-text.ts';
import { words } from './timeline-words.ts';

/** That two devices seem to use one ID; nothing where the broker does not say. */
export function TakeoverNote({ clientid, poll }: { clientid: string; poll: number | undefined }) {
  const w = useWords(words);
  const { data } = useEndpoint(
    api.clientEvents.list,
    { params: { clientid } },
    { quiet: true, enabled: hasPath(clientid), poll },
  );
  const contest = contestOf(data?.data ?? [], Date.now());
  if (contest === null) return null;
  const { times, last } = contest;
  return (
    <p className={styles.notice} role="status">
      <IconWarn size={16} />
      <span>
        {w.contested({ times, minutes: CONTEST_MINUTES, address: visibleText(last.taken_over_by ?? '') })}{' '}
        <RelativeTime at={last.at} />
      </span>
    </p>
  );
}
