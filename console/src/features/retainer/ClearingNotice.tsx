import { Button, Progress } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Clearing } from '@mqdeck/contract/retainer';
import { useEffect, useRef, useState } from 'react';
import { useAvailable } from '../../api/features.ts';
import { refresh } from '../../api/query-client.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { shortText } from '../../ui/short-text.ts';
import { toast } from '../../ui/toast.ts';
import styles from './retainer.module.css';
import { words } from './words.ts';

const RUNNING_MS = 500;
const IDLE_MS = 10_000;

/** The removal that is under way, whoever began it: how far it is, and a way to end it. Tells when it is over. */
export function ClearingNotice({ begun }: { begun: Clearing | undefined }) {
  const w = useWords(words);
  const [running, setRunning] = useState(false);
  const available = useAvailable(api.retainer.clearing);
  const { data } = useEndpoint(
    api.retainer.clearing,
    {},
    { quiet: true, progress: false, enabled: available, poll: running ? RUNNING_MS : IDLE_MS },
  );
  const stop = useAction(api.retainer.cancelClearing, { refresh: [api.retainer.clearing] });
  const seen = useRef<string>(undefined);
  const told = useRef<string>(undefined);

  useEffect(() => {
    setRunning(data?.state === 'running');
    if (!data) return;
    const { state, topic, removed, started_at: id } = data;
    if (state === 'running') seen.current = id;
    else if ((seen.current === id || begun?.started_at === id) && told.current !== id) {
      told.current = id;
      if (state === 'failed') toast('bad', w.clearFailed);
      else if (state === 'cancelled') toast('info', w.clearStopped({ count: removed }));
      else toast('good', topic === null ? w.cleared : w.removedMany({ count: removed }));
      void refresh([api.retainer.messages]);
    }
  }, [data, begun, w]);

  if (data?.state !== 'running') return null;
  const { topic, removed, total } = data;
  const what = topic === null ? w.clearingAll : w.clearingBranch({ topic: shortText(topic) });
  const percent = total === 0 ? 0 : Math.min(100, (100 * removed) / total);
  return (
    <section className={styles.clearing} aria-label={what}>
      <span className={styles.clearingWhat}>{what}</span>
      <Progress value={percent} aria-label={what} className={styles.clearingBar} transitionDuration={0} />
      <span className={styles.clearingCount}>{w.clearingCount({ removed, total })}</span>
      <Button size="compact-sm" loading={stop.pending} onClick={() => stop({})}>
        {w.stop}
      </Button>
    </section>
  );
}
