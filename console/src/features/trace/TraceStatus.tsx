import type { Trace } from '@mqdeck/contract/traces';
import { useWords } from '../../i18n/words.ts';
import { Mark, State } from '../../ui/State.tsx';
import { words } from './words.ts';

/** Whether it waits, runs or is over; and why, where that is not because its time was. */
export function TraceStatus({ trace: { status, stopped_by } }: { trace: Trace }) {
  const w = useWords(words);
  if (status === 'stopped' && stopped_by)
    return <Mark tone="warn">{stopped_by === 'size' ? w.stoppedBySize : w.stoppedByDisk}</Mark>;
  return <State is={status} />;
}
