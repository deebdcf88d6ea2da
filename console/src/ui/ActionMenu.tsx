import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../i18n/words.ts';
import { IconMore } from './icons.tsx';
import { words } from './words.ts';

export interface MenuAction {
  label: string;
  run: () => unknown;
  icon?: ReactNode;
  /** Cannot be undone: red, and last. */
  danger?: boolean | undefined;
  /** Why it cannot be done now; the entry stays visible. */
  disabledReason?: string | false | undefined;
}

/** The deeds on one thing, behind ⋯. */
export function ActionMenu({ actions, label }: { actions: readonly MenuAction[]; label?: string }) {
  const w = useWords(words);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={label ?? w.moreActions}>
          <IconMore />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label: text, run, icon, danger, disabledReason }) => (
          <Menu.Item
            key={text}
            leftSection={icon}
            {...(danger ? { color: 'red' } : {})}
            {...(disabledReason
              ? { 'aria-disabled': true, 'data-disabled': true, title: disabledReason }
              : {})}
            onClick={() => {
              if (!disabledReason) void run();
            }}
          >
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
