import { Popover } from '@mantine/core';
import { useLanguage, useWords } from '../i18n/words.ts';
import { IconArrowDown, IconArrowUp, IconColumns } from '../ui/icons.tsx';
import { type ColumnChoice, moveColumn, standardChoice, toggleColumn } from './column-choice.ts';
import type { Column } from './columns.tsx';
import classes from './table.module.css';
import { words } from './words.ts';

/** Which columns are shown and in which order. The first column names the row and stays. */
export function ColumnChooser<Row>({
  columns,
  choice,
  onChange,
}: {
  columns: readonly Column<Row>[];
  choice: ColumnChoice;
  onChange: (choice: ColumnChoice | undefined) => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const byId = new Map(columns.map((column) => [column.id, column]));
  const ordered = choice.order.flatMap((id) => byId.get(id) ?? []);
  const standard = standardChoice(columns);
  const changed = JSON.stringify(choice) !== JSON.stringify(standard);
  return (
    <Popover position="bottom-end" trapFocus withRoles>
      <Popover.Target>
        <button type="button" className={classes.toolButton}>
          <IconColumns size={15} />
          <span>{w.columns}</span>
        </button>
      </Popover.Target>
      <Popover.Dropdown className={classes.chooser} aria-label={w.columns}>
        <ul className={classes.chooserList}>
          {ordered.map((column, i) => (
            <li key={column.id} className={classes.chooserRow}>
              <label className={classes.chooserLabel}>
                <input
                  type="checkbox"
                  className={classes.tick}
                  checked={!choice.hidden.includes(column.id)}
                  disabled={column.id === columns[0]?.id}
                  onChange={() => onChange(toggleColumn(choice, column.id))}
                />
                {column.label[language]}
              </label>
              <button
                type="button"
                className={classes.iconButton}
                aria-label={w.columnUp({ column: column.label[language] })}
                disabled={i === 0}
                onClick={() => onChange(moveColumn(choice, column.id, -1))}
              >
                <IconArrowUp size={14} />
              </button>
              <button
                type="button"
                className={classes.iconButton}
                aria-label={w.columnDown({ column: column.label[language] })}
                disabled={i === ordered.length - 1}
                onClick={() => onChange(moveColumn(choice, column.id, 1))}
              >
                <IconArrowDown size={14} />
              </button>
            </li>
          ))}
        </ul>
        <button
          type="button"
          className={classes.toolButton}
          disabled={!changed}
          onClick={() => onChange(undefined)}
        >
          {w.columnsReset}
        </button>
      </Popover.Dropdown>
    </Popover>
  );
}
