import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Clearing, RetainedMessage } from '@mqdeck/contract/retainer';
import { filterMatches, isValidFilter } from '@mqdeck/mqtt/topics';
import { useCallback, useState } from 'react';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { searchText } from '../../search-text.ts';
import type { BulkAction } from '../../table/BulkBar.tsx';
import { columnsOf } from '../../table/columns.tsx';
import { textFilter } from '../../table/filters.ts';
import { QueryTable } from '../../table/QueryTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { IconWarn } from '../../ui/icons.tsx';
import { Page } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { ClearAll } from './ClearAll.tsx';
import { ClearingNotice } from './ClearingNotice.tsx';
import { RemoveBranch } from './RemoveBranch.tsx';
import { RetainedMessageDialog } from './RetainedMessageDialog.tsx';
import styles from './retainer.module.css';
import { branchOf, hasPath, topicOf } from './topics.ts';
import { useClear } from './use-clear.ts';
import { removeMessage, useRemove } from './use-remove.ts';
import { words } from './words.ts';

const column = columnsOf<RetainedMessage>(words);
const columns = [
  column.custom('topic', ({ topic }) => <TopicLink topic={topic} />, { width: 260, grow: 4 }),
  column.number('qos', { width: 64, grow: 0.3 }),
  column.id('from_clientid', { width: 180, grow: 2 }),
  column.text('from_username', { value: usernameOf, width: 140, hidden: true }),
  column.time('publish_at', { width: 140 }),
  column.id('msgid', { width: 280, hidden: true }),
];
const filters = [textFilter('topic', words.filter, { example: 'sensor/+/#' })];

/** Real brokers write this text for a client without a username. */
function usernameOf({ from_username }: RetainedMessage): string {
  return from_username === 'undefined' ? '' : from_username;
}

export function RetainedMessagesPage() {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const [count, setCount] = useState<number>();
  const open = topicOf(values.message);
  const remove = useRemove();
  const [clearing, setClearing] = useState<Clearing>();
  const clear = useClear(setClearing);
  const [branch, setBranch] = useState<string>();

  const copy = async (text: string) => {
    const done = await copyText(text);
    toast(done ? 'good' : 'bad', done ? w.copied : w.copyFailed);
  };
  const actions = ({ topic }: RetainedMessage): RowAction[] => [
    {
      label: w.show,
      run: () => set({ message: topic }, 'push'),
      disabledReason: !hasPath(topic) && w.notByPath,
    },
    { label: w.copyTopic, run: () => copy(topic) },
    { label: w.remove, danger: true, run: () => remove(topic) },
    { label: w.removeBranchOf, danger: true, run: () => setBranch(branchOf(topic)) },
  ];
  const bulk: BulkAction<RetainedMessage>[] = [
    {
      label: w.remove,
      danger: true,
      confirm: (count) => w.removeMany({ count }),
      each: ({ topic }) => removeMessage(topic),
      success: (count) => w.removedMany({ count }),
    },
  ];

  // A broker that does not know the filter answers as if there were none.
  const filter = typeof values.topic === 'string' ? values.topic : '';
  const invalid = filter !== '' && !isValidFilter(filter);
  const [ignored, setIgnored] = useState<string>();
  const onRows = useCallback(
    (rows: readonly RetainedMessage[]) =>
      setIgnored(
        rows.some(({ topic }) => filter !== '' && !filterMatches(filter, topic)) ? filter : undefined,
      ),
    [filter],
  );

  return (
    <Page
      title={w.title}
      facts={count === undefined ? undefined : w.found({ count })}
      actions={
        <>
          <Link to={paths.mqtt('retainer')} className={styles.settings}>
            {w.settings}
          </Link>
          <Button onClick={() => setBranch(filter !== '' && !invalid ? filter : '')}>
            {w.removeBranch}…
          </Button>
          <ClearAll clear={() => clear(null)} />
        </>
      }
    >
      <OffNotice />
      <ClearingNotice begun={clearing} />
      {filter !== '' && ignored === filter && (
        <p className={styles.notice} role="status">
          <IconWarn size={16} />
          {w.filterIgnored}
        </p>
      )}
      <QueryTable<RetainedMessage>
        query={api.retainer.messages}
        columns={columns}
        rowId={({ topic }) => topic}
        filters={filters}
        actions={actions}
        bulk={bulk}
        onCount={setCount}
        onRows={onRows}
        empty={<Empty />}
        noMatch={
          invalid && (
            <div role="status">
              <EmptyState icon={<IconWarn size={28} />} title={w.filterInvalid} />
            </div>
          )
        }
        label={w.title}
        name="retained"
      />
      {branch !== undefined && (
        <RemoveBranch filter={branch} remove={clear} onClose={() => setBranch(undefined)} />
      )}
      {open !== undefined && (
        <RetainedMessageDialog
          key={open}
          topic={open}
          onClose={() => set({ message: undefined, format: undefined }, 'replace')}
        />
      )}
    </Page>
  );
}

/** Opens the message; a real link, so that it can be sent to somebody. */
function TopicLink({ topic }: { topic: string }) {
  const { values } = useUrlState();
  const shown = visibleText(topic);
  if (!hasPath(topic)) return <span className={styles.topic}>{shown}</span>;
  return (
    <Link
      to={`${paths.retained()}${searchText({ ...values, message: topic, format: undefined })}`}
      className={styles.topic}
      title={shown}
    >
      <bdi>{shown}</bdi>
    </Link>
  );
}

function OffNotice() {
  const w = useWords(words);
  const { data } = useEndpoint(api.retainer.get, {}, { quiet: true, progress: false });
  if (data?.enable !== false) return null;
  return (
    <p className={styles.notice} role="status">
      <IconWarn size={16} />
      <span>{w.off}</span>
      <Link to={paths.mqtt('retainer')}>{w.toSettings}</Link>
    </p>
  );
}

function Empty() {
  const w = useWords(words);
  return (
    <>
      {w.empty}
      <code className={styles.example}>mosquitto_pub -r -t room/1 -m 21.5</code>
    </>
  );
}
