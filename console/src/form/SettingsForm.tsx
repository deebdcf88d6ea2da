import type { AnswerOf, Endpoint, RequestOf } from '@mqdeck/contract/kit/endpoint';
import { type ReactNode, useEffect } from 'react';
import { type FieldValues, FormProvider, useFormState } from 'react-hook-form';
import { sentenceInPlace } from '../api/report.ts';
import { request } from '../api/request.ts';
import { useEndpoint } from '../api/use-endpoint.ts';
import { useWords } from '../i18n/words.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ErrorState } from '../ui/ErrorState.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toast.ts';
import { Changes, MeanwhilePanel, RestoreDefaults, useChangedNames } from './Changes.tsx';
import classes from './form.module.css';
import { FormContext } from './form-context.ts';
import { useUnsavedGuard } from './form-host.tsx';
import { type FormOptions, type FormWords, useContractForm } from './use-contract-form.ts';
import { leavesOf } from './use-meanwhile.ts';
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
  keepEmpty?: FormOptions<S>['keepEmpty'];
  list?: FormOptions<S>['list'];
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
  // An answer without a body: what was edited here is not there any more.
  if (loaded.data === undefined || loaded.data === null) {
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
  fromAnswer,
  readOnly,
  toBody,
  keepEmpty,
  list,
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
    keepEmpty,
    list,
    faultFields,
    ask,
    standards: load.ok.schema ?? undefined,
    refresh: [load, ...refresh],
    initial,
    current: async () => {
      const answer = await request(load, { params } as unknown as RequestOf<L>, { quiet: true });
      return fromAnswer ? fromAnswer(answer) : (answer as FieldValues);
    },
    onDone: (answer, _, sent) => {
      settle(sent);
      toast('good', w.saved);
      onSaved?.(answer);
    },
  });
  const { form } = kit;
  /** A change takes its whole block along: not every broker merges blocks too. */
  function changedParts(values: FieldValues): FieldValues {
    const names = changedNames(leavesOf(kit.context), form.formState.defaultValues, form.getValues());
    const parts = new Set(names.map((name) => name.split('.')[0]!));
    return Object.fromEntries(Object.entries(values).filter(([key]) => parts.has(key)));
  }
  // What somebody else changed meanwhile comes in, except where it would undo what is being typed here.
  const { stored, meet, settle } = kit.meanwhile;
  useEffect(() => {
    if (!same(stored(), initial)) meet(initial);
  }, [initial, stored, meet]);

  return (
    <FormProvider {...form}>
      <FormContext.Provider value={kit.context}>
        <form className={`${classes.form} ${classes.settings}`} noValidate onSubmit={kit.submit}>
          {kit.failure && (
            <p className={classes.failure} role="alert">
              {kit.failure}
            </p>
          )}
          {children}
          <RestoreDefaults />
          <div className={classes.foot}>
            <MeanwhilePanel {...kit.meanwhile} />
            <SaveBar
              sending={kit.sending}
              onDiscard={() => {
                form.reset(copyOf(stored()));
                settle(stored());
              }}
            />
          </div>
        </form>
      </FormContext.Provider>
    </FormProvider>
  );
}

/** A field that only some brokers have, shown where the loaded settings hold it. */
export function WhereKnown({ name, children }: { name: string; children: ReactNode }) {
  const { defaultValues } = useFormState();
  return valueAt(defaultValues, name) === undefined ? null : children;
}

/** Appears when something differs from what is stored; apart, so that typing draws only this and the field. */
function SaveBar({ sending, onDiscard }: { sending: boolean; onDiscard: () => void }) {
  const w = useWords(kitWords);
  const names = useChangedNames();
  useUnsavedGuard(names.length > 0);
  if (names.length === 0) return null;
  return (
    <div className={classes.saveBar} data-save-bar>
      <Changes names={names} />
      <button type="button" className={classes.button} disabled={sending} onClick={onDiscard}>
        {w.discard}
      </button>
      <button type="submit" className={classes.mainButton} aria-disabled={sending || undefined}>
        {sending ? w.saving : w.save}
      </button>
    </div>
  );
}
