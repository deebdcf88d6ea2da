import { clients } from '@mqdeck/contract/clients';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { formatNumber } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import classes from './dashboard.module.css';
import { words } from './words.ts';

const POLL_MS = 15_000;
const most = {
  query: { sort: 'recv_msg', order: 'desc', limit: 5, conn_state: 'connected', fields: 'clientid,recv_msg' },
} as const;

/** Who sends most. A broker that does not sort would name just anybody, so there the card is missing. */
export function TopTalkers() {
  const w = useWords(words);
  const language = useLanguage();
  const { data } = useEndpoint(clients.list, most, { poll: POLL_MS, progress: false, quiet: true });
  const talkers = (data?.data ?? []).filter(({ recv_msg }) => (recv_msg ?? 0) > 0);
  if (data?.meta.sort !== 'recv_msg' || talkers.length === 0) return null;
  const highest = talkers[0]?.recv_msg ?? 1;
  return (
    <Panel title={<span title={w.talkersHint}>{w.talkers}</span>}>
      <ol className={classes.rows}>
        {talkers.map(({ clientid = '', recv_msg = 0 }) => (
          <li key={clientid} className={classes.talker}>
            <Link to={paths.client(clientid)} className={classes.nodeName} title={visibleText(clientid)}>
              <bdi>{visibleText(clientid)}</bdi>
            </Link>
            <span className={classes.talkerBar} aria-hidden="true">
              <span style={{ width: `${(recv_msg / highest) * 100}%` }} />
            </span>
            <span className={classes.talkerCount}>
              {w.messages({ count: formatNumber(recv_msg, language) })}
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
