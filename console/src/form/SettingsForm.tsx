import type { AnswerOf, Endpoint, RequestOf } from '@mqdeck/contract/kit/endpoint';
import { type ReactNode, useEffect, useRef } from 'react';
import { type FieldValues, FormProvider, useFormState, useWatch } from 'react-hook-form';
import { sentenceInPlace } from '../api/report.ts';
import { useEndpoint } from '../api/use-endpoint.ts';
import { useWords } from '../i18n/words.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ErrorState } from '../ui/ErrorState.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toast.ts';
import classes from './form.module.css';
import { FormContext } from './form-context.ts';
import { useUnsavedGuard } from './form-host.tsx';
import { type FormKit, type FormOptions, type FormWords, useContractForm } from './use-contract-form.ts';
import { changedNames, copyOf, same, valueAt } from './values.ts';
import { words as kitWords } from './words.ts';

export interface SettingsFormProps<L extends Endpoint, S extends Endpoint> {
  load: L;
  save: S;
  params?: Record<string, string> | undefined;
  words: FormWords;
  readOnly?: boolean | undefined;
  /** The part of the answer that is edited, where it is not the whole. */
  fromAnswer?: ((answer: AnswerOf<L>) => FieldValues) | undefined;
  toBody?: FormOptions<S>['toBody'];
  ask?: FormOptions<S>['ask'];
  faultFields?: FormOptions<S>['faultFields'];
  /** The endpoint keeps what is left out, so only what was changed is sent: nobody's other changes are undone. */
  partial?: boolean | undefined;
  refresh?: readonly Endpoint[] | undefined;
  onSaved?: ((answer: AnswerOf<S>) => void) | undefined;
  children: ReactNode;
}

/** Settings that are loaded, edited and saved as a whole. The bar appears when something differs. */
export function SettingsForm<L extends Endpoint, S extends Endpoint>(props: SettingsFormProps<L, S>) {
  const { load, params, fromAnswer } = props;
  const w = useWords(kitWords);
  const loaded = useEndpoint(load, { params } as unknown as RequestOf<L>, { quiet: true });
  if (loaded.data === undefined) {
    if (loaded.error?.absent) return <EmptyState title={w.unavailable} />;
    if (loaded.error) return <ErrorState text={sentenceInPlace(loaded.error)} retry={loaded.refetch} />;
    return <SkeletonRows rows={6} />;
  }
  const initial = fromAnswer ? fromAnswer(loaded.data) : (loaded.data as FieldValues);
  return <LoadedForm {...props} initial={initial} />;
}

function LoadedForm<L extends Endpoint, S extends Endpoint>({
  load,
  save,
  params,
  words,
  readOnly,
  toBody,
  ask,
  faultFields,
  partial = false,
  refresh = [],
  onSaved,
  children,
  initial,
}: SettingsFormProps<L, S> & { initial: FieldValues }) {
  const w = useWords(kitWords);
  const kit = useContractForm<S>({
    endpoint: save,
    params,
    words,
    readOnly,
    toBody: (values) => {
      const body = partial ? changedParts(values) : values;
      return toBody ? toBody(body) : body;
    },
    faultFields,
    ask,
    standards: load.ok.schema ?? undefined,
    refresh: [load, ...refresh],
    initial,
    onDone: (answer, _, sent) => {
      from.current = sent;
      rebase(kit, sent);
      toast('good', w.saved);
      onSaved?.(answer);
    },
  });
  const { form } = kit;
  /** A change takes its whole block along: not every broker merges blocks too. */
  function changedParts(values: FieldValues): FieldValues {
    const names = changedNames(leavesOf(kit), form.formState.defaultValues, form.getValues());
    const parts = new Set(names.map((name) => name.split('.')[0]!));
    return Object.fromEntries(Object.entries(values).filter(([key]) => parts.has(key)));
  }
  // What somebody else changed meanwhile comes in, except where it would undo what is being typed here.
  const from = useRef(initial);
  useEffect(() => {
    if (same(from.current, initial)) return;
    from.current = initial;
    rebase({ form, context: kit.context }, initial);
  }, [initial, form, kit.context]);

  return (
    <FormProvider {...form}>
      <FormContext.Provider value={kit.context}>
        <form className={classes.form} noValidate onSubmit={kit.submit}>
          {kit.failure && (
            <p className={classes.failure} role="alert">
              {kit.failure}
            </p>
          )}
          {children}
          <SaveBar kit={kit} sending={kit.sending} onDiscard={() => form.reset(copyOf(from.current))} />
        </form>
      </FormContext.Provider>
    </FormProvider>
  );
}

type Kit = Pick<FormKit, 'form' | 'context'>;

/** The fields themselves: a block that holds fields of its own is counted by them. */
function leavesOf({ context }: Pick<Kit, 'context'>): string[] {
  const fields = [...context.fields.keys()];
  return fields.filter((name) => !fields.some((other) => other.startsWith(`${name}.`)));
}

/** From now on `stored` is what the fields are compared with; what differed from the old stays as it was typed. */
function rebase(kit: Kit, stored: FieldValues): void {
  const { form } = kit;
  const now = copyOf(form.getValues());
  const typed = changedNames(leavesOf(kit), form.formState.defaultValues, now);
  form.reset(copyOf(stored), { keepErrors: true });
  for (const name of typed) form.setValue(name, valueAt(now, name), { shouldDirty: true });
}

/** A field that only some brokers have, shown where the loaded settings hold it. */
export function WhereKnown({ name, children }: { name: string; children: ReactNode }) {
  const { defaultValues } = useFormState();
  return valueAt(defaultValues, name) === undefined ? null : children;
}

/** Says how many fields differ from what is stored; apart, so that typing draws only this and the field. */
function SaveBar({ kit, sending, onDiscard }: { kit: Kit; sending: boolean; onDiscard: () => void }) {
  const w = useWords(kitWords);
  const values = useWatch();
  const { defaultValues } = useFormState();
  const count = changedNames(leavesOf(kit), defaultValues, values).length;
  useUnsavedGuard(count > 0);
  if (count === 0) return null;
  return (
    <div className={classes.saveBar}>
      <span role="status">{w.changed({ count })}</span>
      <button type="button" className={classes.button} disabled={sending} onClick={onDiscard}>
        {w.discard}
      </button>
      <button type="submit" className={classes.mainButton} aria-disabled={sending || undefined}>
        {sending ? w.saving : w.save}
      </button>
    </div>
  );
}
