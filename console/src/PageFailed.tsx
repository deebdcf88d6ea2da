import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { defineWords, useWords } from './i18n/words.ts';
import { ErrorState } from './ui/ErrorState.tsx';

const words = defineWords({
  pageFailed: { en: 'This page could not be shown', zh: '页面无法显示' },
  pageFailedText: {
    en: 'Its code did not load, or it failed. The rest of the console still works.',
    zh: '页面代码未能加载或运行出错，控制台的其他部分不受影响。',
  },
});

/** In place of a page whose code did not load or that failed while drawing. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const w = useWords(words);
  const router = useRouter();
  return (
    <ErrorState
      title={w.pageFailed}
      text={`${w.pageFailedText} (${error instanceof Error ? error.message : String(error)})`}
      retry={() => {
        reset();
        void router.invalidate();
      }}
    />
  );
}
