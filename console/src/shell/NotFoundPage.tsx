import { Button } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { useWords } from '../i18n/words.ts';
import { navigate } from '../navigate.ts';
import { paths } from '../paths.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { IconSearch } from '../ui/icons.tsx';
import { Page, Panel } from '../ui/Page.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { words } from './words.ts';

/** For every address that is none; open to those who are not signed in as well. */
export function NotFoundPage() {
  const w = useWords(words);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <Page title={w.notFound} facts="404">
      <Panel>
        <EmptyState
          icon={<IconSearch size={30} />}
          title={w.notFound}
          text={w.notFoundText({ path: visibleText(path) })}
          action={<Button onClick={() => navigate(paths.home())}>{w.toOverview}</Button>}
        />
      </Panel>
    </Page>
  );
}
