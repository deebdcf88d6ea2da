import { api } from '@mqdeck/contract/api';
import { type Banned, FOREVER } from '@mqdeck/contract/banned';
import { useCallback, useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import type { BulkAction } from '../../table/BulkBar.tsx';
import { columnsOf } from '../../table/columns.tsx';
import { textFilter } from '../../table/filters.ts';
import { QueryTable } from '../../table/QueryTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { IconWarn } from '../../ui/icons.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { hasPath, isKind, isOver } from './ban.ts';
import styles from './banned.module.css';
import { liftBan, useLift } from './use-lift.ts';
import { words } from './words.ts';

const column = columnsOf<Banned>(words);
const columns = [
  column.id('who', { width: 220, grow: 3 }),
  column.custom('as', ({ as }) => <Kind as={as} />, { sort: 'as', width: 150, lead: true }),
  column.text('reason', { width: 200, grow: 3 }),
  column.text('by', { width: 120 }),
  column.time('at', { width: 120 }),
  column.custom('until', (ban) => <Until ban={ban} />, { sort: 'until', width: 120, brief: true }),
];

/** The query's keys; each looks at entries of its kind alone. */
const filters = [
  textFilter('like_clientid', words.likeClientid),
  textFilter('like_username', words.likeUsername),
  textFilter('like_peerhost', words.likePeerhost, { example: '10.0.' }),
  textFilter('like_peerhost_net', words.likeNetwork, { pinned: false, example: '10.0.' }),
  textFilter('clientid', words.isClientid, { pinned: false }),
  textFilter('username', words.isUsername, { pinned: false }),
  textFilter('peerhost', words.isPeerhost, { pinned: false, example: '10.0.0.7' }),
];

function Kind({ as }: { as: string }) {
  const w = useWords(words);
  return <span className={styles.clip}>{isKind(as) ? w[as] : visibleText(as)}</span>;
}

function Until({ ban }: { ban: Banned }) {
  const w = useWords(words);
  if (ban.until === FOREVER) return <span className={styles.faint}>{w.never}</span>;
  // Some brokers keep an entry for a while after its time.
  if (isOver(ban)) return <span className={styles.faint}>{w.expired}</span>;
  return (
    <span className={styles.clip}>
      <RelativeTime at={ban.until} />
    </span>
  );
}

/** Whether a row could be the answer to the filters: brokers that know none answer with all of them. */
function fits({ as, who }: Banned, values: Readonly<Record<string, unknown>>): boolean {
  return filters.every(({ field }) => {
    const value = values[field];
    if (typeof value !== 'string' || value === '') return true;
    const kind = field.replace('like_', '');
    if (!as.startsWith(kind)) return false;
    return !field.startsWith('like_') || who.includes(value);
  });
}

const nameOf = ({ as, who }: Banned): string => `${as}/${who}`;

export function BannedTab() {
  const w = useWords(words);
  const { values } = useUrlState();
  const lift = useLift();

  const copy = async (text: string) => {
    const done = await copyText(text);
    toast(done ? 'good' : 'bad', done ? w.copied : w.copyFailed);
  };
  const actions = (ban: Banned): RowAction[] => [
    { label: w.copy, run: () => copy(ban.who) },
    ...(ban.as === 'clientid' ? [{ label: w.openClient, run: () => navigate(paths.client(ban.who)) }] : []),
    { label: w.lift, run: () => lift(ban), disabledReason: !hasPath(ban) && w.notByPath },
  ];
  const bulk: BulkAction<Banned>[] = [
    {
      label: w.lift,
      confirm: (count) => w.liftMany({ count }),
      each: liftBan,
      success: (count) => w.liftedMany({ count }),
    },
  ];

  const [ignored, setIgnored] = useState(false);
  const onRows = useCallback(
    (rows: readonly Banned[]) => setIgnored(rows.some((row) => !fits(row, values))),
    [values],
  );
  return (
    <>
      {ignored && (
        <p className={styles.notice} role="status">
          <IconWarn size={16} />
          {w.filterIgnored}
        </p>
      )}
      <QueryTable<Banned>
        query={api.banned.list}
        columns={columns}
        rowId={nameOf}
        filters={filters}
        actions={actions}
        bulk={bulk}
        onRows={onRows}
        empty={w.empty}
        label={w.title}
        name="banned"
      />
    </>
  );
}
