import type { Client } from '@mqdeck/contract/clients';
import { Sparkline } from '../../charts/Sparkline.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { formatBytes, formatNumber, formatRate, NOTHING } from '../../ui/format.ts';
import { IconWarn } from '../../ui/icons.tsx';
import { Panel } from '../../ui/Page.tsx';
import styles from './client-page.module.css';
import { type Figure, type FigureGroup, fieldSetOf, OTHER_REASONS } from './field-sets.ts';
import type { RateField, Reading } from './rates.ts';
import { words } from './words.ts';

const NAMED_REASONS = [
  'send_msg.dropped.queue_full',
  'send_msg.dropped.expired',
  'send_msg.dropped.too_large',
] as const;

const GROUPS: readonly FigureGroup[] = ['messagesIn', 'messagesOut', 'packets', 'bytes'];

const LIVE: Readonly<Record<FigureGroup, readonly RateField[]>> = {
  messagesIn: ['recv_msg'],
  messagesOut: ['send_msg'],
  packets: ['recv_pkt', 'send_pkt'],
  bytes: ['recv_oct', 'send_oct'],
};
const ARROWS = ['↓', '↑'] as const;
/** Inwards and outwards bear one colour each. */
const COLORS: Readonly<Record<RateField, 1 | 2>> = {
  recv_msg: 1,
  send_msg: 2,
  recv_pkt: 1,
  send_pkt: 2,
  recv_oct: 1,
  send_oct: 2,
};

/** What each counter is called; a name that is not here is shown as the broker writes it. */
const FIGURE_WORDS: Readonly<Record<string, keyof typeof words>> = {
  recv_msg: 'total',
  'recv_msg.qos0': 'qos0',
  'recv_msg.qos1': 'qos1',
  'recv_msg.qos2': 'qos2',
  'recv_msg.dropped': 'droppedAll',
  'recv_msg.dropped.await_pubrel_timeout': 'droppedPubrel',
  send_msg: 'total',
  'send_msg.qos0': 'qos0',
  'send_msg.qos1': 'qos1',
  'send_msg.qos2': 'qos2',
  'send_msg.dropped': 'droppedAll',
  'send_msg.dropped.queue_full': 'droppedQueueFull',
  'send_msg.dropped.expired': 'droppedExpired',
  'send_msg.dropped.too_large': 'droppedTooLarge',
  [OTHER_REASONS]: 'droppedOther',
  recv_pkt: 'packetsIn',
  send_pkt: 'packetsOut',
  recv_cnt: 'tcpIn',
  send_cnt: 'tcpOut',
  recv_oct: 'bytesIn',
  send_oct: 'bytesOut',
};

/** The rates of the moment with their last minutes, then every counter. */
export function ClientTraffic({ client, readings }: { client: Client; readings: readonly Reading[] }) {
  const w = useWords(words);
  const { figures } = fieldSetOf(client);
  return (
    <Panel title={w.traffic}>
      <div className={styles.groups}>
        {GROUPS.map((group) => {
          const list = figures[group]?.filter(({ field }) => counterOf(client, field) !== undefined);
          return list && list.length > 0 ? (
            <section key={group} className={styles.group}>
              <h3>{w[group]}</h3>
              <div className={styles.live}>
                {LIVE[group].map((field, i) => (
                  <Live
                    key={field}
                    field={field}
                    readings={readings}
                    arrow={LIVE[group].length > 1 ? ARROWS[i]! : ''}
                  />
                ))}
              </div>
              <dl>
                {list.map((figure) => (
                  <FigureRow
                    key={figure.field}
                    figure={figure}
                    value={counterOf(client, figure.field)!}
                    bytes={group === 'bytes'}
                  />
                ))}
              </dl>
            </section>
          ) : null;
        })}
      </div>
    </Panel>
  );
}

function counterOf(client: Client, field: string): number | undefined {
  if (field === OTHER_REASONS) return droppedOtherwise(client);
  const value = (client as Record<string, unknown>)[field];
  return typeof value === 'number' ? value : undefined;
}

/** QoS 0 that no queue takes, or the client's own messages: brokers count them, but by no name. */
function droppedOtherwise(client: Client): number | undefined {
  const { 'send_msg.dropped': all, ...rest } = client;
  if (all === undefined) return undefined;
  const named = NAMED_REASONS.reduce((sum, field) => sum + (rest[field] ?? 0), 0);
  return Math.max(0, all - named);
}

/** The rate of the moment, and the last minutes of it. */
function Live({ field, readings, arrow }: { field: RateField; readings: readonly Reading[]; arrow: string }) {
  const w = useWords(words);
  const language = useLanguage();
  const rate = readings.at(-1)?.rates[field] ?? null;
  const bytes = field.endsWith('_oct');
  const text = rate === null ? NOTHING : bytes ? formatBytes(rate, language) : formatRate(rate, language);
  return (
    <div className={styles.liveFigure} title={rate === null ? w.rateSoon : undefined}>
      <span className={styles.liveValue}>
        {arrow && (
          <span className={styles.faint}>
            <span aria-hidden="true">{arrow}</span>
            <span className="visually-hidden">{arrow === ARROWS[0] ? w.bytesIn : w.bytesOut}</span>
          </span>
        )}
        {rate === null ? text : w.perSecond({ rate: text })}
      </span>
      <Sparkline values={readings.map(({ rates }) => rates[field])} color={COLORS[field]} />
    </div>
  );
}

function FigureRow({
  figure: { field, loss },
  value,
  bytes,
}: {
  figure: Figure;
  value: number;
  bytes: boolean;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const lost = loss === true && value > 0;
  const word = FIGURE_WORDS[field];
  return (
    <div className={styles.figure} data-lost={lost || undefined} data-zero={value === 0 || undefined}>
      <dt>
        {lost && <IconWarn size={13} />}
        {word ? (w[word] as string) : field}
      </dt>
      <dd title={bytes ? formatNumber(value, language) : undefined}>
        {bytes ? formatBytes(value, language) : formatNumber(value, language)}
      </dd>
    </div>
  );
}
