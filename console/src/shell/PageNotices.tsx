import { useServerAway } from '../api/use-console-info.ts';
import { useStorageBlocked } from '../browser-storage.ts';
import { defineWords, useWords } from '../i18n/words.ts';
import { Notice } from '../ui/Notice.tsx';

export const pageNoticeWords = defineWords({
  serverAway: {
    en: 'The server is not responding. This page continues when the server responds.',
    zh: '服务器无响应。服务器恢复后，本页面将自动继续。',
  },
  storageBlocked: {
    en: 'This browser blocks storage for this site. After a reload you must sign in again, and settings of the console are lost.',
    zh: '浏览器禁止本站点存储数据。重新加载页面后需要重新登录，控制台设置也不会保留。',
  },
});

export function ServerNotice() {
  const w = useWords(pageNoticeWords);
  return useServerAway() ? (
    <Notice is="warn" role="status">
      {w.serverAway}
    </Notice>
  ) : null;
}

export function StorageNotice() {
  const w = useWords(pageNoticeWords);
  return useStorageBlocked() ? (
    <Notice is="warn" role="status">
      {w.storageBlocked}
    </Notice>
  ) : null;
}
