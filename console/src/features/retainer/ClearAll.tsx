import { Button, Modal, TextInput } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { useState } from 'react';
import { useAvailable } from '../../api/features.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { formatNumber } from '../../ui/format.ts';
import styles from './retainer.module.css';
import { words } from './words.ts';

/** Deletes every retained message of the cluster, once somebody has typed how many that are. */
export function ClearAll({ clear }: { clear: () => Promise<boolean> }) {
  const w = useWords(words);
  const [open, setOpen] = useState(false);
  const available = useAvailable(api.retainer.removeAll);
  // Of the whole list, whatever filter the page shows.
  const { data } = useEndpoint(
    api.retainer.messages,
    { query: { limit: 1 } },
    { quiet: true, progress: false, poll: COUNT_MS },
  );
  const counted = data?.meta.count;
  const count = counted !== undefined && counted >= 0 ? counted : undefined;
  const why = !available ? w.clearUnavailable : count === 0 ? w.nothingToClear : undefined;
  return (
    <>
      <Button
        color="red"
        variant="light"
        disabled={why !== undefined}
        title={why}
        onClick={() => setOpen(true)}
      >
        {w.clear}
      </Button>
      {open && <Question count={count} clear={clear} onClose={() => setOpen(false)} />}
    </>
  );
}

const COUNT_MS = 10_000;

function Question({
  count,
  clear,
  onClose,
}: {
  count: number | undefined;
  clear: () => Promise<boolean>;
  onClose: () => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const [typed, setTyped] = useState('');
  const [pending, setPending] = useState(false);
  // The number of the question: what comes in meanwhile must not change what is to be typed.
  const [asked] = useState(count);
  const wanted = asked === undefined ? w.clearWord : String(asked);
  const agreed = typed.replace(/[\s,.\u202f]/g, '') === wanted;
  const run = async () => {
    if (!agreed) return;
    setPending(true);
    await clear();
    onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.clearAsk}
      closeButtonProps={{ 'aria-label': w.close }}
      size={460}
    >
      <form
        className={styles.question}
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p className={styles.questionText}>
          {asked === undefined ? w.clearTextUncounted : w.clearText({ count: asked })}
        </p>
        <TextInput
          label={w.clearCount({ count: asked === undefined ? w.clearWord : formatNumber(asked, language) })}
          value={typed}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <div className={styles.buttons}>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button type="submit" variant="filled" color="red" disabled={!agreed} loading={pending}>
            {w.clear}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
