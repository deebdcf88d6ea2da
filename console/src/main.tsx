import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { getSession, onSessionChange, onSessionEnd, restoreSession } from './api/session.ts';
import { words } from './api/words.ts';
import { isStorageBlocked } from './browser-storage.ts';
import { getLanguage, watchLanguage } from './i18n/language.ts';
import { wordsIn } from './i18n/words.ts';
import { currentPath, navigate } from './navigate.ts';
import { paths } from './paths.ts';
import { watchPreferences } from './preferences.ts';
import { router } from './router.ts';
import { pageNoticeWords } from './shell/PageNotices.tsx';
import { dismiss, toast } from './ui/toast.ts';

watchPreferences();
watchLanguage();
await restoreSession();

// However a session ends, the way leads to the login once, and back to where the user was.
let notice: number | undefined;
onSessionEnd((_reason, quiet) => {
  if (!quiet) notice = toast('bad', wordsIn(words, getLanguage()).expired);
  const here = currentPath();
  if (!here.startsWith(paths.login())) navigate(paths.login(here), 'replace');
});

let storageTold = false;
onSessionChange(() => {
  if (getSession() === null) return;
  if (notice !== undefined) dismiss(notice);
  if (storageTold || !isStorageBlocked()) return;
  storageTold = true;
  toast('warn', wordsIn(pageNoticeWords, getLanguage()).storageBlocked);
});

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
