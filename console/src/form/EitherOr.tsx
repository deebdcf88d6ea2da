import { Children, Fragment, type ReactElement, useEffect, useRef } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { useWords } from '../i18n/words.ts';
import classes from './form.module.css';
import { words } from './words.ts';

const isFilled = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

/** Several fields of which one counts: filling one clears the others. */
export function EitherOr({ children }: { children: ReactElement<{ name: string }>[] }) {
  const w = useWords(words);
  const { setValue } = useFormContext();
  const names = Children.map(children, ({ props }) => props.name);
  const values: unknown[] = useWatch({ name: names });
  const filled = values.map(isFilled);
  const before = useRef(filled);
  const key = filled.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only which fields are filled matters
  useEffect(() => {
    const now = filled.findIndex((one, i) => one && !before.current[i]);
    before.current = filled;
    if (now < 0) return;
    names.forEach((name, i) => {
      if (i !== now && filled[i]) setValue(name, '', { shouldDirty: true });
    });
  }, [key]);
  return (
    <div className={classes.either}>
      {Children.map(children, (child, i) => (
        <Fragment key={child.props.name}>
          {i > 0 && <span className={classes.or}>{w.or}</span>}
          {child}
        </Fragment>
      ))}
    </div>
  );
}
