import type { Client } from '@mqdeck/contract/clients';
import type { ReactNode } from 'react';
import { BarMeter } from '../../charts/BarMeter.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { CopyButton } from '../../ui/Copyable.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { formatBytes, formatDuration, formatNumber } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import { AbsoluteTime, RelativeTime } from '../../ui/RelativeTime.tsx';
import { Mark } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Seconds } from './client-columns.tsx';
import styles from './client-page.module.css';
import { type ConnectionField, fieldSetOf, type SessionField } from './field-sets.ts';
import { KeepaliveFact } from './KeepaliveFact.tsx';
import { addressText, protocolText, usesTls } from './protocol.ts';
import { words } from './words.ts';

/** Of the broker's run-time a word takes eight bytes. */
const WORD_BYTES = 8;

/** The two boxes of facts. What the broker does not say is left out; what it says is nothing shows a dash. */
export function ClientFacts({ client, gone }: { client: Client; gone: boolean }) {
  const w = useWords(words);
  const { connection, session } = fieldSetOf(client);
  return (
    <div className={styles.columns}>
      <Panel title={w.connection}>
        <ConnectionFacts client={client} fields={connection} gone={gone} />
      </Panel>
      <Panel title={w.session}>
        <SessionFacts client={client} fields={session} gone={gone} />
      </Panel>
    </div>
  );
}

function ConnectionFacts({
  client,
  fields,
  gone,
}: {
  client: Client;
  fields: readonly ConnectionField[];
  gone: boolean;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const said = (name: string): unknown => (client as Record<string, unknown>)[name];
  const fact: Record<ConnectionField, () => Fact | null> = {
    node: () => ({ label: w.node, value: client.node }),
    listener: () => (client.listener ? { label: w.listener, value: client.listener } : null),
    username: () => ({ label: w.username, value: client.username && <Named text={client.username} /> }),
    protocol: () => ({ label: w.protocol, value: protocolText(client) }),
    address: () => ({ label: w.address, value: <Named text={addressText(client) ?? ''} /> }),
    keepalive: () => ({ label: w.keepalive, value: <KeepaliveFact client={client} gone={gone} /> }),
    clean_start: () => ({
      // Version 5 renamed it: since then it says how the session begins, not how it ends.
      label: Number(client.proto_ver) === 5 ? w.cleanStart : w.cleanSession,
      value: client.clean_start ? w.yes : w.no,
    }),
    endpoint_name: () => ({ label: w.endpointName, value: textOf(said('endpoint_name')) }),
    lifetime: () => ({
      label: w.lifetime,
      value:
        typeof said('lifetime') === 'number'
          ? formatDuration(Number(said('lifetime')) * 1000, language)
          : null,
    }),
    is_bridge: () => ({ label: w.bridge, value: client.is_bridge ? w.yes : w.no }),
    tls: () => {
      const tls = usesTls(client);
      return tls === undefined ? null : { label: w.tls, value: tls ? w.yes : w.no };
    },
    peersni: () => (client.peersni ? { label: w.peersni, value: <Named text={client.peersni} /> } : null),
    connected_at: () =>
      client.connected_at ? { label: w.connectedAt, value: <Moment at={client.connected_at} /> } : null,
    disconnected_at: () =>
      client.connected || !client.disconnected_at
        ? null
        : { label: w.disconnectedAt, value: <Moment at={client.disconnected_at} /> },
    zone: () => (client.zone ? { label: w.zone, value: client.zone } : null),
    mountpoint: () =>
      client.mountpoint ? { label: w.mountpoint, value: <Named text={client.mountpoint} /> } : null,
    auth_expire_at: () =>
      client.auth_expire_at
        ? { label: w.authExpireAt, value: <Moment at={client.auth_expire_at as number} /> }
        : null,
    client_attrs: () =>
      client.client_attrs && Object.keys(client.client_attrs).length > 0
        ? { label: w.attributes, value: <Attributes of={client.client_attrs} /> }
        : null,
  };
  return <Facts columnWidth={150} facts={fields.flatMap((field) => fact[field]() ?? [])} />;
}

function SessionFacts({
  client,
  fields,
  gone,
}: {
  client: Client;
  fields: readonly SessionField[];
  gone: boolean;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const meter = (
    label: string,
    used: number | undefined,
    total: number | 'infinity' | undefined,
  ): Fact | null =>
    used === undefined ? null : { label, value: <Meter label={label} used={used} total={total} /> };
  const figure = (label: string, value: number | undefined, show: (value: number) => string): Fact | null =>
    value === undefined ? null : { label, value: show(value) };
  const count = (value: number) => formatNumber(value, language);
  const fact: Record<SessionField, () => Fact | null> = {
    // A session that ended took its subscriptions along; the list below says so.
    subscriptions: () =>
      gone ? null : meter(w.subscriptions, client.subscriptions_cnt, client.subscriptions_max),
    mqueue: () => {
      const queue = meter(w.mqueue, client.mqueue_len, client.mqueue_max);
      if (!queue || !client.mqueue_dropped) return queue;
      const dropped = formatNumber(client.mqueue_dropped, language);
      return {
        ...queue,
        value: (
          <>
            {queue.value}
            <Mark tone="bad">{w.droppedHere({ count: dropped })}</Mark>
          </>
        ),
      };
    },
    inflight: () => meter(w.inflight, client.inflight_cnt, client.inflight_max),
    awaiting_rel: () => meter(w.awaitingRel, client.awaiting_rel_cnt, client.awaiting_rel_max),
    expiry_interval: () => ({
      label: w.expiry,
      value: <Seconds value={client.expiry_interval} zero="atOnce" />,
    }),
    created_at: () => ({ label: w.createdAt, value: <Moment at={client.created_at} /> }),
    durable: () => (client.durable ? { label: w.durable, value: w.yes } : null),
    heap_size: () => figure(w.heap, client.heap_size, (heap) => formatBytes(heap * WORD_BYTES, language)),
    mailbox_len: () => figure(w.mailbox, client.mailbox_len, count),
    reductions: () => figure(w.reductions, client.reductions, count),
  };
  return <Facts columnWidth={150} facts={fields.flatMap((field) => fact[field]() ?? [])} />;
}

/** A gauge where there is a limit, a number where there is none; 0 is how brokers write "no limit". */
function Meter({
  label,
  used,
  total,
}: {
  label: string;
  used: number;
  total: number | 'infinity' | undefined;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const format = (value: number) => formatNumber(value, language);
  if (typeof total === 'number' && total > 0)
    return <BarMeter label={label} used={used} total={total} format={format} />;
  return (
    <>
      {format(used)} <span className={styles.faint}>/ {w.unlimited}</span>
    </>
  );
}

function Named({ text }: { text: string }) {
  return (
    <span className={styles.named}>
      <bdi>{visibleText(text)}</bdi> <CopyButton text={text} />
    </span>
  );
}

function Moment({ at }: { at: string | number }) {
  return (
    <>
      <AbsoluteTime at={at} />
      <br />
      <span className={styles.faint}>
        <RelativeTime at={at} />
      </span>
    </>
  );
}

function Attributes({ of }: { of: Readonly<Record<string, unknown>> }): ReactNode {
  return (
    <ul className={styles.attributes}>
      {Object.entries(of).map(([name, value]) => (
        <li key={name}>
          {visibleText(name)} = {visibleText(textOf(value))}
        </li>
      ))}
    </ul>
  );
}

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
