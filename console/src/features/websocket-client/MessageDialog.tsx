import { useLanguage, useWords } from '../../i18n/words.ts';
import { PayloadDialog } from '../../payload/PayloadDialog.tsx';
import { copyPayload, suggestFormat, toHex } from '../../payload/payload-formats.ts';
import type { Fact } from '../../ui/Facts.tsx';
import { formatDuration, formatTime } from '../../ui/format.ts';
import { shortText } from '../../ui/short-text.ts';
import { DeliveryMark } from './DeliveryMark.tsx';
import type { LoggedMessage } from './message-log.ts';
import { words } from './words.ts';

/** A message with all it came with. */
export function MessageDialog({ message, onClose }: { message: LoggedMessage; onClose: () => void }) {
  const w = useWords(words);
  const language = useLanguage();
  const { topic, payload, qos, retain, dup, at, properties: p, delivery } = message;
  const facts: Fact[] = [
    { label: w.time, value: formatTime(at, language) },
    { label: w.qos, value: String(qos) },
    { label: w.retain, value: retain ? w.yes : w.no },
  ];
  if (dup) facts.push({ label: w.duplicate, value: w.yes });
  if (delivery) facts.push({ label: w.delivery, value: <DeliveryMark message={message} whole /> });
  if (p.payloadFormatIndicator === 1) facts.push({ label: w.payloadFormatIndicator, value: w.yes });
  if (p.messageExpiryInterval !== undefined)
    facts.push({
      label: w.messageExpiryInterval,
      value: formatDuration(p.messageExpiryInterval * 1000, language),
    });
  if (p.topicAlias !== undefined) facts.push({ label: w.topicAlias, value: String(p.topicAlias) });
  if (p.contentType !== undefined) facts.push({ label: w.contentType, value: shortText(p.contentType) });
  if (p.responseTopic !== undefined)
    facts.push({ label: w.responseTopic, value: <code>{shortText(p.responseTopic)}</code> });
  if (p.correlationData !== undefined)
    facts.push({ label: w.correlationData, value: <code>{shortText(bytesText(p.correlationData))}</code> });
  if (p.subscriptionIdentifier !== undefined)
    facts.push({ label: w.subscriptionIdentifiers, value: p.subscriptionIdentifier.join(', ') });
  return (
    <PayloadDialog
      topic={topic}
      onClose={onClose}
      query={{
        data: { bytes: payload, facts, properties: p.userProperty, contentType: p.contentType },
      }}
    />
  );
}

/** Text where the bytes are text, else hex. */
function bytesText(bytes: Uint8Array): string {
  return suggestFormat(bytes) === 'hex' ? toHex(bytes) : copyPayload(bytes, 'plaintext');
}
