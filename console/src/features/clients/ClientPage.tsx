import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Client } from '@mqdeck/contract/clients';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAvailable } from '../../api/features.ts';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { gatewayTitle } from '../../gateway-names.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { idOf, paths } from '../../paths.ts';
import { searchText } from '../../search-text.ts';
import { usePolling } from '../../table/use-polling.tsx';
import { Copyable } from '../../ui/Copyable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconBan, IconConnections, IconInfo, IconKick, IconWarn } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { SkeletonFacts } from '../../ui/Skeleton.tsx';
import { State } from '../../ui/State.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlTab } from '../../url-state.ts';
import { hasPath } from './address.ts';
import { ClientFacts } from './ClientFacts.tsx';
import { ClientMessages } from './ClientMessages.tsx';
import { ClientSubscriptions } from './ClientSubscriptions.tsx';
import { ClientTimeline } from './ClientTimeline.tsx';
import { ClientTraffic } from './ClientTraffic.tsx';
import styles from './client-page.module.css';
import { fieldSetOf } from './field-sets.ts';
import { LimitNote } from './LimitNote.tsx';
import { words as messageWords } from './message-words.ts';
import { ToGateway } from './NotHere.tsx';
import { addressText, protocolText } from './protocol.ts';
import { TakeoverNote } from './TakeoverNote.tsx';
import { words as timelineWords } from './timeline-words.ts';
import { POLL_MS, useClient, useReadings } from './use-client.ts';
import { useKickOut } from './use-kick-out.ts';
import { words } from './words.ts';

export function ClientPage() {
  const { clientid: segment = '' } = useParams({ strict: false }) as { clientid?: string };
  const clientid = idOf(segment);
  // Everything kept about a client (rates, what was last seen) begins anew with another one.
  return <OneClient key={clientid} clientid={clientid} />;
}

function OneClient({ clientid }: { clientid: string }) {
  const w = useWords(words);
  const { poll, control } = usePolling(POLL_MS / 1000);
  const view = useClient(clientid, poll);
  const { client, gone, error, loading, fetching, updatedAt, reload } = view;
  const readings = useReadings(client, updatedAt);
  const { kickOut, pending } = useKickOut();
  const available = useAvailable(api.clientEvents.list);
  const back = (
    <Link to={paths.clients()} className={styles.back}>
      {w.back}
    </Link>
  );

  if (!client) {
    return (
      <Page title={visibleText(clientid)} heading={<Copyable text={clientid} />}>
        {gone ? (
          <>
            <Missing clientid={clientid} back={back} />
            {available && <ClientTimeline clientid={clientid} poll={poll} />}
          </>
        ) : loading ? (
          <Panel title={w.connection}>
            <SkeletonFacts count={12} />
          </Panel>
        ) : error?.absent ? (
          <EmptyState title={w.unavailable} action={back} />
        ) : (
          <ErrorState title={w.failed} text={error ? sentenceInPlace(error) : undefined} retry={reload} />
        )}
      </Page>
    );
  }

  const connected = client.connected && !gone;
  return (
    <Page
      title={visibleText(clientid)}
      heading={<Copyable text={clientid} />}
      facts={<KeyFacts client={client} connected={connected} />}
      actions={
        <>
          {control({ dataUpdatedAt: updatedAt, isFetching: fetching, refetch: reload })}
          <Link
            to={`${paths.accessTest()}${searchText({ clientid, ...(connected && { connected }) })}`}
            className={styles.back}
          >
            {w.testAccess}
          </Link>
          <Link to={paths.delivery({ subscriber: clientid })} className={styles.back}>
            {w.whyNot}
          </Link>
          <Link to={paths.logTraceCreate('clientid', clientid)} className={styles.back}>
            {w.trace}
          </Link>
          <Button
            leftSection={<IconBan size={15} />}
            onClick={() => navigate(paths.ban('clientid', clientid))}
          >
            {w.ban}
          </Button>
          <Button
            color="red"
            leftSection={<IconKick size={15} />}
            loading={pending}
            disabled={gone}
            {...(gone ? { title: w.notExist } : {})}
            onClick={() => void kickOut(client)}
          >
            {client.connected ? w.kickOut : w.clean}
          </Button>
        </>
      }
    >
      {gone && (
        <p className={styles.notice} role="status">
          <IconInfo size={16} />
          <span>{w.gone}</span>
          {back}
        </p>
      )}
      {error && (
        <p className={styles.notice} data-bad="true" role="alert">
          <IconWarn size={16} />
          <span>
            {w.older}: {sentenceInPlace(error)}
          </span>
        </p>
      )}
      {available && <TakeoverNote clientid={clientid} poll={poll} />}
      {connected && <LimitNote clientid={clientid} poll={poll} />}
      <ClientFacts client={client} gone={gone} />
      <ClientTraffic client={client} readings={readings} />
      <Parts client={client} gone={gone} poll={poll} />
    </Page>
  );
}

