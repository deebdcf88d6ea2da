import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { type Authenticator, type AuthenticatorStatus, WITH_USERS } from '@mqdeck/contract/authentication';
import { useMemo } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { getLanguage } from '../../i18n/language.ts';
import { useLanguage, useWords, wordsIn } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { OrderedTable } from '../../table/reorder/OrderedTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { formatRate, NOTHING } from '../../ui/format.ts';
import { IconInfo, IconPlus, IconWarn } from '../../ui/icons.tsx';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './authentication.module.css';
import { useChain } from './chain.ts';
import { Kind } from './Kind.tsx';
import { kindOf, nameOf } from './kinds.ts';
import { listenerWords } from './listener-words.ts';
import { useDeeds } from './use-deeds.ts';
import { nodesOf, stateFor, useStatuses } from './use-statuses.ts';
import { words } from './words.ts';

/** An authenticator with what it has decided so far; its status comes later than the list. */
interface Row extends Record<string, unknown> {
  authenticator: Authenticator;
  status: AuthenticatorStatus | undefined;
}

const NO_IDS: readonly string[] = [];
/** What somebody else changed in the chain is seen after this time. */
const POLL_MS = 15_000;

const column = columnsOf<Row>(words);
const figure = (name: 'success' | 'failed' | 'nomatch') =>
  column.number(name, { value: ({ status }) => status?.metrics[name], sort: false, width: 84 });
const columns = [
  column.custom('name', ({ authenticator }) => <Kind of={authenticator} linked />, {
    value: ({ authenticator }) => authenticator.id,
    width: 230,
    grow: 3,
  }),
  column.custom('status', (row) => <Status row={row} />, {
    value: ({ status }) => status?.status,
    lead: true,
    width: 140,
    grow: 1.4,
  }),
  figure('success'),
  figure('failed'),
  figure('nomatch'),
  column.custom('rate', ({ status }) => <RateCell rate={status?.metrics.rate} />, {
    value: ({ status }) => status?.metrics.rate,
    align: 'end',
    width: 80,
    grow: 0.6,
  }),
  column.custom('enable', ({ authenticator }) => <Enable authenticator={authenticator} />, {
    value: ({ authenticator }) => authenticator.enable,
    brief: true,
    width: 90,
    grow: 0.6,
  }),
];

const rowId = ({ authenticator }: Row) => authenticator.id;
const rowName = ({ authenticator }: Row) => nameOf(authenticator, wordsIn(words, getLanguage()));

export function AuthenticationPage() {
  const w = useWords(words);
  const lw = useWords(listenerWords);
  const chain = useChain();
  const { listener } = chain;
  const { data, error, refetch } = useEndpoint(chain.endpoints.list, {}, { quiet: true, poll: POLL_MS });
  const ids = useMemo(() => data?.map(({ id }) => id) ?? NO_IDS, [data]);
  const statuses = useStatuses(ids);
  const rows = useMemo(
    () => data?.map((authenticator): Row => ({ authenticator, status: statuses[authenticator.id] })),
    [data, statuses],
  );
  const { move, remove } = useDeeds();
  const actions = ({ authenticator }: Row): RowAction[] => {
    const { id } = authenticator;
    return [
      ...(WITH_USERS.includes(id) ? [{ label: w.users, run: () => navigate(chain.one(id, 'users')) }] : []),
      {
        label: w.settings,
        run: () => navigate(chain.one(id, 'settings')),
        disabledReason: kindOf(id) === undefined && w.unknownKind({ id }),
      },
      { label: w.remove, danger: true, run: () => remove(authenticator) },
    ];
  };
  const add = (
    <Button variant="filled" leftSection={<IconPlus size={15} />} onClick={() => navigate(chain.create())}>
      {w.add}
    </Button>
  );
  const isOpen = data !== undefined && data.length > 0 && !data.some(({ enable }) => enable);
  const isMissing = listener !== undefined && error?.code === 'BAD_LISTENER_ID' && !data;
  const title = listener === undefined ? w.title : lw.title({ listener: visibleText(listener) });
  return (
    <Page
      title={title}
      purpose={listener === undefined ? w.chain : lw.purpose}
      facts={data ? w.found({ count: data.length }) : undefined}
      actions={
        <>
          {listener !== undefined && !isMissing && (
            <>
              <Link to={paths.listener(listener)}>{lw.listenerSettings}</Link>
              <Link to={paths.authentication()}>{lw.global}</Link>
            </>
          )}
          {!error?.absent && !isMissing && add}
        </>
      }
    >
      {listener !== undefined && <ChecksNobody listener={listener} />}
      {isOpen && <NobodyEnabled />}
      {error?.absent && !data ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : isMissing ? (
        <Panel>
          <EmptyState
            title={lw.missing({ listener: visibleText(listener) })}
            text={lw.missingText}
            action={<Link to={paths.listeners()}>{lw.listeners}</Link>}
          />
        </Panel>
      ) : (
        <OrderedTable
          rows={rows}
          columns={columns}
          rowId={rowId}
          rowName={rowName}
          move={move}
          actions={actions}
          label={title}
          error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
          empty={
            <EmptyState
              icon={
                listener === undefined ? (
                  <IconWarn size={28} className={styles.warnSign} />
                ) : (
                  <IconInfo size={28} />
                )
              }
              title={listener === undefined ? w.emptyTitle : lw.emptyTitle}
              text={listener === undefined ? w.emptyText : lw.emptyText}
              action={<Link to={chain.create()}>{w.add}</Link>}
            />
          }
        />
      )}
    </Page>
  );
}

/** A listener may have authentication switched off as a whole. */
function ChecksNobody({ listener }: { listener: string }) {
  const lw = useWords(listenerWords);
  const { data } = useEndpoint(
    api.listeners.get,
    { params: { id: listener } },
    { quiet: true, progress: false },
  );
  if (data?.enable_authn !== false) return null;
  return (
    <Notice is="warn" role="alert">
      <strong>{lw.offTitle}</strong> {lw.off} <Link to={paths.listener(listener)}>{lw.listenerSettings}</Link>
    </Notice>
  );
}

/** What becomes of clients where every authenticator is switched off. */
function NobodyEnabled() {
  const w = useWords(words);
  const lw = useWords(listenerWords);
  const isGlobal = useChain().listener === undefined;
  return isGlobal ? (
    <Notice is="warn" role="alert">
      <strong>{w.openTitle}</strong> {w.openText}
    </Notice>
  ) : (
    <Notice role="status">
      <strong>{lw.usesGlobalTitle}</strong> {lw.usesGlobal}
    </Notice>
  );
}

function Status({ row: { authenticator, status } }: { row: Row }) {
  const w = useWords(words);
  const is = stateFor(authenticator, status);
  if (is === undefined) return <span className={styles.faint}>{NOTHING}</span>;
  const nodes = status && authenticator.enable ? nodesOf(status) : [];
  return <NodeStates is={is} nodes={nodes} name={nameOf(authenticator, w)} />;
}

function RateCell({ rate }: { rate: number | undefined }) {
  const w = useWords(words);
  const language = useLanguage();
  return rate === undefined ? NOTHING : w.perSecond({ rate: formatRate(rate, language) });
}

function Enable({ authenticator }: { authenticator: Authenticator }) {
  const w = useWords(words);
  const { turn } = useDeeds();
  return (
    <EnableSwitch
      on={authenticator.enable}
      label={w.enableOf({ name: nameOf(authenticator, w) })}
      onChange={(on) => turn(authenticator, on)}
    />
  );
}
