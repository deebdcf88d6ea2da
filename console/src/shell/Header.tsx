import { ActionIcon, Menu } from '@mantine/core';
import { useSession } from '../api/session.ts';
import { useConsoleInfo } from '../api/use-console-info.ts';
import { useWords } from '../i18n/words.ts';
import { Link } from '../Link.tsx';
import { navigate } from '../navigate.ts';
import { paths } from '../paths.ts';
import {
  IconHelp,
  IconKey,
  IconKeyboard,
  IconMenu,
  IconSearch,
  IconSettings,
  IconSignOut,
  IconUsers,
} from '../ui/icons.tsx';
import { AlarmCount } from './AlarmCount.tsx';
import { Breadcrumb } from './Breadcrumb.tsx';
import styles from './Header.module.css';
import { LiveConnections } from './LiveConnections.tsx';
import { LookSwitches } from './LookSwitches.tsx';
import { openOverlay } from './overlay.ts';
import { signOut } from './sign-out.ts';
import { words } from './words.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Header({ openSheet }: { openSheet: () => void }) {
  const w = useWords(words);
  const session = useSession();
  return (
    <header className={styles.header}>
      {session && (
        <ActionIcon className={styles.menuButton} aria-label={w.openMenu} onClick={openSheet}>
          <IconMenu />
        </ActionIcon>
      )}
      <Breadcrumb />
      <div className={styles.right}>
        {session && (
          <>
            <ClusterName />
            <button type="button" className={styles.search} onClick={() => openOverlay('palette')}>
              <IconSearch size={15} />
              <span>{w.search}</span>
              <kbd>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
            </button>
            <ActionIcon
              className={styles.searchIcon}
              aria-label={w.searchShort}
              onClick={() => openOverlay('palette')}
            >
              <IconSearch />
            </ActionIcon>
            <LiveConnections />
            <AlarmCount />
          </>
        )}
        <LookSwitches />
        {session ? (
          <UserMenu username={session.username} />
        ) : (
          <Link to={paths.login()} className={styles.signIn}>
            {w.signIn}
          </Link>
        )}
      </div>
    </header>
  );
}

/** Which cluster this is, when the console stands in front of one: nobody should restart the wrong one. */
function ClusterName() {
  const w = useWords(words);
  const info = useConsoleInfo();
  if (info?.mode !== 'upstream') return null;
  const label = w.cluster({ upstream: info.upstream });
  return (
    <span className={styles.cluster} title={label}>
      {info.upstream.replace(/^https?:\/\//, '')}
    </span>
  );
}

function UserMenu({ username }: { username: string }) {
  const w = useWords(words);
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <button type="button" className={styles.user} aria-label={w.account({ username })}>
          <span className={styles.initial}>{[...username][0]?.toUpperCase()}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {w.signedInAs} <strong className={styles.username}>{username}</strong>
        </Menu.Label>
        <Menu.Item leftSection={<IconSettings size={16} />} onClick={() => navigate(paths.settings())}>
          {w.settings}
        </Menu.Item>
        <Menu.Item leftSection={<IconUsers size={16} />} onClick={() => navigate(paths.users())}>
          {w.users}
        </Menu.Item>
        <Menu.Item leftSection={<IconKey size={16} />} onClick={() => navigate(paths.ownPassword())}>
          {w.changePassword}
        </Menu.Item>
        <Menu.Item leftSection={<IconHelp size={16} />} onClick={() => navigate(paths.help())}>
          {w.help}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconKeyboard size={16} />}
          rightSection={<kbd>?</kbd>}
          onClick={() => openOverlay('keys')}
        >
          {w.keyboard}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconSignOut size={16} />} onClick={() => void signOut()}>
          {w.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
