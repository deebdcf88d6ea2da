import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { PayloadDialog, type ShownMessage } from '../../payload/PayloadDialog.tsx';
import { fromBase64, isPayloadFormat } from '../../payload/payload-formats.ts';
import type { Fact } from '../../ui/Facts.tsx';
import { formatNumber } from '../../ui/format.ts';
import { AbsoluteTime } from '../../ui/RelativeTime.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { words } from './message-words.ts';
import { loadMessage, momentOf, type WaitingKind, type WaitingRow } from './use-waiting-messages.ts';
import { usernameOf } from './username.ts';

/** A queued or inflight message with its payload, as it stands now. */
export function WaitingMessageDialog({
  kind,
  clientid,
  place,
  listed,
  onClose,
}: {
  kind: WaitingKind;
  clientid: string;
  place: string;
  /** As the list shows it; a pasted link learns all with the message. */
  listed: WaitingRow | undefined;
  onClose: () => void;
}) {
  const { values, set } = useUrlState();
  const { data, error, refetch } = useQuery<WaitingRow, ApiError>({
    queryKey: ['waiting message', kind, clientid, place],
    queryFn: ({ signal }) => loadMessage(kind, clientid, place, signal),
    gcTime: 0, // the next look asks whether it is still there
  });
  const facts = useFacts(kind, data);
  const [first, keep] = useState(listed); // the list may lose it while it is being looked at
  if (first === undefined && listed !== undefined) keep(listed);
  const known = useFacts(kind, first);
  const message = useMemo((): ShownMessage | undefined => {
    if (!data) return undefined;
    const parsed = fromBase64(data.payload ?? '');
    return { bytes: 'bytes' in parsed ? parsed.bytes : null, facts };
  }, [data, facts]);
  return (
    <PayloadDialog
      topic={data?.topic ?? first?.topic ?? ''}
      query={{ data: message, error, refetch, known }}
      format={isPayloadFormat(values.format) ? values.format : undefined}
      onFormat={(format) => set({ format }, 'replace')}
      onClose={onClose}
    />
  );
}

/** What the broker tells of the message; what it does not say is left out. */
function useFacts(kind: WaitingKind, row: WaitingRow | undefined): readonly Fact[] {
  const w = useWords(words);
  const language = useLanguage();
  return useMemo(() => {
    if (!row) return [];
    const { retain, mqueue_priority: priority, packet_id, awaits, expires_at, sent_at } = row;
    const when = (said: boolean, fact: Fact): Fact[] => (said ? [fact] : []);
    return [
      { label: w.qos, value: row.qos },
      ...when(retain !== undefined, { label: w.retain, value: retain ? w.yes : w.no }),
      ...when(priority !== undefined, {
        label: w.mqueue_priority,
        value:
          priority === 'infinity'
            ? w.highest
            : typeof priority === 'number'
              ? formatNumber(priority, language)
              : null,
      }),
      ...when(packet_id !== undefined, { label: w.packet_id, value: packet_id }),
      ...when(awaits !== undefined, { label: w.awaits, value: awaits }),
      { label: w.from_clientid, value: visibleText(row.from_clientid ?? '') },
      { label: w.from_username, value: visibleText(usernameOf(row)) },
      { label: w.publish_at, value: <AbsoluteTime at={row.publish_at} /> },
      ...(kind === 'queue'
        ? [{ label: w.queued_at, value: <AbsoluteTime at={momentOf(row.inserted_at)} /> }]
        : [{ label: w.sent_at, value: <AbsoluteTime at={sent_at ?? momentOf(row.inserted_at)} /> }]),
      // Who does not tell the size tells of no expiry either.
      ...when(row.payload_bytes !== undefined, {
        label: w.expires_at,
        value: expires_at === undefined ? w.never : <AbsoluteTime at={expires_at} />,
      }),
      { label: w.msgid, value: row.msgid },
    ];
  }, [kind, row, w, language]);
}
