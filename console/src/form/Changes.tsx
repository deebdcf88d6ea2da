import { useId, useState } from 'react';
import { useFormContext, useFormState, useWatch } from 'react-hook-form';
import { useWords } from '../i18n/words.ts';
import classes from './form.module.css';
import { useFormKit } from './form-context.ts';
import { shownValue } from './shown-value.ts';
import { leavesOf, type Meanwhile } from './use-meanwhile.ts';
import { changedNames, copyOf, same, valueAt } from './values.ts';
import { words } from './words.ts';

/** The fields that differ from what is stored; drawn anew with each key that is typed, so it stands apart. */
export function useChangedNames(): readonly string[] {
  const kit = useFormKit();
  const values = useWatch();
  const { defaultValues } = useFormState();
  return changedNames(leavesOf(kit), defaultValues, values);
}

/** How many fields differ from what is stored, and on demand which, from what to what. */
export function Changes({ names }: { names: readonly string[] }) {
  const w = useWords(words);
  const kit = useFormKit();
  const values = useWatch();
  const { defaultValues } = useFormState();
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <span role="status">
        <button
          type="button"
          className={classes.changesButton}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          {w.changed({ count: names.length })}
        </button>
      </span>
      <ul id={id} className={classes.changes} aria-label={w.changes} hidden={!open}>
        {open &&
          names.map((name) => (
            <li key={name}>
              <span className={classes.changeLabel}>{kit.label(name)}</span>{' '}
              <span className={classes.changeText}>
                {w.fromTo({
                  from: shownValue(kit, name, valueAt(defaultValues, name), w),
                  to: shownValue(kit, name, valueAt(values, name), w),
                })}
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}

/** Puts every field back to what it is when nobody says anything; saving applies it. */
export function RestoreDefaults() {
  const w = useWords(words);
  const kit = useFormKit();
  const values = useWatch();
  const { defaultValues } = useFormState();
  const { setValue } = useFormContext();
  if (kit.readOnly || defaultValues === undefined) return null;
  const others = leavesOf(kit).filter((name) => {
    const standard = kit.fields.get(name)?.standard;
    return standard !== undefined && !same(valueAt(values, name), standard);
  });
  if (others.length === 0) return null;
  return (
    <button
      type="button"
      className={classes.restoreAll}
      onClick={() => {
        for (const name of others)
          setValue(name, copyOf(kit.fields.get(name)?.standard), { shouldDirty: true });
      }}
    >
      {w.restoreAll}
    </button>
  );
}

/** Shown when somebody else has stored another value of a field that is being changed here. */
export function MeanwhilePanel({ conflicts, takeTheirs }: Pick<Meanwhile, 'conflicts' | 'takeTheirs'>) {
  const w = useWords(words);
  const kit = useFormKit();
  const values = useWatch();
  const open = conflicts.filter(({ name, theirs }) => !same(valueAt(values, name), theirs));
  if (open.length === 0) return null;
  return (
    <section className={classes.meanwhile} role="alert">
      <h3 className={classes.meanwhileTitle}>{w.meanwhileTitle}</h3>
      <p className={classes.meanwhileText}>{w.meanwhileText}</p>
      <table className={classes.meanwhileTable}>
        <thead>
          <tr>
            <th scope="col">{w.field}</th>
            <th scope="col">{w.theirs}</th>
            <th scope="col">{w.yours}</th>
          </tr>
        </thead>
        <tbody>
          {open.map(({ name, theirs }) => (
            <tr key={name}>
              <th scope="row">{kit.label(name)}</th>
              <td>{shownValue(kit, name, theirs, w)}</td>
              <td>{shownValue(kit, name, valueAt(values, name), w)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className={classes.buttons}>
        <button type="button" className={classes.button} onClick={takeTheirs}>
          {w.takeTheirs}
        </button>
        <button type="submit" className={classes.button}>
          {w.saveYours}
        </button>
      </div>
    </section>
  );
}
