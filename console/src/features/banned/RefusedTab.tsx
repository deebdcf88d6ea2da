import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { BANNED_WHO_MAX, type BannedAs, type RefusedConnection } from '@mqdeck/contract/banned';
import { useAvailable } from '../../api/features.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { searchText } from '../../search-text.ts';
import { columnsOf } from '../../table/columns.tsx';
import { textFilter } from '../../table/filters.ts';
import { QueryTable } from '../../table/QueryTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { IconBan } from '../../ui/icons.tsx';
import { shortText } from '../../ui/short-text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import styles from './banned.module.css';
import { refusedWords as words } from './refused-words.ts';
import { useLift } from './use-lift.ts';

/** So that somebody who watches a device fail sees it. */
const REFRESH_SECONDS = 5;

const column = columnsOf<RefusedConnection>(words);
const columns = [
  column.custom('clientid', ({ clientid }) => <ClientId clientid={clientid} />, { width: 180, grow: 2 }),
  column.custom('reason', (row) => <Reason row={row} />, { width: 190, grow: 1.5, lead: true }),
  column.text('why', { width: 220, grow: 3, sort: false }),
  column.text('username', { width: 120, sort: false }),
  column.id('ip_address', { width: 130, grow: 1, sort: false }),
  column.number('count', { width: 70, sort: false }),
  column.time('last_at', { width: 120, sort: false }),
  column.time('first_at', { width: 120, sort: false, hidden: true }),
  column.text('listener', { width: 120, sort: false, hidden: true }),
  column.text('proto_ver', { value: versionOf, width: 100, sort: false, hidden: true }),
];
const filters = [
  textFilter('like_clientid', words.likeClientid),
  textFilter('like_username', words.likeUsername),
  textFilter('like_ip_address', words.likeAddress, { example: '10.0.' }),
];

function versionOf({ proto_name, proto_ver }: RefusedConnection): string {
  if (proto_name !== undefined) return visibleText(`${proto_name} ${proto_ver}`.trim());
  const version = { 3: '3.1', 4: '3.1.1', 5: '5.0' }[Number(proto_ver)] ?? String(proto_ver);
  return `MQTT ${version}`;
}

function ClientId({ clientid }: { clientid: string }) {
  const w = useWords(words);
  if (clientid === '') return <span className={styles.faint}>{w.none}</span>;
  const shown = visibleText(clientid);
  return (
    <bdi className={styles.mono} title={shown}>
      {shown}
    </bdi>
  );
}

/** The reason code in words; a code that has none keeps the name of the specification. */
function Reason({ row: { reason_code, reason, ban } }: { row: RefusedConnection }) {
  const w = useWords(words);
  const key = `x${reason_code.toString(16)}` as keyof typeof words;
  const said = w[key];
  return (
    <span className={styles.reason}>
      {ban && <IconBan size={14} />}
      <span className={styles.clip}>{typeof said === 'string' ? said : visibleText(reason)}</span>
    </span>
  );
}

/** What makes two rows of it; also how a row is called for those who hear the table. */
function nameOf(row: RefusedConnection): string {
  const { clientid, username, ip_address, listener, reason, why } = row;
  return [clientid, username ?? '', ip_address, listener, versionOf(row), reason, why ?? ''].join(' · ');
}

export function RefusedTab() {
  const w = useWords(words);
  const lift = useLift();
  const { set } = useUrlState();
  const ban = (as: BannedAs, who: string) => set({ ban: as, who }, 'push');
  const available = useAvailable(api.refusedConnections.list);
  const clear = useAction(api.refusedConnections.clear, {
    refresh: [api.refusedConnections.list],
    success: w.cleared,
  });
  const actions = ({
    clientid,
    username,
    ip_address,
    listener,
    ban: entry,
  }: RefusedConnection): RowAction[] => [
    {
      label: w.openClient,
      run: () => navigate(paths.client(clientid)),
      disabledReason: clientid === '' ? w.noClientid : clientid.length > BANNED_WHO_MAX && w.cutOff,
    },
    {
      label: w.testAccess,
      run: () =>
        navigate(
          `${paths.accessTest()}${searchText({ clientid, username, peerhost: ip_address, listener })}`,
        ),
      disabledReason: clientid === '' ? w.noClientid : clientid.length > BANNED_WHO_MAX && w.cutOff,
    },
    ...(entry ? [{ label: w.lift({ who: shortText(entry.who) }), run: () => lift(entry) }] : []),
    {
      label: w.banClientid,
      run: () => ban('clientid', clientid),
      disabledReason: clientid === '' ? w.noClientid : clientid.length > BANNED_WHO_MAX && w.cutOff,
    },
    {
      label: w.banUsername,
      run: () => ban('username', username ?? ''),
      disabledReason: !username && w.noUsername,
    },
    { label: w.banAddress, run: () => ban('peerhost', ip_address) },
  ];
  return (
    <>
      <p className={styles.about}>{w.about}</p>
      <QueryTable<RefusedConnection>
        query={api.refusedConnections.list}
        columns={columns}
        rowId={nameOf}
        filters={filters}
        actions={actions}
        empty={w.empty}
        label={w.label}
        name="refused-connections"
        prefix="refused_"
        refreshSeconds={REFRESH_SECONDS}
        tools={
          available && (
            <Button size="xs" loading={clear.pending} onClick={() => void clear({})}>
              {w.clear}
            </Button>
          )
        }
      />
    </>
  );
}
