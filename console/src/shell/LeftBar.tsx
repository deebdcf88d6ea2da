import { Menu } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useSession } from '../api/session.ts';
import { useWords } from '../i18n/words.ts';
import { Link } from '../Link.tsx';
import { paths } from '../paths.ts';
import { setPreference, usePreferences } from '../preferences.ts';
import { IconBarClose, IconBarOpen, IconChevronRight, IconHelp } from '../ui/icons.tsx';
import { useCurrentPage } from './current-page.ts';
import styles from './LeftBar.module.css';
import { Logo } from './Logo.tsx';
import { groupOf, type MenuGroup, type MenuPage, menu, menuEntryOf } from './menu.ts';
import { pageTitles } from './page-words.ts';
import { words } from './words.ts';

const MenuSheet = lazy(() => import('./MenuSheet.tsx').then(({ MenuSheet }) => ({ default: MenuSheet })));

/** The main menu: collapsed a sign per group with its pages flying out, open all pages, narrow a sheet. */
export function LeftBar({ sheetOpen, closeSheet }: { sheetOpen: boolean; closeSheet: () => void }) {
  const w = useWords(words);
  const signedIn = useSession() !== null;
  const { leftBarCollapse: collapsed } = usePreferences();
  if (!signedIn) return <SignedOutBar />;
  return (
    <nav className={styles.bar} data-collapsed={collapsed || undefined} aria-label={w.mainMenu}>
      <Link to={paths.home()} className={styles.brand} aria-label="mqdeck">
        <Logo />
        {!collapsed && <span>mqdeck</span>}
      </Link>
      <div className={styles.groups}>
        {collapsed
          ? menu.map((group) => <Flyout key={group.id} group={group} />)
          : menu.map((group) => <OpenGroup key={group.id} group={group} />)}
      </div>
      <button
        type="button"
        className={styles.toggle}
        aria-label={collapsed ? w.expand : w.collapse}
        title={collapsed ? w.expand : w.collapse}
        aria-expanded={!collapsed}
        onClick={() => setPreference('leftBarCollapse', !collapsed)}
      >
        {collapsed ? <IconBarOpen size={16} /> : <IconBarClose size={16} />}
        {!collapsed && <span>{w.collapse}</span>}
      </button>
      {sheetOpen && (
        <Suspense fallback={null}>
          <MenuSheet close={closeSheet} />
        </Suspense>
      )}
    </nav>
  );
}

/** Help and the not-found page are open to all; without a sign-in there is nothing else to go to. */
function SignedOutBar() {
  const w = useWords(words);
  return (
    <nav className={styles.bar} data-collapsed aria-label={w.mainMenu}>
      <Link to={paths.home()} className={styles.brand} aria-label="mqdeck">
        <Logo />
      </Link>
      <div className={styles.groups}>
        <Link to={paths.help()} className={styles.groupSign} aria-label={w.help} title={w.help}>
          <IconHelp size={20} />
        </Link>
      </div>
    </nav>
  );
}

function Flyout({ group }: { group: MenuGroup }) {
  const w = useWords(words);
  const titles = useWords(pageTitles);
  const { id } = useCurrentPage();
  const here = id !== undefined && groupOf(id) === group;
  const Sign = group.icon;
  return (
    <Menu
      trigger="click-hover"
      position="right-start"
      offset={4}
      closeDelay={120}
      loop
      withinPortal={false}
      floatingStrategy="fixed"
    >
      <Menu.Target>
        <button
          type="button"
          className={styles.groupSign}
          data-here={here || undefined}
          aria-label={w[group.id]}
        >
          <Sign size={20} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{w[group.id]}</Menu.Label>
        {group.pages.map((page) => {
          const PageSign = page.icon;
          const current = id !== undefined && menuEntryOf(id) === page.id;
          return (
            <Menu.Item
              key={page.id}
              component={Link}
              to={page.path}
              leftSection={<PageSign size={16} />}
              className={styles.flyoutItem}
              {...(current ? { 'aria-current': 'page' as const } : {})}
            >
              {titles[page.id]}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Which groups the operator folded up or unfolded; lasts while the tab does. */
const unfolded = new Map<string, boolean>();

function OpenGroup({ group }: { group: MenuGroup }) {
  const w = useWords(words);
  const { id } = useCurrentPage();
  const [chosen, setChosen] = useState(unfolded.get(group.id));
  const here = id !== undefined && groupOf(id) === group;
  const open = chosen ?? (here || group.id === 'monitor');
  const toggle = () => {
    unfolded.set(group.id, !open);
    setChosen(!open);
  };
  return (
    <div className={styles.group}>
      <button type="button" className={styles.groupHead} aria-expanded={open} onClick={toggle}>
        <span>{w[group.id]}</span>
        <IconChevronRight size={14} />
      </button>
      {open && <PageLinks pages={group.pages} />}
    </div>
  );
}

/** The pages of one group as links. */
export function PageLinks({ pages }: { pages: readonly MenuPage[] }) {
  const titles = useWords(pageTitles);
  const { id } = useCurrentPage();
  return (
    <ul className={styles.pages}>
      {pages.map((page) => {
        const Sign = page.icon;
        const current = id !== undefined && menuEntryOf(id) === page.id;
        return (
          <li key={page.id}>
            <Link to={page.path} className={styles.page} aria-current={current ? 'page' : undefined}>
              <Sign size={17} />
              <span className={styles.pageName}>{titles[page.id]}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
