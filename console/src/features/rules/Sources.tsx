import { Popover } from '@mantine/core';
import type { Rule } from '@mqdeck/contract/rules';
import { useId, useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './rules.module.css';
import { SqlText } from './SqlText.tsx';
import { words } from './words.ts';

/** What a rule selects from, as tags; pointed at, focused or pressed they show its SQL. */
export function Sources({ rule: { id, from, sql } }: { rule: Rule }) {
  const w = useWords(words);
  const panel = useId();
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" withRoles={false}>
      <Popover.Target>
        <button
          type="button"
          className={styles.sources}
          aria-label={`${from.map(visibleText).join(', ')}. ${w.sqlOf({ id: visibleText(id) })}`}
          aria-expanded={opened}
          aria-describedby={opened ? panel : undefined}
          onMouseEnter={() => setOpened(true)}
          onMouseLeave={() => setOpened(false)}
          onFocus={() => setOpened(true)}
          onBlur={() => setOpened(false)}
          onClick={() => setOpened(true)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || !opened) return;
            event.stopPropagation();
            setOpened(false);
          }}
        >
          {from.map((source) => (
            <bdi key={source} className={styles.source}>
              {visibleText(source)}
            </bdi>
          ))}
        </button>
      </Popover.Target>
      <Popover.Dropdown className={styles.sqlPanel} id={panel} role="tooltip">
        <SqlText sql={sql} />
      </Popover.Dropdown>
    </Popover>
  );
}
