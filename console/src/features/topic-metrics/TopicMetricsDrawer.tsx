import { Drawer } from '@mantine/core';
import type { TopicMetrics } from '@mqdeck/contract/topic-metrics';
import { Sparkline } from '../../charts/Sparkline.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { searchText } from '../../search-text.ts';
import { formatNumber } from '../../ui/format.ts';
import { AbsoluteTime } from '../../ui/RelativeTime.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { readingsOf } from './readings.ts';
import styles from './topic-metrics.module.css';
import { words } from './words.ts';

const ROWS = [
  ['allQos', 'messages'],
  ['qos0', 'messages.qos0'],
  ['qos1', 'messages.qos1'],
  ['qos2', 'messages.qos2'],
] as const;
const WAYS = ['in', 'out', 'dropped'] as const;

/** Everything that is counted of a topic, by QoS, with the curve of the last minutes. */
export function TopicMetricsDrawer({
  metrics: one,
  onClose,
}: {
  metrics: TopicMetrics;
  onClose: () => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const { topic, metrics } = one;
  return (
    <Drawer
      opened
      onClose={onClose}
      title={<bdi className={styles.topic}>{visibleText(topic)}</bdi>}
      position="right"
      size={560}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <p className={styles.since}>
        {one.reset_time ? w.countedSinceReset : w.countedSince}{' '}
        <AbsoluteTime at={one.reset_time ?? one.create_time} />
      </p>
      <table className={styles.figures}>
        <caption className="visually-hidden">{w.title}</caption>
        <thead>
          <tr>
            <th scope="col">{w.qos}</th>
            {WAYS.map((way) => (
              <th key={way} scope="col" className={styles.number}>
                {w[way]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map(([label, prefix]) => (
            <tr key={label}>
              <th scope="row">{w[label]}</th>
              {WAYS.map((way) => {
                const count = metrics[`${prefix}.${way}.count`];
                if (count === undefined)
                  return (
                    <td key={way} className={styles.number}>
                      –
                    </td>
                  );
                return (
                  <td key={way} className={styles.number}>
                    {formatNumber(count, language)}
                    <span className={styles.rate}>
                      {w.perSecond({ rate: formatNumber(metrics[`${prefix}.${way}.rate`] ?? 0, language) })}
                    </span>
                    <Sparkline values={readingsOf(topic, `${prefix}.${way}.rate`)} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <Link to={`${paths.subscriptions()}${searchText({ match_topic: topic })}`}>{w.subscribers}</Link>
    </Drawer>
  );
}
