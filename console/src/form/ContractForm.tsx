import type { AnswerOf, Endpoint } from '@mqdeck/contract/kit/endpoint';
import { type ReactNode, useEffect } from 'react';
import { FormProvider, useWatch } from 'react-hook-form';
import { useWords } from '../i18n/words.ts';
import { Changes, MeanwhilePanel, useChangedNames } from './Changes.tsx';
import classes from './form.module.css';
import { FormContext } from './form-context.ts';
import { useUnsavedGuard } from './form-host.tsx';
import { type FormOptions, useContractForm } from './use-contract-form.ts';
import { same } from './values.ts';
import { words as kitWords } from './words.ts';

export interface ContractFormProps<E extends Endpoint> extends Omit<FormOptions<E>, 'initial' | 'onDone'> {
  /** What an edit begins with; a create begins with the contract's defaults and this. */
  initial?: FormOptions<E>['initial'] | undefined;
  /** What the endpoint makes is new, although it is a PUT: nothing is changed by it. */
  fresh?: boolean | undefined;
  /** The verb on the button; "Create" for a POST, "Save" otherwise. */
  submitLabel?: string | undefined;
  /** "Back" in a wizard; "Cancel" otherwise. */
  cancelLabel?: string | undefined;
  onDone?: ((answer: AnswerOf<E>, body: unknown) => void) | undefined;
  onCancel?: (() => void) | undefined;
  /** Hears whether something typed would be lost. */
  onUnsaved?: ((unsaved: boolean) => void) | undefined;
  children: ReactNode;
}

const NOTHING = {};

/** A form that creates or edits one thing: fields, what is wrong beside them, and one button. */
export function ContractForm<E extends Endpoint>({
  initial = NOTHING,
  fresh = false,
  submitLabel,
  cancelLabel,
  onDone,
  onCancel,
  onUnsaved,
  children,
  ...options
}: ContractFormProps<E>) {
  const w = useWords(kitWords);
  const kit = useContractForm({
    ...options,
    initial,
    onDone: (answer, body) => {
      // What was sent is no longer unsaved, whatever page comes next, and nobody else has stored it.
      kit.form.reset(kit.form.getValues());
      kit.meanwhile.settle(kit.form.getValues());
      onDone?.(answer, body);
    },
  });
  return (
    <FormProvider {...kit.form}>
      <FormContext.Provider value={kit.context}>
        <form className={classes.form} noValidate onSubmit={kit.submit}>
          <Unsaved initial={kit.form.formState.defaultValues ?? initial} onUnsaved={onUnsaved} />
          {kit.failure && (
            <p className={classes.failure} role="alert">
              {kit.failure}
            </p>
          )}
          {children}
          <MeanwhilePanel {...kit.meanwhile} />
          {options.endpoint.method === 'PUT' && !options.list && !fresh && <ChangesBefore />}
          <div className={classes.buttons}>
            {onCancel && (
              <button type="button" className={classes.button} onClick={onCancel}>
                {cancelLabel ?? w.cancel}
              </button>
            )}
            <button
              type="submit"
              className={classes.mainButton}
              aria-disabled={kit.sending || undefined}
              disabled={options.readOnly}
            >
              {kit.sending
                ? w.saving
                : (submitLabel ?? (options.endpoint.method === 'POST' ? w.create : w.save))}
            </button>
          </div>
        </form>
      </FormContext.Provider>
    </FormProvider>
  );
}

/** What saving would change; apart, so that typing draws only this and the field. */
function ChangesBefore() {
  const names = useChangedNames();
  return (
    names.length > 0 && (
      <div className={classes.changesLine}>
        <Changes names={names} />
      </div>
    )
  );
}

/** The same for what would be lost. */
function Unsaved({
  initial,
  onUnsaved,
}: {
  initial: unknown;
  onUnsaved: ((unsaved: boolean) => void) | undefined;
}) {
  const unsaved = !same(useWatch(), initial);
  useUnsavedGuard(unsaved && onUnsaved === undefined);
  useEffect(() => onUnsaved?.(unsaved), [unsaved, onUnsaved]);
  return null;
}
