import { type ReactNode, useState } from 'react';
import { INTERVALS_S, RefreshControl } from './RefreshControl.tsx';

/** What a query says of itself. */
interface Polled {
  /** Epoch milliseconds; 0 before the first answer. */
  dataUpdatedAt: number;
  isFetching: boolean;
  refetch: () => unknown;
}

/** How often a page asks again, as the operator wants it. A query takes `poll`, the page shows `control(query)`. */
export function usePolling(initialSeconds: number = INTERVALS_S[0], runs = true) {
  const [running, setRunning] = useState(runs);
  const [seconds, setSeconds] = useState(initialSeconds);
  return {
    /** The interval in milliseconds; undefined while it is paused. */
    poll: running ? seconds * 1000 : undefined,
    /** The interval in milliseconds, paused or not. */
    intervalMs: seconds * 1000,
    control: ({ dataUpdatedAt, isFetching, refetch }: Polled): ReactNode => (
      <RefreshControl
        updatedAt={dataUpdatedAt}
        fetching={isFetching}
        running={running}
        seconds={seconds}
        onRefresh={() => void refetch()}
        onRunning={setRunning}
        onSeconds={setSeconds}
      />
    ),
  };
}
