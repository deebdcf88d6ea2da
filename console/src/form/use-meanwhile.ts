import { useCallback, useRef, useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import type { FormContextValue } from './form-context.ts';
import { changedNames, copyOf, same, valueAt } from './values.ts';

/** A field that is changed here and was changed by somebody else too. */
export interface Conflict {
  name: string;
  theirs: unknown;
}

export interface Meanwhile {
  /** What the fields are compared with: what is stored, as far as this form has heard. */
  stored: () => FieldValues;
  conflicts: readonly Conflict[];
  /** Takes in what somebody else has stored; what is being typed here stays. Answers whose fields that concerns. */
  meet: (stored: FieldValues) => { conflicts: readonly Conflict[]; theirs: readonly string[] };
  /** What was sent is what is stored. */
  settle: (sent: FieldValues) => void;
  takeTheirs: () => void;
}

/** Two operators at one form: neither overwrites the other unknowingly. */
export function useMeanwhile(
  form: UseFormReturn<FieldValues>,
  context: FormContextValue,
  initial: FieldValues,
): Meanwhile {
  const base = useRef(initial);
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);

  const rebase = useCallback(
    (stored: FieldValues): readonly string[] => {
      const now = copyOf(form.getValues());
      const typed = changedNames(leavesOf(context), base.current, now);
      base.current = stored;
      form.reset(copyOf(stored), { keepErrors: true });
      for (const name of typed) form.setValue(name, valueAt(now, name), { shouldDirty: true });
      return typed;
    },
    [form, context],
  );

  const meet = useCallback(
    (stored: FieldValues) => {
      const theirs = changedNames(leavesOf(context), base.current, stored);
      const typed = new Set(rebase(stored));
      const now = form.getValues();
      const both = theirs
        .filter((name) => typed.has(name) && !same(valueAt(stored, name), valueAt(now, name)))
        .map((name) => ({ name, theirs: valueAt(stored, name) }));
      if (theirs.length > 0)
        setConflicts((before) => [...before.filter(({ name }) => !theirs.includes(name)), ...both]);
      return { conflicts: both, theirs: theirs.filter((name) => !typed.has(name)) };
    },
    [form, context, rebase],
  );

  const settle = useCallback(
    (sent: FieldValues) => {
      rebase(sent);
      setConflicts([]);
    },
    [rebase],
  );

  const takeTheirs = useCallback(() => {
    for (const { name, theirs } of conflicts)
      form.setValue(name, theirs, { shouldDirty: true, shouldValidate: true });
    setConflicts([]);
  }, [form, conflicts]);

  const stored = useCallback(() => base.current, []);
  return { stored, conflicts, meet, settle, takeTheirs };
}

/** The fields themselves: a block that holds fields of its own is counted by them. */
export function leavesOf({ fields }: Pick<FormContextValue, 'fields'>): string[] {
  const names = [...fields.keys()];
  return names.filter((name) => !names.some((other) => other.startsWith(`${name}.`)));
}
