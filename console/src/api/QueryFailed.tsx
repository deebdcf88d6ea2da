import { ErrorState } from '../ui/ErrorState.tsx';
import type { ApiError } from './api-error.ts';
import { NotAvailable } from './NotAvailable.tsx';
import { sentenceInPlace } from './report.ts';

/** In place of what could not be loaded: a fact where the broker has no such thing, else an error with a retry. */
export function QueryFailed({ error, retry }: { error: ApiError; retry: () => unknown }) {
  return error.absent ? <NotAvailable /> : <ErrorState text={sentenceInPlace(error)} retry={retry} />;
}
