import { useRouterState } from '@tanstack/react-router';
import { useWords } from '../i18n/words.ts';
import { Link } from '../Link.tsx';
import { paths } from '../paths.ts';
import tabs from '../ui/Tabs.module.css';
import { pageTitles } from './page-words.ts';
import styles from './SectionTabs.module.css';

/** Pages with an address each that belong together. */
const sections = [
  [
    ['overview', paths.overview()],
    ['nodes', paths.nodes()],
    ['metrics', paths.metrics()],
  ],
  [
    ['subscriptions', paths.subscriptions()],
    ['topics', paths.topics()],
  ],
  [
    ['alarms', paths.currentAlarms()],
    ['historyAlarms', paths.historyAlarms()],
  ],
] as const;

export function SectionTabs() {
  const w = useWords(pageTitles);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const section = sections.find((pages) => pages.some(([, to]) => to === path));
  if (!section) return null;
  return (
    <nav className={styles.tabs} aria-label={w[section[0][0]]}>
      {section.map(([id, to]) => (
        <Link key={id} to={to} className={tabs.tab} aria-current={to === path ? 'page' : undefined}>
          {w[id]}
        </Link>
      ))}
    </nav>
  );
}
