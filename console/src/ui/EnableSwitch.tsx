import { Switch } from '@mantine/core';
import { useState } from 'react';

/**
 * Turns a thing of a list on and off. It shows what was asked for while that is under way, then what is: `onChange`
 * ends when the list was read anew, or when it was refused or taken back.
 */
export function EnableSwitch({
  on,
  label,
  text,
  onChange,
  disabledReason,
}: {
  on: boolean;
  /** Names the thing: "Enable password_based:mysql". */
  label: string;
  /** Written beside it, where no head of a column says it. */
  text?: string | undefined;
  onChange: (on: boolean) => Promise<unknown>;
  disabledReason?: string | undefined;
}) {
  const [asked, setAsked] = useState<boolean>();
  return (
    <Switch
      aria-label={label}
      label={text}
      title={disabledReason}
      checked={asked ?? on}
      disabled={disabledReason !== undefined}
      aria-busy={asked !== undefined || undefined}
      onChange={(event) => {
        if (asked !== undefined) return;
        const next = event.currentTarget.checked;
        setAsked(next);
        void onChange(next).finally(() => setAsked(undefined));
      }}
    />
  );
}
