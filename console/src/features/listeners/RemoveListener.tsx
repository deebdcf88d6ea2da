import { Button, Modal } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { type FormEvent, useId, useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './listeners.module.css';
import { CHANGED } from './use-deeds.ts';
import { words } from './words.ts';

/** Deletes a listener once its name was typed: its clients are gone with it. */
export function RemoveListener({
  id,
  name,
  count,
  onClose,
}: {
  id: string;
  name: string;
  /** Of its connections. */
  count: number;
  onClose: () => void;
}) {
  const w = useWords(words);
  const field = useId();
  const [typed, setTyped] = useState('');
  const remove = useAction(api.listeners.remove, { refresh: CHANGED, success: w.removed({ id }) });
  const right = typed === name;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (right && !remove.pending && (await remove({ params: { id } })).done) onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.removeAsk({ id: visibleText(id) })}
      closeButtonProps={{ 'aria-label': w.close }}
      size={440}
      lockScroll={false}
    >
      <form className={styles.remove} onSubmit={(event) => void submit(event)}>
        <p>{count === 0 ? w.removeNobody : w.removeText({ count })}</p>
        <label htmlFor={field}>{w.typeName({ name: visibleText(name) })}</label>
        <input
          id={field}
          className={styles.typed}
          data-autofocus
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <div className={styles.buttons}>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button type="submit" variant="filled" color="red" disabled={!right} loading={remove.pending}>
            {w.remove}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
