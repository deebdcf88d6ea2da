import { type ReactNode, useCallback, useId, useMemo, useRef } from 'react';
import { type FieldValues, FormProvider, useForm } from 'react-hook-form';
import classes from '../../form/form.module.css';
import { type FieldDeclaration, FormContext, type FormContextValue } from '../../form/form-context.ts';
import { formResolver } from '../../form/resolver.ts';
import type { FormWords } from '../../form/use-contract-form.ts';
import { words as kitWords } from '../../form/words.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';

const NO_FACTS = { optional: true, kind: 'other', integer: false, choices: [] } as const;

/** Fields of a part of a larger form: nothing is sent, the larger form takes what they hold. */
export function PartForm({
  initial,
  words,
  submitLabel,
  onTake,
  onCancel,
  children,
}: {
  initial: FieldValues;
  words: FormWords;
  submitLabel: string;
  onTake: (values: FieldValues) => void;
  onCancel: () => void;
  children: ReactNode;
}) {
  const w = useWords(kitWords);
  const language = useLanguage();
  const id = useId();
  const fields = useRef(new Map<string, FieldDeclaration>()).current;
  const label = useCallback((name: string) => words[name]?.[language] ?? name, [words, language]);
  const context = useMemo<FormContextValue>(
    () => ({
      id,
      fields,
      declare: (name, field) => {
        fields.set(name, field);
        return () => {
          if (fields.get(name) === field) fields.delete(name);
        };
      },
      factsOf: () => NO_FACTS,
      label,
      hint: () => undefined,
      readOnly: false,
    }),
    [id, fields, label],
  );
  const latest = useRef({ w, label });
  latest.current = { w, label };
  const resolver = useMemo(
    () =>
      formResolver(() => ({
        schema: undefined,
        fields,
        labelOf: (name) => latest.current.label(name),
        w: latest.current.w,
      })),
    [fields],
  );
  const form = useForm({ defaultValues: initial, resolver, mode: 'onSubmit', reValidateMode: 'onChange' });
  return (
    <FormProvider {...form}>
      <FormContext.Provider value={context}>
        <form
          className={classes.form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            event.stopPropagation(); // it lies within the larger form
            const element = event.currentTarget;
            void form.handleSubmit(onTake, () =>
              element.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong-text]')?.focus(),
            )();
          }}
        >
          {children}
          <div className={classes.buttons}>
            <button type="button" className={classes.button} onClick={onCancel}>
              {w.cancel}
            </button>
            <button type="submit" className={classes.mainButton}>
              {submitLabel}
            </button>
          </div>
        </form>
      </FormContext.Provider>
    </FormProvider>
  );
}
