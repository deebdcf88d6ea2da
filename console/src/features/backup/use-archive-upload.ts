import { api } from '@mqdeck/contract/api';
import { BACKUP_EXTENSION, BACKUP_UPLOAD_BYTES_MAX, isEncryptedBackup } from '@mqdeck/contract/data';
import { useState } from 'react';
import { getConsoleInfo } from '../../api/console-info.ts';
import { refresh } from '../../api/query-client.ts';
import { sentenceOfDeed } from '../../api/report.ts';
import { useUpload } from '../../api/use-upload.ts';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { words } from './words.ts';

const TOO_LARGE = 413;

/** Brings an archive to the broker. What is too large is one for the command line. */
export function useArchiveUpload() {
  const w = useWords(words);
  const { send, sent, cancel } = useUpload(api.data.upload);
  const [name, setName] = useState('');

  async function upload(file: File): Promise<unknown> {
    const named = { name: visibleText(file.name) };
    if (!file.name.endsWith(BACKUP_EXTENSION) && !isEncryptedBackup(file.name))
      return toast('bad', w.extension);
    const isOurs = (await getConsoleInfo())?.mode === 'embedded';
    const tooLarge = () => toast('bad', isOurs ? w.tooLarge(named) : w.tooLargeCluster(named));
    if (isOurs && file.size > BACKUP_UPLOAD_BYTES_MAX) return tooLarge();
    const body = new FormData();
    body.append('filename', file);
    setName(named.name);
    const outcome = await send({ body });
    if (outcome.done) {
      await refresh([api.data.files]);
      return toast('good', w.uploaded(named));
    }
    if (!outcome.error) return; // cancelled
    if (outcome.error.status === TOO_LARGE) return tooLarge();
    toast('bad', w.uploadFailed({ reason: sentenceOfDeed(outcome.error) }));
  }
  return { upload, name, sent, cancel };
}
