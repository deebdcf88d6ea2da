import { useCallback, useRef, useState } from 'react';
import { NOTHING, type Selection } from './selection.ts';

/** Keeps what is ticked; another set of filters is another list, so it begins with nothing. */
export function useRowsSelection(filters: unknown): [Selection, (next: Selection) => void] {
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const key = JSON.stringify(filters);
  const keyOfSelection = useRef(key);
  const current = keyOfSelection.current === key ? selection : NOTHING;
  const set = useCallback(
    (next: Selection) => {
      keyOfSelection.current = key;
      setSelection(next);
    },
    [key],
  );
  return [current, set];
}
