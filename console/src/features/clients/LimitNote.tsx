import { api } from '@mqdeck/contract/api';
import type { LimiterStatus } from '@mqdeck/contract/limiter';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { IconWarn } from '../../ui/icons.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import styles from './client-page.module.css';
import { limitWords } from './limit-words.ts';

/** Why a client's messages are slow, when a limit is why; nothing where the broker does not say. */
export function LimitNote({ clientid, poll }: { clientid: string; poll: number | undefined }) {
  const { data, error } = useEndpoint(api.limiter.status, { query: { clientid } }, { quiet: true });
  if (!data || error?.absent) return null;
  return <Polled clientid={clientid} poll={poll} first={data} />;
}

/** Asked again only of a broker that has answered once. */
function Polled({
  clientid,
  poll,
  first,
}: {
  clientid: string;
  poll: number | undefined;
  first: LimiterStatus;
}) {
  const w = useWords(limitWords);
  const { data = first } = useEndpoint(api.limiter.status, { query: { clientid } }, { quiet: true, poll });
  const held = data.clients[0];
  if (!held) return null;
  const { type, level, bucket, since } = held;
  const what = w[type];
  return (
    <p className={styles.notice} role="status">
      <IconWarn size={16} />
      <span>
        {level === 'bucket' ? w.byBucket({ what, bucket }) : w[level]({ what })} <RelativeTime at={since} />
      </span>
      <Link to={`${paths.limiter()}?type=${type}`}>{w.toLimiter}</Link>
    </p>
  );
}
