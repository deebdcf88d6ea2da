import { Drawer } from '@mantine/core';
import { useWords } from '../i18n/words.ts';
import { PageLinks } from './LeftBar.tsx';
import styles from './MenuSheet.module.css';
import { menu } from './menu.ts';
import { words } from './words.ts';

/** The main menu on a narrow screen. */
export function MenuSheet({ close }: { close: () => void }) {
  const w = useWords(words);
  return (
    <Drawer
      opened
      onClose={close}
      position="left"
      size={280}
      title="mqdeck"
      padding="sm"
      closeButtonProps={{ 'aria-label': w.closeMenu }}
    >
      <nav aria-label={w.mainMenu}>
        {menu.map((group) => (
          <div key={group.id} className={styles.group}>
            <h2 className={styles.title}>{w[group.id]}</h2>
            <PageLinks pages={group.pages} />
          </div>
        ))}
      </nav>
    </Drawer>
  );
}
