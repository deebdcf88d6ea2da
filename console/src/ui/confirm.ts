/** Keeps the one question on screen; `confirm` asks it and `answerConfirm` takes it away. */
export interface ConfirmOptions {
  /** The question; names the thing and how many of them. */
  title: string;
  /** The whole name of the thing where the title has it shortened: to be read on hover and copied. */
  whole?: string | undefined;
  /** What follows from it. */
  text?: string | undefined;
  /** The verb on the button; "Confirm" when left out. */
  action?: string | undefined;
  /** True only for what cannot be undone: the button is red. */
  danger?: boolean | undefined;
}

let question: ConfirmOptions | null = null;
let resolveQuestion: ((yes: boolean) => void) | undefined;
const listeners = new Set<() => void>();

/** Asks in a dialog; true is a yes. A second question while one is open counts as no. */
export function confirm(options: ConfirmOptions | string): Promise<boolean> {
  if (question) return Promise.resolve(false);
  question = typeof options === 'string' ? { title: options } : options;
  notify();
  return new Promise((resolve) => {
    resolveQuestion = resolve;
  });
}

export function answerConfirm(yes: boolean): void {
  question = null;
  resolveQuestion?.(yes);
  resolveQuestion = undefined;
  notify();
}

export const getQuestion = (): ConfirmOptions | null => question;

export function onQuestionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}
