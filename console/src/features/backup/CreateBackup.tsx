import { Button, Modal, PasswordInput } from '@mantine/core';
import { PASSPHRASE_LENGTH } from '@mqdeck/contract/data';
import { type FormEvent, useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import styles from './backup.module.css';
import { words } from './words.ts';

type Fault = 'passphrase' | 'repeat';

/** Asks whether the new backup is encrypted, and with which passphrase. */
export function CreateBackup({
  onCreate,
  onClose,
}: {
  /** Null = not encrypted. */
  onCreate: (passphrase: string | null) => void;
  onClose: () => void;
}) {
  const w = useWords(words);
  const [isEncrypted, setIsEncrypted] = useState(true);
  const [fault, setFault] = useState<Fault>();

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isEncrypted) return onCreate(null);
    const form = event.currentTarget;
    const fields = new FormData(form);
    const passphrase = String(fields.get('passphrase') ?? '');
    const found =
      passphrase.length < PASSPHRASE_LENGTH.min || passphrase.length > PASSPHRASE_LENGTH.max
        ? 'passphrase'
        : passphrase !== fields.get('repeat')
          ? 'repeat'
          : undefined;
    setFault(found);
    if (found === undefined) return onCreate(passphrase);
    const wrong = form.elements.namedItem(found);
    if (wrong instanceof HTMLInputElement) wrong.focus();
  }

  const field = {
    size: 'sm',
    autoComplete: 'new-password',
    visibilityToggleButtonProps: { 'aria-label': w.show },
  };
  const choices = [
    { value: true, label: w.encrypted, hint: w.encryptedHint },
    { value: false, label: w.plain, hint: w.plainHint },
  ];
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.create}
      size={520}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <form className={styles.restore} noValidate onSubmit={submit}>
        <fieldset className={styles.choices}>
          <legend className="visually-hidden">{w.protection}</legend>
          {choices.map(({ value, label, hint }) => (
            <label key={label}>
              <input
                type="radio"
                name="encrypted"
                checked={isEncrypted === value}
                onChange={() => setIsEncrypted(value)}
              />
              <span>
                {label}
                <span className={styles.hint}>{hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {isEncrypted && (
          <>
            <PasswordInput
              {...field}
              data-autofocus
              name="passphrase"
              label={w.passphrase}
              description={fault === 'passphrase' ? undefined : w.passphraseRule(PASSPHRASE_LENGTH)}
              error={fault === 'passphrase' && w.passphraseRule(PASSPHRASE_LENGTH)}
              aria-invalid={fault === 'passphrase' || undefined}
            />
            <PasswordInput
              {...field}
              name="repeat"
              label={w.repeat}
              error={fault === 'repeat' && w.mismatch}
              aria-invalid={fault === 'repeat' || undefined}
            />
            <p className={styles.note}>{w.passphraseLost}</p>
          </>
        )}
        <div className={styles.buttons}>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button type="submit" variant="filled">
            {w.create}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
