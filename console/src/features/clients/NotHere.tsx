import { api } from '@mqdeck/contract/api';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { gatewayTitle } from '../../gateway-names.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { searchText } from '../../search-text.ts';
import { NoMatch } from '../../table/NoMatch.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './timeline.module.css';
import { words } from './timeline-words.ts';

const SHOWN_MAX = 10;

/** In place of an empty list: who is not there any more, or was never let in, has left a trace. */
export function NotHere({ clientid, onClear }: { clientid: string; onClear: () => void }) {
  const w = useWords(words);
  const { data } = useEndpoint(
    api.clientEvents.clients,
    { query: { like_clientid: clientid, limit: SHOWN_MAX } },
    { quiet: true },
  );
  if (!data || clientid === '') return <NoMatch onClear={onClear} />;
  return (
    <EmptyState
      title={w.notHere}
      text={data.data.length === 0 ? w.neverSeen : w.seenBefore}
      action={
        <div>
          <ul className={styles.found}>
            {data.data.map((seen) => (
              <li key={seen.clientid}>
                <Link to={paths.clientTimeline(seen.clientid)}>
                  {w.whatHappened({ clientid: visibleText(seen.clientid) })}
                </Link>{' '}
                {seen.gateway !== undefined && (
                  <>
                    · <ToGateway clientid={seen.clientid} gateway={seen.gateway} />{' '}
                  </>
                )}
                <span className={styles.faint}>
                  <RelativeTime at={seen.last_at} />
                </span>
              </li>
            ))}
          </ul>
          <button type="button" className={styles.clear} onClick={onClear}>
            {w.clearFilters}
          </button>
        </div>
      }
    />
  );
}

/** Its row and details among the connections of the gateway. */
export function ToGateway({ clientid, gateway }: { clientid: string; gateway: string }) {
  const w = useWords(words);
  return (
    <Link to={`${paths.gateway(gateway, 'connections')}${searchText({ client: clientid })}`}>
      {w.toGateway({ clientid: visibleText(clientid), gateway: gatewayTitle(gateway) })}
    </Link>
  );
}
