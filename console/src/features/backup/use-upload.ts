import { api } from '@mqdeck/contract/api';
import { BACKUP_EXTENSION, BACKUP_UPLOAD_BYTES_MAX } from '@mqdeck/contract/data';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { getConsoleInfo } from '../../api/console-info.ts';
import { refresh } from '../../api/query-client.ts';
import { sentenceOf } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { words } from './words.ts';

const TOO_LARGE = 413;

/** Brings an archive to the broker. What is too large, or too slow to arrive, is one for the command line. */
export function useUpload() {
  const w = useWords(words);
  const [name, setName] = useState<string>();

  async function upload(file: File): Promise<unknown> {
    const named = { name: visibleText(file.name) };
    if (!file.name.endsWith(BACKUP_EXTENSION)) return toast('bad', w.extension);
    const isOurs = (await getConsoleInfo())?.mode === 'embedded';
    const tooLarge = () => toast('bad', isOurs ? w.tooLarge(named) : w.tooLargeCluster(named));
    if (isOurs && file.size > BACKUP_UPLOAD_BYTES_MAX) return tooLarge();
    const body = new FormData();
    body.append('filename', file);
    setName(file.name);
    try {
      await request(api.data.upload, { body }, { quiet: true });
      await refresh([api.data.files]);
      toast('good', w.uploaded(named));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === TOO_LARGE || error.timedOut) tooLarge();
      else toast('bad', w.uploadFailed({ reason: sentenceOf(error) }));
    } finally {
      setName(undefined);
    }
  }
  return { upload, name };
}
