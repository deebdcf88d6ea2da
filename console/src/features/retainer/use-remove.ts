import { api } from '@mqdeck/contract/api';
import { ApiError } from '../../api/api-error.ts';
import { refresh } from '../../api/query-client.ts';
import { sentenceOf } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { isLong, shortText } from '../../ui/short-text.ts';
import { toast } from '../../ui/toast.ts';
import { hasPath } from './topics.ts';
import { words } from './words.ts';

/** False when it was not there any more. Throws what the broker refused. */
export async function removeMessage(topic: string): Promise<boolean> {
  if (!hasPath(topic)) {
    // As a client would: an empty retained message takes the kept one away [MQTT-3.3.1-6].
    await request(api.publish.one, { body: { topic, payload: '', retain: true } }, { quiet: true });
    return true;
  }
  try {
    await request(api.retainer.remove, { params: { topic } }, { quiet: true });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && !error.absent) return false;
    throw error;
  }
}

/** Deletes the message of a topic, after a question. */
export function useRemove(): (topic: string) => Promise<void> {
  const w = useWords(words);
  return async (topic) => {
    const name = shortText(topic);
    const yes = await confirm({
      title: w.removeAsk({ topic: name }),
      ...(isLong(topic) && { whole: topic }),
      text: w.removeText,
      action: w.remove,
      danger: true,
    });
    if (!yes) return;
    try {
      const done = await removeMessage(topic);
      toast(done ? 'good' : 'info', done ? w.removed({ topic: name }) : w.goneAlready);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      toast('bad', sentenceOf(error));
    } finally {
      await refresh([api.retainer.messages]);
    }
  };
}
