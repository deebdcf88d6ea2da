import { api } from '@mqdeck/contract/api';
import { DELAYED_PREFIX, type DelayedMessage } from '@mqdeck/contract/delayed';
import { useMemo } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { refresh } from '../../api/query-client.ts';
import { sentenceOf } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { PayloadDialog, type ShownMessage } from '../../payload/PayloadDialog.tsx';
import { fromBase64, isPayloadFormat } from '../../payload/payload-formats.ts';
import type { BulkAction } from '../../table/BulkBar.tsx';
import { columnsOf } from '../../table/columns.tsx';
import { QueryTable } from '../../table/QueryTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { confirm } from '../../ui/confirm.ts';
import { IconWarn } from '../../ui/icons.tsx';
import { AbsoluteTime } from '../../ui/RelativeTime.tsx';
import { shortText } from '../../ui/short-text.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import styles from './mqtt-extension.module.css';
import { words } from './words.ts';

const column = columnsOf<DelayedMessage>(words);
const columns = [
  column.id('topic', { width: 200, grow: 3, sort: false }),
  column.id('original_topic', { value: originalOf, width: 220, grow: 3, sort: false }),
  column.number('qos', { width: 64, grow: 0.3, sort: false }),
  column.id('from_clientid', { width: 160, grow: 2, sort: false }),
  column.text('from_username', { value: usernameOf, width: 130, hidden: true, sort: false }),
  column.duration('delayed_interval', { width: 100, sort: false }),
  column.duration('delayed_remaining', { width: 110, sort: false }),
  column.time('expected_at', { width: 130, sort: false }),
  column.time('publish_at', { width: 130, sort: false }),
  column.text('node', { width: 160, hidden: true, sort: false }),
];
/** The one due next comes first; a broker that knows no order says nothing of it. */
const SOONEST = { query: { order: 'asc' } };

/** As it was published. */
function originalOf({ delayed_interval, topic }: DelayedMessage): string {
  return `${DELAYED_PREFIX}${delayed_interval}/${topic}`;
}

/** Real brokers write this text for a client without a username. */
function usernameOf({ from_username }: DelayedMessage): string {
  return from_username === 'undefined' ? '' : from_username;
}

const removeOne = ({ node, msgid }: DelayedMessage): Promise<boolean> =>
  request(api.delayed.remove, { params: { node, msgid } }, { quiet: true }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.code === 'MESSAGE_ID_NOT_FOUND') return false;
      throw error;
    },
  );

export function DelayedMessagesTab() {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const settings = useEndpoint(api.delayed.get, {}, { quiet: true, progress: false });
  const open = openOf(values.message);

  const remove = async (row: DelayedMessage) => {
    const topic = { topic: shortText(row.topic) };
    if (
      !(await confirm({
        title: w.removeDelayedAsk(topic),
        text: w.removeDelayedText,
        action: w.remove,
        danger: true,
      }))
    )
      return;
    try {
      const done = await removeOne(row);
      toast(done ? 'good' : 'info', done ? w.delayedRemoved : w.delayedGone);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      toast('bad', sentenceOf(error));
    } finally {
      await refresh([api.delayed.messages]);
    }
  };
  const actions = (row: DelayedMessage): RowAction[] => [
    { label: w.show, run: () => set({ message: `${row.node}/${row.msgid}` }, 'push') },
    { label: w.remove, danger: true, run: () => remove(row) },
  ];
  const bulk: BulkAction<DelayedMessage>[] = [
    {
      label: w.remove,
      danger: true,
      confirm: (count) => w.removeManyDelayed({ count }),
      each: removeOne,
      success: (count) => w.removedManyDelayed({ count }),
    },
  ];
  return (
    <>
      {settings.data?.enable === false && (
        <p className={styles.notice} role="status">
          <IconWarn size={16} />
          <span>{w.delayedIsOff}</span>
          <Link to={`${paths.mqtt('extension')}?tab=delayed`}>{w.toDelayedSettings}</Link>
        </p>
      )}
      <QueryTable<DelayedMessage>
        query={api.delayed.messages}
        given={SOONEST}
        columns={columns}
        rowId={({ node, msgid }) => `${node}/${msgid}`}
        actions={actions}
        bulk={bulk}
        empty={w.noDelayed}
        label={w.delayedMessages}
        name="delayed"
      />
      {open && (
        <DelayedDialog
          key={open.msgid}
          {...open}
          onClose={() => set({ message: undefined, format: undefined }, 'replace')}
        />
      )}
    </>
  );
}

/** `{node}/{message id}` of the address. */
function openOf(value: unknown): { node: string; msgid: string } | undefined {
  const slash = typeof value === 'string' ? value.lastIndexOf('/') : -1;
  if (typeof value !== 'string' || slash <= 0) return undefined;
  return { node: value.slice(0, slash), msgid: value.slice(slash + 1) };
}

function DelayedDialog({ node, msgid, onClose }: { node: string; msgid: string; onClose: () => void }) {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const { data, error, refetch } = useEndpoint(
    api.delayed.message,
    { params: { node, msgid } },
    { quiet: true, keepPrevious: false },
  );
  const message = useMemo((): ShownMessage | undefined => {
    if (!data) return undefined;
    const parsed = fromBase64(data.payload);
    return {
      bytes: 'bytes' in parsed ? parsed.bytes : null,
      facts: [
        { label: w.qos, value: data.qos },
        { label: w.publish_at, value: <AbsoluteTime at={data.publish_at} /> },
        { label: w.expected_at, value: <AbsoluteTime at={data.expected_at} /> },
        { label: w.from_clientid, value: visibleText(data.from_clientid) },
        { label: w.from_username, value: visibleText(usernameOf(data)) },
        { label: w.msgid, value: data.msgid },
      ],
    };
  }, [data, w]);
  return (
    <PayloadDialog
      topic={data?.topic ?? ''}
      query={{ data: message, error, refetch }}
      format={isPayloadFormat(values.format) ? values.format : undefined}
      onFormat={(format) => set({ format }, 'replace')}
      onClose={onClose}
    />
  );
}
