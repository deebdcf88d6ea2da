import '../theme/mantine-shell.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { useServerAway } from '../api/use-console-info.ts';
import { basePrefix } from '../base.ts';
import { FormHostProvider } from '../form/form-host.tsx';
import { useWords } from '../i18n/words.ts';
import { Link } from '../Link.tsx';
import { useLeaveBlock } from '../leave-block.ts';
import { currentPath } from '../navigate.ts';
import { TableHostProvider } from '../table/table-host.tsx';
import { useUrlState } from '../url-state.ts';
import { Header } from './Header.tsx';
import { LeftBar } from './LeftBar.tsx';
import { Overlays } from './Overlays.tsx';
import { ServerNotice } from './PageNotices.tsx';
import { SectionTabs } from './SectionTabs.tsx';
import styles from './Shell.module.css';
import { useKeys } from './use-keys.ts';
import { words } from './words.ts';

const tableHost = { useState: useUrlState, Link };
const formHost = { useLeaveBlock };

/** The frame around every page but the login: left bar, header, and `main`, which alone scrolls. */
export function Shell() {
  const w = useWords(words);
  const session = useSession();
  const main = useRef<HTMLElement>(null);
  const [sheetOpen, setSheetOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const router = useRouter();
  useKeys();

  // Another user must not see what the last one asked for.
  useEffect(() => {
    if (session === null) queryClient.clear();
  }, [session]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is the reason to run
  useEffect(() => {
    main.current?.scrollTo(0, 0);
    setSheetOpen(false);
  }, [path]);

  // What failed while the server did not answer at the start is asked for again.
  const away = useServerAway();
  const wasAway = useRef(away);
  useEffect(() => {
    if (wasAway.current && !away) {
      void queryClient.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
      void router.invalidate();
    }
    wasAway.current = away;
  }, [away, router]);

  const skip = (event: MouseEvent) => {
    event.preventDefault(); // the address stays as it is
    main.current?.focus();
  };
  return (
    <QueryClientProvider client={queryClient}>
      <TableHostProvider value={tableHost}>
        <div className={styles.shell}>
          <a href={`${basePrefix()}${currentPath()}#main`} className={styles.skip} onClick={skip}>
            {w.skip}
          </a>
          <LeftBar sheetOpen={sheetOpen} closeSheet={() => setSheetOpen(false)} />
          <Header openSheet={() => setSheetOpen(true)} />
          <main ref={main} id="main" tabIndex={-1} className={styles.main}>
            <ServerNotice />
            <SectionTabs />
            <FormHostProvider value={formHost}>
              <Outlet />
            </FormHostProvider>
          </main>
        </div>
        <Overlays />
      </TableHostProvider>
    </QueryClientProvider>
  );
}
