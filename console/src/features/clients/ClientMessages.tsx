import { Button } from '@mantine/core';
import type { Client } from '@mqdeck/contract/clients';
import { useParams } from '@tanstack/react-router';
import { type UIEvent, useEffect, useMemo, useRef } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { idOf, paths } from '../../paths.ts';
import { searchText } from '../../search-text.ts';
import { standardChoice } from '../../table/column-choice.ts';
import type { Column } from '../../table/columns.tsx';
import { columnsOf } from '../../table/columns.tsx';
import { Grid, type Sorting } from '../../table/Grid.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { formatNumber, formatTime } from '../../ui/format.ts';
import { IconOff, IconRefresh } from '../../ui/icons.tsx';
import { Panel } from '../../ui/Page.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { hasPath, isGone } from './address.ts';
import styles from './client-page.module.css';
import { words } from './message-words.ts';
import {
  momentOf,
  placeOf,
  useWaitingMessages,
  type WaitingKind,
  type WaitingRow,
} from './use-waiting-messages.ts';
import { usernameOf } from './username.ts';
import { WaitingMessageDialog } from './WaitingMessageDialog.tsx';

const column = columnsOf<WaitingRow>(words);
const message = column.custom('topic', (row) => <TopicLink row={row} />, { width: 220, grow: 4 });
const qos = column.number('qos', { width: 56, grow: 0.3, brief: true });
const facts = [
  column.flag('retain', { width: 72 }),
  column.bytes('payload_bytes', { width: 90, brief: true }),
  column.id('from_clientid', { width: 150 }),
  column.text('from_username', { value: usernameOf, width: 120 }),
  column.time('publish_at', { width: 130, brief: true }),
];
const expiry = column.time('expires_at', { width: 120 });
const COLUMNS: Readonly<Record<WaitingKind, readonly Column<WaitingRow>[]>> = {
  queue: [
    message,
    qos,
    ...facts,
    column.time('queued_at', {
      value: ({ inserted_at }) => momentOf(inserted_at),
      fields: ['inserted_at'],
      width: 130,
    }),
    expiry,
    column.number('mqueue_priority', { width: 80 }),
  ],
  inflight: [
    message,
    qos,
    column.number('packet_id', { width: 90 }),
    column.text('awaits', { width: 100, brief: true }),
    ...facts,
    column.time('sent_at', {
      value: ({ sent_at, inserted_at }) => sent_at ?? momentOf(inserted_at),
      fields: ['inserted_at'],
      width: 130,
    }),
    expiry,
  ],
};

/** Others sort by what the broker sorts by: the order in which messages leave. */
const UNSORTED: Sorting = { order: 'asc', can: () => false, by: () => undefined };

/** So many pixels before the end the next page is asked for. */
const AHEAD_PX = 1000;

/** What waits for a client, or was sent to it and is not acknowledged. */
export function ClientMessages({ kind, client, gone }: { kind: WaitingKind; client: Client; gone: boolean }) {
  const w = useWords(words);
  const { clientid } = client;
  const nothing = gone
    ? w.gone
    : client.durable === true
      ? w.durable
      : hasPath(clientid)
        ? undefined
        : w.notByPath;
  if (nothing !== undefined)
    return (
      <Panel title={w[kind]}>
        <EmptyState icon={<IconOff size={28} />} title={nothing} />
      </Panel>
    );
  return <Messages kind={kind} client={client} />;
}

