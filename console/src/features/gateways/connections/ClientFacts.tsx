import type { GatewayClient } from '@mqdeck/contract/gateways';
import { useLanguage, useWords } from '../../../i18n/words.ts';
import { CopyButton } from '../../../ui/Copyable.tsx';
import { type Fact, Facts } from '../../../ui/Facts.tsx';
import { FigureTable } from '../../../ui/FigureTable.tsx';
import { formatBytes, formatDuration, formatNumber, NOTHING } from '../../../ui/format.ts';
import { Panel } from '../../../ui/Page.tsx';
import { AbsoluteTime } from '../../../ui/RelativeTime.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import styles from '../gateways.module.css';
import { addressText } from './address.ts';
import { connectionWords } from './words.ts';

/** Who it is, how it is connected, and what has gone to and fro. What the broker does not say is left out. */
export function ClientFacts({ client }: { client: GatewayClient }) {
  const w = useWords(connectionWords);
  const language = useLanguage();
  const count = (value: number | undefined) =>
    value === undefined ? NOTHING : formatNumber(value, language);
  const limited = (used: number, total: number | 'infinity') =>
    typeof total === 'number' && total > 0
      ? w.ofLimit({ count: count(used), limit: count(total) })
      : `${count(used)} / ${w.unlimited}`;
  const seconds = (value: number) => formatDuration(value * 1000, language);
  const named = (text: string | null | undefined) =>
    text ? (
      <span className={styles.named}>
        <bdi>{visibleText(text)}</bdi> <CopyButton text={text} />
      </span>
    ) : null;
  const { endpoint_name, lifetime, mountpoint, created_at, connected_at } = client;
  const connection: Fact[] = [
    { label: w.clientid, value: named(client.clientid) },
    ...(endpoint_name === undefined ? [] : [{ label: w.endpoint_name, value: named(endpoint_name) }]),
    { label: w.username, value: named(client.username) },
    { label: w.protocol, value: visibleText(`${client.proto_name} ${client.proto_ver}`.trim()) },
    { label: w.address, value: named(addressText(client)) },
    { label: w.node, value: visibleText(client.node) },
    lifetime === undefined
      ? { label: w.keepalive, value: client.keepalive === 0 ? w.off : seconds(client.keepalive) }
      : { label: w.lifetime, value: seconds(lifetime) },
    ...(connected_at ? [{ label: w.connectedAt, value: <AbsoluteTime at={connected_at} /> }] : []),
    ...(mountpoint ? [{ label: w.mountpoint, value: named(mountpoint) }] : []),
  ];
  const session: Fact[] = [
    { label: w.subscriptions, value: limited(client.subscriptions_cnt, client.subscriptions_max) },
    { label: w.mqueue, value: limited(client.mqueue_len, client.mqueue_max) },
    { label: w.inflight, value: limited(client.inflight_cnt, client.inflight_max) },
    { label: w.dropped, value: count(client.mqueue_dropped) },
    ...(created_at ? [{ label: w.createdAt, value: <AbsoluteTime at={created_at} /> }] : []),
  ];
  const bytes = (value: number | undefined) => (value === undefined ? NOTHING : formatBytes(value, language));
  return (
    <>
      <div className={styles.columns}>
        <Panel title={w.connection}>
          <Facts columnWidth={150} facts={connection} />
        </Panel>
        <Panel title={w.session}>
          <Facts columnWidth={150} facts={session} />
        </Panel>
      </div>
      <Panel title={w.traffic}>
        <FigureTable
          label={w.traffic}
          headLabel={w.traffic}
          columns={[
            { label: w.received, kind: 'number' },
            { label: w.sent, kind: 'number' },
          ]}
          rows={[
            { key: 'messages', head: w.messages, cells: [count(client.recv_msg), count(client.send_msg)] },
            { key: 'packets', head: w.packets, cells: [count(client.recv_pkt), count(client.send_pkt)] },
            { key: 'bytes', head: w.bytes, cells: [bytes(client.recv_oct), bytes(client.send_oct)] },
          ]}
        />
      </Panel>
    </>
  );
}
