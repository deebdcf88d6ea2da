import { useEffect, useState, useSyncExternalStore } from 'react';
import { type ConsoleInfo, getConsoleInfo, isServerAway, onServerAway } from './console-info.ts';

/** What the console's own server says about itself; undefined until it has, null where another server serves it. */
export function useConsoleInfo(): ConsoleInfo | null | undefined {
  const [info, setInfo] = useState<ConsoleInfo | null>();
  useEffect(() => {
    let gone = false;
    void getConsoleInfo().then((asked) => {
      if (!gone) setInfo(asked);
    });
    return () => {
      gone = true;
    };
  }, []);
  return info;
}

export const useServerAway = (): boolean => useSyncExternalStore(onServerAway, isServerAway);