function Messages({ kind, client }: { kind: WaitingKind; client: Client }) {
  const w = useWords(words);
  const language = useLanguage();
  const { clientid } = client;
  const { values, set } = useUrlState();
  const waiting = useWaitingMessages(kind, clientid, true);
  const { rows, error, isFetching, isFetchingNextPage, isFetchNextPageError, hasNextPage, fetchNextPage } =
    waiting;
  const place = typeof values.message === 'string' ? values.message : undefined;
  const total = kind === 'queue' ? client.mqueue_len : client.inflight_cnt;

  const list = useRef<HTMLDivElement>(null);
  const there = rows !== undefined;
  useEffect(() => {
    if (there) list.current?.scrollIntoView({ block: 'nearest' });
  }, [there]);

  const columns = useMemo(() => COLUMNS[kind].filter((each) => tells(rows, each)), [kind, rows]);
  const more = () => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  };
  const onScroll = ({ target }: UIEvent) => {
    const { scrollHeight, scrollTop, clientHeight } = target as HTMLElement;
    if (scrollHeight - scrollTop - clientHeight < AHEAD_PX && !isFetchNextPageError) more();
  };

  return (
    <Panel
      title={w[kind]}
      actions={
        <>
          {waiting.dataUpdatedAt > 0 && (
            <span className={styles.faint}>
              {w.asOf({ time: formatTime(waiting.dataUpdatedAt, language) })}
            </span>
          )}
          <Button
            leftSection={<IconRefresh size={15} />}
            loading={there && isFetching && !isFetchingNextPage}
            onClick={waiting.refresh}
          >
            {w.refresh}
          </Button>
        </>
      }
    >
      {error && !rows ? (
        <Refused error={error} retry={waiting.refresh} />
      ) : (
        <div ref={list} className={styles.messages} onScrollCapture={onScroll}>
          <p className={styles.faint}>{kind === 'queue' ? w.queueOrder : w.inflightOrder}</p>
          <Grid
            label={(kind === 'queue' ? w.queueOf : w.inflightOf)({ clientid: visibleText(clientid) })}
            rows={rows ?? NO_ROWS}
            columns={columns}
            choice={standardChoice(columns)}
            rowId={placeOf}
            before={0}
            count={hasNextPage ? undefined : rows?.length}
            sorting={UNSORTED}
            onOpen={(row) => set({ message: placeOf(row) }, 'push')}
            loading={rows === undefined}
            busy={isFetching}
            nothing={
              <EmptyState
                title={kind === 'queue' ? w.queueEmpty : w.inflightEmpty}
                text={kind === 'queue' ? w.queueEmptyText : w.inflightEmptyText}
              />
            }
          />
          {rows !== undefined && rows.length > 0 && (
            <div className={styles.messagesEnd}>
              <span className={styles.faint} role="status">
                {isFetchingNextPage
                  ? w.loadingMore
                  : hasNextPage
                    ? w.shownOf({
                        count: formatNumber(rows.length, language),
                        total: formatNumber(Math.max(total, rows.length), language),
                      })
                    : w.shown({ count: rows.length })}
              </span>
              {isFetchNextPageError && error && (
                <span className={styles.failed} role="alert">
                  {w.moreFailed}: {sentenceInPlace(error)}
                </span>
              )}
              {hasNextPage && (
                <Button loading={isFetchingNextPage} onClick={more}>
                  {isFetchNextPageError ? w.retry : w.more}
                </Button>
              )}
            </div>
          )}
        </div>
      )}
      {place !== undefined && (
        <WaitingMessageDialog
          key={place}
          kind={kind}
          clientid={clientid}
          place={place}
          listed={rows?.find((row) => placeOf(row) === place)}
          onClose={() => set({ message: undefined, format: undefined }, 'replace')}
        />
      )}
    </Panel>
  );
}

const NO_ROWS: readonly WaitingRow[] = [];

/** Whether any row has something to say in a column: not every broker tells everything. */
function tells(rows: readonly WaitingRow[] | undefined, { fields }: Column<WaitingRow>): boolean {
  const said = (row: WaitingRow) =>
    fields.some((field) => {
      const value = (row as Record<string, unknown>)[field];
      return value !== undefined && value !== null && value !== '' && value !== 'undefined';
    });
  return rows === undefined || rows.length === 0 || rows.some(said);
}

/** Older brokers have no such list, and some sessions none. */
function Refused({ error, retry }: { error: ApiError; retry: () => void }) {
  const w = useWords(words);
  if (error.status === 501) return <EmptyState icon={<IconOff size={28} />} title={w.durable} />;
  if (error.code === 'CLIENTID_NOT_FOUND' || error.code === 'CLIENT_SHUTDOWN')
    return <EmptyState icon={<IconOff size={28} />} title={w.gone} />;
  if (error.absent || isGone(error)) return <NotAvailable />;
  return <ErrorState title={w.failed} text={sentenceInPlace(error)} retry={retry} />;
}

/** Opens the message; a real link, so that it can be sent to somebody. */
function TopicLink({ row }: { row: WaitingRow }) {
  const { values } = useUrlState();
  const shown = visibleText(row.topic ?? '');
  const { clientid = '' } = useParams({ strict: false }) as { clientid?: string };
  const here = paths.client(idOf(clientid));
  return (
    <Link
      to={`${here}${searchText({ ...values, message: placeOf(row), format: undefined })}`}
      className={styles.topic}
      title={shown}
    >
      <bdi>{shown}</bdi>
    </Link>
  );
}
