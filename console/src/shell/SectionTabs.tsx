import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { defineWords, useWords } from '../i18n/words.ts';
import { Link } from '../Link.tsx';
import { paths } from '../paths.ts';
import tabs from '../ui/Tabs.module.css';
import { menuEntryOf } from './menu.ts';
import { type PageId, pageTitles } from './page-words.ts';
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
  [
    ['mqttGeneral', paths.mqtt('general')],
    ['mqttSession', paths.mqtt('session')],
    ['retainer', paths.mqtt('retainer')],
    ['systemTopics', paths.mqtt('system-topic')],
    ['mqttExtension', paths.mqtt('extension')],
  ],
  [
    ['monitoring', paths.monitoring()],
    ['monitoringIntegration', paths.monitoring('integration')],
  ],
] as const;

/** Below the name of the section, the page's own may be shorter. */
const tabLabels = defineWords({
  mqttGeneral: { en: 'General', zh: '通用' },
  mqttSession: { en: 'Session', zh: '会话' },
  retainer: { en: 'Retainer', zh: '保留消息' },
  mqttExtension: { en: 'Extension', zh: '扩展功能' },
  monitoring: { en: 'Alarm settings', zh: '告警设置' },
  monitoringIntegration: { en: 'Integration', zh: '集成' },
});

export function SectionTabs() {
  const titles = useWords(pageTitles);
  const w: Partial<Record<PageId, string>> = { ...titles, ...useWords(tabLabels) };
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const section = sections.find((pages) => pages.some(([, to]) => to === path));
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the tabs scroll sideways: the one that is open is to be seen.
    if (path)
      bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  if (!section) return null;
  return (
    <nav ref={bar} className={styles.tabs} aria-label={titles[menuEntryOf(section[0][0])]}>
      {section.map(([id, to]) => (
        <Link key={id} to={to} className={tabs.tab} aria-current={to === path ? 'page' : undefined}>
          {w[id]}
        </Link>
      ))}
    </nav>
  );
}
