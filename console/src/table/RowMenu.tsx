import { Menu } from '@mantine/core';
import classes from './table.module.css';

/** What can be done with a row. One that cannot be done now stays visible and says why. */
export interface RowAction {
  label: string;
  run: () => unknown;
  disabledReason?: string | false | undefined;
  /** Cannot be undone. */
  danger?: boolean | undefined;
}

/** One menu for all rows, opened at the button that was pressed: a menu per row would cost more than the row. */
export function RowMenu({
  actions,
  button,
  onClose,
}: {
  actions: readonly RowAction[];
  button: HTMLElement;
  onClose: () => void;
}) {
  const { left, top, width, height } = button.getBoundingClientRect();
  const close = () => {
    onClose();
    button.focus();
  };
  return (
    <Menu
      opened
      onChange={(opened) => {
        if (!opened) close();
      }}
      position="bottom-end"
      withinPortal
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <span
          className={classes.menuAnchor}
          style={{ left, top, inlineSize: width, blockSize: height }}
          aria-hidden="true"
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={button.getAttribute('aria-label') ?? undefined}>
        {actions.map(({ label, run, disabledReason, danger }) => (
          <Menu.Item
            key={label}
            className={danger ? classes.danger : undefined}
            aria-disabled={disabledReason ? true : undefined}
            data-refused={disabledReason ? true : undefined}
            closeMenuOnClick={!disabledReason}
            onClick={() => {
              if (!disabledReason) run();
            }}
          >
            {label}
            {disabledReason && <span className={classes.reason}>{disabledReason}</span>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
