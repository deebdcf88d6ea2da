import { type Client, UINT32_MAX } from '@mqdeck/contract/clients';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import { CopyButton } from '../../ui/Copyable.tsx';
import { formatDurationShort, formatRate, NOTHING } from '../../ui/format.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './clients.module.css';
import { listedRate, useListedRate } from './list-rates.ts';
import { addressText, protocolText } from './protocol.ts';
import { QueueCell } from './QueueCell.tsx';
import { words } from './words.ts';

type Row = Partial<Client>;

function ClientId({ clientid }: { clientid: string }) {
  const shown = visibleText(clientid);
  return (
    <span className={styles.clientid}>
      <Link to={paths.client(clientid)} className={styles.clientLink} title={shown}>
        <bdi>{shown}</bdi>
      </Link>
      <span className={styles.copy}>
        <CopyButton text={clientid} />
      </span>
    </span>
  );
}

/** Keepalive and session expiry in words: zero and the largest number mean something of their own. */
export function Seconds({ value, zero }: { value: number | undefined; zero: 'off' | 'atOnce' }) {
  const w = useWords(words);
  const language = useLanguage();
  if (value === undefined) return NOTHING;
  if (value === 0) return <span className={styles.faint}>{w[zero]}</span>;
  return value === UINT32_MAX ? w.never : formatDurationShort(value * 1000, language);
}

function Rate({ clientid, field }: { clientid: string; field: 'recv_msg' | 'send_msg' }) {
  const language = useLanguage();
  const rate = useListedRate(clientid, field);
  if (rate === null) return <span className={styles.faint}>{NOTHING}</span>;
  return rate === 0 ? <span className={styles.faint}>0</span> : formatRate(rate, language);
}

const column = columnsOf<Row>({
  clientid: words.clientid,
  username: words.username,
  connected: words.connected,
  address: words.address,
  proto_ver: words.protocol,
  keepalive: words.keepalive,
  clean_start: words.cleanStart,
  expiry_interval: words.expiry,
  subscriptions_cnt: words.subs,
  mqueue_len: words.queue,
  inflight_cnt: words.inflight,
  in_rate: words.inRate,
  out_rate: words.outRate,
  recv_msg: words.received,
  send_msg: words.sent,
  mqueue_dropped: words.dropped,
  recv_oct: words.receivedBytes,
  send_oct: words.sentBytes,
  listener: words.listener,
  node: words.node,
  zone: words.zone,
  mountpoint: words.mountpoint,
  is_bridge: words.bridge,
  connected_at: words.connectedAt,
  disconnected_at: words.disconnectedAt,
  created_at: words.createdAt,
});

const end = { align: 'end', grow: 0.5 } as const;

export const clientColumns = [
  column.custom('clientid', ({ clientid }) => <ClientId clientid={clientid ?? ''} />, {
    sort: 'clientid',
    width: 164,
    grow: 2,
  }),
  column.text('username', { width: 96 }),
  column.badge('connected', { width: 126, grow: 0.6 }),
  column.custom('address', (row) => <span className={styles.mono}>{addressText(row) ?? NOTHING}</span>, {
    value: addressText,
    fields: ['ip_address', 'port'],
    sort: 'ip_address',
    width: 160,
    grow: 0.6,
  }),
  column.custom('proto_ver', (row) => protocolText(row) ?? NOTHING, {
    value: protocolText,
    fields: ['proto_name', 'proto_ver'],
    sort: 'proto_ver',
    width: 94,
    grow: 0.4,
  }),
  column.custom(
    'expiry_interval',
    ({ expiry_interval }) => <Seconds value={expiry_interval} zero="atOnce" />,
    {
      sort: 'expiry_interval',
      width: 116,
      ...end,
    },
  ),
  column.number('subscriptions_cnt', { width: 64, grow: 0.3, brief: true }),
  column.custom('mqueue_len', (row) => <QueueCell row={row} />, {
    fields: ['mqueue_len', 'mqueue_max', 'mqueue_dropped'],
    sort: 'mqueue_len',
    width: 176,
    brief: true,
    ...end,
  }),
  column.custom('in_rate', ({ clientid = '' }) => <Rate clientid={clientid} field="recv_msg" />, {
    value: ({ clientid = '' }) => listedRate(clientid, 'recv_msg'),
    fields: ['recv_msg'],
    width: 66,
    brief: true,
    ...end,
  }),
  column.custom('out_rate', ({ clientid = '' }) => <Rate clientid={clientid} field="send_msg" />, {
    value: ({ clientid = '' }) => listedRate(clientid, 'send_msg'),
    fields: ['send_msg'],
    width: 66,
    brief: true,
    ...end,
  }),
  column.time('connected_at', { width: 122, grow: 0.6 }),
  column.custom('keepalive', ({ keepalive }) => <Seconds value={keepalive} zero="off" />, {
    hidden: true,
    sort: 'keepalive',
    width: 88,
    ...end,
  }),
  column.flag('clean_start', { hidden: true, sort: false, width: 90 }),
  column.number('inflight_cnt', { hidden: true, width: 84 }),
  column.number('recv_msg', { hidden: true, width: 110 }),
  column.number('send_msg', { hidden: true, width: 110 }),
  column.number('mqueue_dropped', { hidden: true, width: 104 }),
  column.bytes('recv_oct', { hidden: true }),
  column.bytes('send_oct', { hidden: true }),
  column.text('listener', { hidden: true, sort: false, width: 120 }),
  column.text('node', { hidden: true, sort: false, width: 150 }),
  column.text('zone', { hidden: true, sort: false }),
  column.text('mountpoint', { hidden: true, sort: false }),
  column.flag('is_bridge', { hidden: true, sort: false }),
  column.time('disconnected_at', { hidden: true, sort: false }),
  column.time('created_at', { hidden: true, width: 130 }),
];

/** What the rows' deeds need, whatever columns are shown. */
export const ALWAYS_FIELDS = ['clientid', 'connected', 'subscriptions_cnt', 'mqueue_len'] as const;
