import { Button } from '@mantine/core';
import { useWords } from '../i18n/words.ts';
import { navigate } from '../navigate.ts';
import { paths } from '../paths.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, Panel } from '../ui/Page.tsx';
import { useCurrentPage } from './current-page.ts';
import { allPages } from './menu.ts';
import { pagePurposes, pageTitles } from './page-words.ts';
import { words } from './words.ts';

/** Says honestly that a page is still to come, and what it will do. */
export function NotThereYetPage() {
  const w = useWords(words);
  const titles = useWords(pageTitles);
  const purposes = useWords(pagePurposes);
  const { id = 'overview' } = useCurrentPage();
  const Sign = allPages.find((page) => page.id === id)?.icon;
  return (
    <Page key={id} title={titles[id]}>
      <Panel>
        <EmptyState
          icon={Sign && <Sign size={30} />}
          title={w.notThereYet({ page: titles[id] })}
          text={w.notThereYetText({ purpose: purposes[id] })}
          action={
            id !== 'overview' && <Button onClick={() => navigate(paths.overview())}>{w.toOverview}</Button>
          }
        />
      </Panel>
    </Page>
  );
}
