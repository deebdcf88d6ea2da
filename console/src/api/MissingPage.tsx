import type { ReactNode } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ErrorState } from '../ui/ErrorState.tsx';
import { Page, Panel } from '../ui/Page.tsx';
import { SkeletonFacts } from '../ui/Skeleton.tsx';
import type { ApiError } from './api-error.ts';
import { sentenceInPlace } from './report.ts';

/** The page of one thing as long as the thing is not there: it is on its way, there is none, or it could not be loaded. */
export function MissingPage({
  title,
  error,
  none = error?.status === 404,
  missing,
  failed,
  retry,
}: {
  title: string;
  error: ApiError | null;
  /** The broker has no such thing. */
  none?: boolean | undefined;
  missing: { title: string; text: string; back: ReactNode };
  failed: string;
  retry: () => unknown;
}) {
  return (
    <Page title={title}>
      <Panel>
        {none ? (
          <EmptyState title={missing.title} text={missing.text} action={missing.back} />
        ) : error ? (
          <ErrorState title={failed} text={sentenceInPlace(error)} retry={retry} />
        ) : (
          <SkeletonFacts />
        )}
      </Panel>
    </Page>
  );
}