/** Nobody of MQTT; the device of a gateway may be there under this name. */
function Missing({ clientid, back }: { clientid: string; back: ReactNode }) {
  const w = useWords(words);
  const t = useWords(timelineWords);
  const { data } = useEndpoint(
    api.clientEvents.list,
    { params: { clientid } },
    { quiet: true, enabled: hasPath(clientid) },
  );
  const gateway = data?.meta.gateway;
  return (
    <EmptyState
      icon={<IconConnections size={28} />}
      title={gateway === undefined ? w.notExist : t.ofGateway({ gateway: gatewayTitle(gateway) })}
      text={gateway === undefined ? w.missing : t.ofGatewayText}
      action={gateway === undefined ? back : <ToGateway clientid={clientid} gateway={gateway} />}
    />
  );
}

const PARTS = ['subscriptions', 'queue', 'inflight', 'timeline'] as const;

/** What the client has: subscriptions and, of MQTT clients, messages. */
function Parts({ client, gone, poll }: { client: Client; gone: boolean; poll: number | undefined }) {
  const w = useWords(messageWords);
  const t = useWords(timelineWords);
  const language = useLanguage();
  const [part, open] = useUrlTab(PARTS);
  const available = useAvailable(api.clientEvents.list);
  if (!fieldSetOf(client).messages) return <ClientSubscriptions client={client} gone={gone} poll={poll} />;
  const count = (of: number) => (gone ? undefined : formatNumber(of, language));
  return (
    <Tabs
      label={w.parts}
      value={part}
      onChange={open}
      tabs={[
        { value: 'subscriptions', label: w.subscriptions, count: count(client.subscriptions_cnt) },
        { value: 'queue', label: w.queue, count: count(client.mqueue_len) },
        { value: 'inflight', label: w.inflight, count: count(client.inflight_cnt) },
        ...(available ? [{ value: 'timeline' as const, label: t.timeline }] : []),
      ]}
    >
      {part === 'timeline' ? (
        <ClientTimeline clientid={client.clientid} poll={poll} />
      ) : part === 'subscriptions' ? (
        <ClientSubscriptions client={client} gone={gone} poll={poll} />
      ) : (
        <ClientMessages key={part} kind={part} client={client} gone={gone} />
      )}
    </Tabs>
  );
}

/** Who and since when, in a line beside the name. */
function KeyFacts({ client, connected }: { client: Client; connected: boolean }) {
  const { username, connected_at, disconnected_at } = client;
  const since = connected ? connected_at : disconnected_at;
  const facts = [username && visibleText(username), protocolText(client), addressText(client)];
  return (
    <span className={styles.keyFacts}>
      <State is={connected ? 'connected' : 'disconnected'} />
      {facts.map((fact) => fact && <span key={fact}>{fact}</span>)}
      {since && <RelativeTime at={since} />}
    </span>
  );
}
