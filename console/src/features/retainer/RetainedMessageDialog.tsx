import { api } from '@mqdeck/contract/api';
import { useMemo } from 'react';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { PayloadDialog, type ShownMessage } from '../../payload/PayloadDialog.tsx';
import { fromBase64, isPayloadFormat } from '../../payload/payload-formats.ts';
import { AbsoluteTime } from '../../ui/RelativeTime.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { words } from './words.ts';

/** The retained message of a topic. Its format stands in the address too: who opens the link sees the same. */
export function RetainedMessageDialog({ topic, onClose }: { topic: string; onClose: () => void }) {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const { data, error, refetch } = useEndpoint(
    api.retainer.message,
    { params: { topic } },
    { quiet: true, keepPrevious: false },
  );
  const message = useMemo((): ShownMessage | undefined => {
    if (!data) return undefined;
    const { qos, publish_at, from_clientid, from_username, msgid, payload } = data;
    const parsed = fromBase64(payload);
    return {
      bytes: 'bytes' in parsed ? parsed.bytes : null,
      facts: [
        { label: w.qos, value: qos },
        { label: w.publish_at, value: <AbsoluteTime at={publish_at} /> },
        { label: w.from_clientid, value: visibleText(from_clientid) },
        // Real brokers write this text for a client without a username.
        { label: w.from_username, value: from_username === 'undefined' ? '' : visibleText(from_username) },
        { label: w.msgid, value: msgid },
      ],
    };
  }, [data, w]);
  return (
    <PayloadDialog
      topic={topic}
      query={{ data: message, error, refetch }}
      format={isPayloadFormat(values.format) ? values.format : undefined}
      onFormat={(format) => set({ format }, 'replace')}
      onClose={onClose}
    />
  );
}
