import { Button, Modal } from '@mantine/core';
import { LICENSE_LENGTH_MAX, license } from '@mqdeck/contract/license';
import { type FormEvent, useId, useState } from 'react';
import { sentenceOf } from '../../api/report.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import styles from './license.module.css';
import { words } from './words.ts';

/** Takes the text of a license; what the broker says against it stands below the field. */
export function UpdateLicense({ onClose }: { onClose: () => void }) {
  const w = useWords(words);
  const id = useId();
  const [key, setKey] = useState('');
  const [fault, setFault] = useState<string>();
  const update = useAction(license.update, { refresh: [license.get], success: w.updated, handles: [400] });

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (key.trim() === '') return setFault(w.required);
    const outcome = await update({ body: { key: key.trim() } });
    if (outcome.done) onClose();
    else if (outcome.error?.status === 400) setFault(sentenceOf(outcome.error));
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={w.update}
      size={520}
      closeOnClickOutside={key === ''}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
        <p>{w.updateText}</p>
        <label htmlFor={id}>{w.key}</label>
        <textarea
          id={id}
          rows={6}
          value={key}
          maxLength={LICENSE_LENGTH_MAX}
          spellCheck={false}
          autoComplete="off"
          data-autofocus
          aria-invalid={fault !== undefined}
          aria-describedby={fault === undefined ? undefined : `${id}-fault`}
          onChange={(event) => {
            setKey(event.currentTarget.value);
            setFault(undefined);
          }}
        />
        {fault !== undefined && (
          <p id={`${id}-fault`} className={styles.fault} role="alert">
            {fault}
          </p>
        )}
        <div className={styles.buttons}>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button type="submit" variant="filled" loading={update.pending}>
            {w.update}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
