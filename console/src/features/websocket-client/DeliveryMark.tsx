import { useWords } from '../../i18n/words.ts';
import { Mark } from '../../ui/State.tsx';
import { reasonText } from './fault-text.ts';
import type { LoggedMessage } from './message-log.ts';
import { words } from './words.ts';

/** How a message of ours fared; `whole` says why beside it. */
export function DeliveryMark({
  message: { delivery, qos },
  whole,
}: {
  message: LoggedMessage;
  whole?: boolean;
}) {
  const w = useWords(words);
  switch (delivery?.is) {
    case undefined:
      return null;
    case 'waiting':
      return <Mark tone="busy">{w.waiting}</Mark>;
    case 'failed':
      return (
        <span title={delivery.text}>
          <Mark tone="bad">{whole ? delivery.text : w.failed}</Mark>
        </span>
      );
    case 'acknowledged': {
      const { reasonCode } = delivery;
      const plain = reasonCode === 0 ? (qos === 0 ? w.delivered : w.acknowledged) : undefined;
      const text = plain ?? reasonText(reasonCode);
      const tone = reasonCode >= 0x80 ? 'bad' : reasonCode > 0 ? 'warn' : 'good';
      return (
        <span title={text}>
          <Mark tone={tone}>{plain ?? (whole ? text : `0x${reasonCode.toString(16)}`)}</Mark>
        </span>
      );
    }
  }
}
