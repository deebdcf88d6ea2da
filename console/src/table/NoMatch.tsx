import { useWords } from '../i18n/words.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import classes from './table.module.css';
import { words } from './words.ts';

/** There are rows, but none that the filters let through. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  const w = useWords(words);
  return (
    <EmptyState
      title={w.noMatch}
      action={
        <button type="button" className={classes.toolButton} onClick={onClear}>
          {w.clearFilters}
        </button>
      }
    />
  );
}
