import type { AnswerOf, Endpoint, RequestOf } from '@mqdeck/contract/kit/endpoint';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useWords } from '../i18n/words.ts';
import { type ConfirmOptions, confirm } from '../ui/confirm.ts';
import { toast } from '../ui/toast.ts';
import { ApiError } from './api-error.ts';
import { refresh } from './query-client.ts';
import { type CallOptions, request } from './request.ts';
import { words } from './words.ts';

/** Nothing came back. */
const NO_ANSWER = 0;

export interface ActionOptions<E extends Endpoint> {
  /**
   * Asks first: a sentence that names the thing and how many, or a whole dialog, or a function of the request, which
   * may also find nothing to ask.
   */
  confirm?:
    | string
    | ConfirmOptions
    | ((given: RequestOf<E>) => string | ConfirmOptions | undefined)
    | undefined;
  /** Lists that show something else afterwards. */
  refresh?: readonly Endpoint[] | undefined;
  /** Said when it is done. */
  success?: string | ((answer: AnswerOf<E>, given: RequestOf<E>) => string) | undefined;
  /** Offered in the toast instead of asking first. */
  undo?: ((given: RequestOf<E>, answer: AnswerOf<E>) => Promise<unknown>) | undefined;
  /** Statuses the caller shows itself, beside a field. */
  handles?: CallOptions['handles'];
}

/** How it went: done, refused with an error, or (`error` undefined) not done because the user said no. */
export type Outcome<E extends Endpoint> =
  | { done: true; answer: AnswerOf<E> }
  | { done: false; error: ApiError | undefined };

export interface Action<E extends Endpoint> {
  (given: RequestOf<E>): Promise<Outcome<E>>;
  /** True while a call is under way: for the button's loading state. */
  pending: boolean;
}

/** A deed of the operator: asks, calls, tells, refreshes. The same deed on the same thing never runs twice at once. */
export function useAction<E extends Endpoint>(endpoint: E, options: ActionOptions<E> = {}): Action<E> {
  const w = useWords(words);
  const [pending, setPending] = useState(0);
  const running = useRef(new Set<string>());
  const latest = useRef({ options, w });
  latest.current = { options, w };

  const run = useCallback(
    async (given: RequestOf<E>): Promise<Outcome<E>> => {
      const key = JSON.stringify(given);
      if (running.current.has(key)) return { done: false, error: undefined };
      running.current.add(key);
      const { options: o, w } = latest.current;
      try {
        const question = typeof o.confirm === 'function' ? o.confirm(given) : o.confirm;
        if (question !== undefined && !(await confirm(question))) return { done: false, error: undefined };
        setPending((count) => count + 1);
        try {
          const answer = await request(endpoint, given, { handles: [NO_ANSWER, ...(o.handles ?? [])] });
          await refresh(o.refresh ?? []);
          tell(o, given, answer, w.undo);
          return { done: true, answer };
        } finally {
          setPending((count) => count - 1);
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (isUnclear(error)) {
          // The broker may have done it before the connection broke; the lists know.
          if (error.status === NO_ANSWER && !o.handles?.includes(NO_ANSWER)) toast('bad', w.resultUnknown);
          void refresh(o.refresh ?? []);
        }
        return { done: false, error };
      } finally {
        running.current.delete(key);
      }
    },
    [endpoint],
  );
  return useMemo(
    () => Object.assign((given: RequestOf<E>) => run(given), { pending: pending > 0 }),
    [run, pending],
  );
}

/** Not a refusal: the request may have arrived, and only the way back of the answer failed. */
const isUnclear = ({ status }: ApiError): boolean => status < 400 || status >= 500;

function tell<E extends Endpoint>(
  o: ActionOptions<E>,
  given: RequestOf<E>,
  answer: AnswerOf<E>,
  undoLabel: string,
): void {
  const text = typeof o.success === 'function' ? o.success(answer, given) : o.success;
  if (text === undefined) return;
  const { undo } = o;
  if (!undo) {
    toast('good', text);
    return;
  }
  const takeBack = async () => {
    try {
      await undo(given, answer);
      await refresh(o.refresh ?? []);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // an ApiError was reported by its call
    }
  };
  toast('good', text, { label: undoLabel, run: () => void takeBack() });
}
