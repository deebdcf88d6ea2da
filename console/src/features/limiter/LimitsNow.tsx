import type { LimiterStatus, LimiterType } from '@mqdeck/contract/limiter';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { Facts } from '../../ui/Facts.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './limiter.module.css';
import { hasPatience } from './types.ts';
import { words } from './words.ts';

/** What a limit does at present: how many wait and who, and how often it was met. */
export function LimitsNow({ type, status }: { type: LimiterType; status: LimiterStatus }) {
  const w = useWords(words);
  const language = useLanguage();
  const one = status.types.find((each) => each.type === type);
  if (!one) return null;
  const clients = status.clients.filter((client) => client.type === type);
  const number = (value: number) => formatNumber(value, language);
  const refuses = type === 'connection';
  // Who waits for retained messages is not told: it is the broker that waits.
  const waits = !refuses && type !== 'internal';
  const facts = [
    ...(waits ? [{ label: w.waiting, value: number(one.waiting) }] : []),
    ...(refuses ? [] : [{ label: w.held, value: number(one.held) }]),
    ...(refuses ? [{ label: w.refused, value: number(one.dropped) }] : []),
    ...(hasPatience(type)
      ? [
          { label: w.dropped, value: number(one.dropped) },
          { label: w.ended, value: number(one.ended) },
          { label: w.forced, value: number(one.forced) },
        ]
      : []),
  ];
  return (
    <Panel title={w.now}>
      <p className={styles.about} role="status">
        {one.waiting > 0 ? w.waitingNow({ count: one.waiting }) : waits ? w.calm : w.sinceStart}
      </p>
      <Facts facts={facts} columnWidth={110} />
      {clients.length > 0 && (
        <table className={styles.table} aria-label={w.waitingClients}>
          <thead>
            <tr>
              <th scope="col">{w.clientid}</th>
              <th scope="col">{w.bucket}</th>
              <th scope="col">{w.level}</th>
              <th scope="col" className={styles.spare}>
                {w.listener}
              </th>
              <th scope="col">{w.since}</th>
            </tr>
          </thead>
          <tbody>
            {clients.map(({ clientid, bucket, level, listener, since }) => (
              <tr key={clientid}>
                <th scope="row">
                  <Link to={paths.client(clientid)}>{visibleText(clientid)}</Link>
                </th>
                <td>{bucket}</td>
                <td>{w[`level.${level}`]}</td>
                <td className={styles.spare}>{listener}</td>
                <td>
                  <RelativeTime at={since} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
