import { useState } from 'react';
import type { ColumnChoice } from './column-choice.ts';
import { forgetChoice, readChoice, writeChoice } from './column-choice.ts';
import type { Column } from './columns.tsx';

/** The columns chosen for a list, remembered by its name; `undefined` goes back to the standard. */
export function useColumnChoice<Row>(
  name: string,
  columns: readonly Column<Row>[],
): [ColumnChoice, (next: ColumnChoice | undefined) => void] {
  const [choice, setChoice] = useState(() => readChoice(name, columns));
  return [
    choice,
    (next) => {
      if (next) writeChoice(name, next);
      else forgetChoice(name);
      setChoice(next ?? readChoice(name, columns));
    },
  ];
}
