import type { AnswerOf, Endpoint, RequestOf } from '@mqdeck/contract/kit/endpoint';
import { type FormEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';
import type { ZodMiniType } from 'zod/mini';
import { ApiError } from '../api/api-error.ts';
import { refresh } from '../api/query-client.ts';
import { sentenceOf } from '../api/report.ts';
import { request } from '../api/request.ts';
import { useLanguage, useWords } from '../i18n/words.ts';
import { toast } from '../ui/toast.ts';
import { placeFaults } from './faults.ts';
import type { FieldDeclaration, FormContextValue, Word } from './form-context.ts';
import { bodyFrom, formResolver } from './resolver.ts';
import { factsOf, schemaAt } from './schema-facts.ts';
import { type Meanwhile, useMeanwhile } from './use-meanwhile.ts';
import { copyOf, same } from './values.ts';
import { words as kitWords } from './words.ts';

export type FormWords = Readonly<Record<string, Word>>;

export interface FormOptions<E extends Endpoint> {
  /** Takes what the form holds. */
  endpoint: E;
  params?: Record<string, string> | undefined;
  initial: FieldValues;
  /** Labels by field name (`a.b` or its last part), hints by `<name>.hint`. */
  words: FormWords;
  readOnly?: boolean | undefined;
  /** Last touch before the values become a body. */
  toBody?: ((values: FieldValues) => unknown) | undefined;
  /** The endpoint keeps what is left out, so a text that was emptied is sent as the empty text it is. */
  keepEmpty?: boolean | undefined;
  /** Where defaults are read that the body's own schema does not give: that of the whole settings. */
  standards?: ZodMiniType | undefined;
  /**
   * The endpoint takes a whole (a list, say) and the form holds a part of it: `with` answers the body with it among the
   * others as they are now, or finds with null that the one edited is not there any more.
   */
  list?: { item: ZodMiniType; with: (item: unknown) => Promise<object | null> } | undefined;
  /** Takes the body instead of the endpoint: it becomes part of something else, or is sent in another way. */
  keep?: ((body: unknown) => AnswerOf<E> | Promise<AnswerOf<E>>) | undefined;
  /** Asks before something is sent that has consequences; false leaves the form as it is. */
  ask?: ((body: unknown) => Promise<boolean>) | undefined;
  /**
   * What is stored at the moment of saving; null when it is gone. Given, nobody's change is overwritten unknowingly: what
   * somebody else has changed beside it comes in, and what both have changed is asked about.
   */
  current?: (() => Promise<FieldValues | null>) | undefined;
  /** Lists that show something else afterwards. */
  refresh?: readonly Endpoint[] | undefined;
  /** Answers that are about one field: a code, and the field that shows it. */
  faultFields?: Readonly<Record<string, string>> | undefined;
  /** The same with words of the form's own, where a code says too little. */
  faultOf?: ((error: ApiError) => { field: string; text: string } | undefined) | undefined;
  /** `values` is what the form held when it was sent; something else may have been typed since. */
  onDone: (answer: AnswerOf<E>, body: unknown, values: FieldValues) => void;
}

export interface FormKit {
  form: UseFormReturn<FieldValues>;
  context: FormContextValue;
  /** What the broker said that belongs to no field. */
  failure: string | undefined;
  sending: boolean;
  meanwhile: Meanwhile;
  submit: (event: FormEvent<HTMLFormElement>) => void;
}

/** The machinery below every form: fields from the contract, checks, sending, and the broker's objections. */
export function useContractForm<E extends Endpoint>(options: FormOptions<E>): FormKit {
  const { endpoint, initial, words, standards, readOnly = false } = options;
  const w = useWords(kitWords);
  const language = useLanguage();
  const id = useId();
  const [failure, setFailure] = useState<string>();
  const sendingRef = useRef(false);
  const [sending, setSending] = useState(false);
  const schema = options.list?.item ?? endpoint.body;

  const fields = useRef(new Map<string, FieldDeclaration>()).current;
  const label = useCallback(
    (name: string): string => {
      const word = words[name] ?? words[name.split('.').at(-1)!];
      return word?.[language] ?? fields.get(name)?.label ?? name;
    },
    [words, language, fields],
  );
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
      factsOf: (name) => {
        const facts = factsOf(schemaAt(schema, name));
        return { ...facts, standard: facts.standard ?? factsOf(schemaAt(standards, name)).standard };
      },
      label,
      hint: (name) => words[`${name}.hint`]?.[language],
      readOnly,
    }),
    [id, fields, schema, standards, label, words, language, readOnly],
  );

  const labelOf = (name: string) => fields.get(name)?.label ?? label(name);
  const latest = useRef({ options, w, labelOf });
  latest.current = { options, w, labelOf };
  const resolver = useMemo(
    () =>
      formResolver(() => ({
        schema,
        fields,
        labelOf: (name) => latest.current.labelOf(name),
        w: latest.current.w,
        toBody: latest.current.options.toBody,
        keepEmpty: latest.current.options.keepEmpty,
      })),
    [schema, fields],
  );
  const form = useForm<FieldValues>({
    defaultValues: copyOf(initial),
    resolver,
    mode: 'onSubmit',
    reValidateMode: 'onChange',
    shouldFocusError: false, // done below by the order on screen
  });

  // A switch of language says the same errors in the other one.
  const { trigger } = form;
  const spoken = useRef(language);
  useEffect(() => {
    if (spoken.current === language) return;
    spoken.current = language;
    const wrong = [...fields.keys()].filter((name) => form.getFieldState(name).invalid);
    if (wrong.length > 0) void trigger(wrong);
  }, [language, trigger, form, fields]);

  const meanwhile = useMeanwhile(form, context, initial);

  /** Takes in what others have stored since; false when that must be decided first. */
  async function upToDate({ current }: FormOptions<E>): Promise<boolean> {
    if (!current) return true;
    const stored = await current();
    if (stored === null) {
      setFailure(w.goneMeanwhile);
      return false;
    }
    if (same(stored, meanwhile.stored())) return true;
    const { conflicts, theirs } = meanwhile.meet(stored);
    if (conflicts.length === 0 && theirs.length > 0)
      toast('good', w.keptTheirs({ names: theirs.map(labelOf).join(', ') }));
    return conflicts.length === 0;
  }

  async function send(element: HTMLFormElement) {
    const { options: now } = latest.current;
    setFailure(undefined);
    try {
      if (!(await upToDate(now))) return;
      const values = form.getValues();
      const sent = copyOf(values);
      const { toBody, keepEmpty } = now;
      const body = bodyFrom(values, { schema, fields, labelOf, w, toBody, keepEmpty });
      if (now.ask && !(await now.ask(body))) return;
      const whole = now.list ? await now.list.with(body) : body;
      if (whole === null) {
        setFailure(w.goneMeanwhile);
        return;
      }
      const given = { params: now.params, body: whole } as unknown as RequestOf<E>;
      const answer = await (now.keep ? now.keep(whole) : request(endpoint, given, { quiet: true }));
      await refresh(now.refresh ?? []);
      now.onDone(answer, body, sent);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refuse(error, element);
    }
  }

  function refuse(error: ApiError, element: HTMLFormElement) {
    const { placed, over } = placeFaults(error.faults, fields.keys());
    for (const [name, { reason, unknown }] of placed) {
      const why = typeof reason === 'string' ? reason : reason.expected;
      form.setError(name, {
        type: 'broker',
        message: unknown === name ? w.unknownField({ field: name }) : w.refused({ reason: why }),
      });
    }
    const worded = options.faultOf?.(error);
    const field = worded?.field ?? options.faultFields?.[error.code];
    // Not every form of a kind has every field of it.
    const isShown = field !== undefined && fields.has(field);
    if (isShown) form.setError(field, { type: 'broker', message: worded?.text ?? sentenceOf(error) });
    const said = placed.size > 0 || isShown;
    if (!said || over.length > 0) setFailure(error.absent ? w.unavailable : sentenceOf(error));
    if (said) toFocus.current = element;
  }

  /** Once what is wrong is on screen. */
  const toFocus = useRef<HTMLFormElement>(undefined);
  useEffect(() => {
    if (!toFocus.current) return;
    focusFirstWrong(toFocus.current);
    toFocus.current = undefined;
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    event.stopPropagation(); // a form in a dialog of another form
    const element = event.currentTarget;
    if (sendingRef.current) return;
    sendingRef.current = true;
    setSending(true);
    const done = form.handleSubmit(
      () => send(element),
      (errors) => {
        const seen = [...fields.keys()].some((name) => form.getFieldState(name).invalid);
        // Nothing on screen would say why it is not sent.
        setFailure(seen ? undefined : firstMessage(errors));
        toFocus.current = element;
      },
    )();
    void done.finally(() => {
      sendingRef.current = false;
      setSending(false);
    });
  }

  return { form, context, failure, sending, meanwhile, submit };
}

/** Errors are nested as the fields are. */
function firstMessage(errors: object): string | undefined {
  for (const one of Object.values(errors)) {
    if (typeof one !== 'object' || one === null) continue;
    const { message } = one as { message?: unknown };
    const said = typeof message === 'string' && message !== '' ? message : firstMessage(one);
    if (said) return said;
  }
  return undefined;
}

/** The first wrong field as the eye meets it, unfolded if it lies in a fold. */
function focusFirstWrong(form: HTMLFormElement) {
  const first = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong-text]');
  const fold = first?.closest('details');
  if (fold) fold.open = true;
  first?.focus();
  first?.scrollIntoView({ block: 'center' });
}
