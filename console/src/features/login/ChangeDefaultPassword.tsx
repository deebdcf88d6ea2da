import { Button, PasswordInput } from '@mantine/core';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { sentenceOf } from '../../api/report.ts';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { FormProblem } from './FormProblem.tsx';
import styles from './LoginPage.module.css';
import { changePassword, newPasswordFault } from './sign-in.ts';
import { words } from './words.ts';

/** The reminder after a sign-in with the default password; it can be put off, and comes again next time. */
export function ChangeDefaultPassword({
  username,
  password: old,
  done,
}: {
  username: string;
  password: string;
  done: () => void;
}) {
  const w = useWords(words);
  const first = useRef<HTMLInputElement>(null);
  const whyId = useId();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<ReturnType<typeof newPasswordFault>>(null);
  const [error, setError] = useState<ApiError | null>(null);

  useEffect(() => first.current?.focus(), []);

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const fields = new FormData(form);
    const password = String(fields.get('new-password') ?? '');
    const found = newPasswordFault(old, password, String(fields.get('repeat') ?? ''));
    setFault(found);
    setError(null);
    if (found !== null) {
      const wrong = form.elements.namedItem(found === 'mismatch' ? 'repeat' : 'new-password');
      if (wrong instanceof HTMLInputElement) wrong.focus();
      return;
    }
    setBusy(true);
    try {
      await changePassword(username, old, password);
      toast('good', w.changed);
      done();
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause);
      setBusy(false);
    }
  };
  const toggle = { 'aria-label': w.show };
  return (
    <form className={styles.form} aria-describedby={whyId} noValidate onSubmit={(event) => void send(event)}>
      <h1 className={styles.title}>{w.changeTitle}</h1>
      <p id={whyId} className={styles.text}>
        {w.changeText({ username })}
      </p>
      {error && <FormProblem text={sentenceOf(error)} />}
      {/* Password managers file the new password under this name. */}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <PasswordInput
        ref={first}
        name="new-password"
        required
        withAsterisk={false}
        label={w.newPassword}
        description={fault === 'rule' ? undefined : w.rule}
        size="sm"
        autoComplete="new-password"
        error={fault === 'rule' ? w.rule : fault === 'same' ? w.same : undefined}
        aria-invalid={fault === 'rule' || fault === 'same' || undefined} // Mantine does not say it of passwords
        visibilityToggleButtonProps={toggle}
      />
      <PasswordInput
        name="repeat"
        required
        withAsterisk={false}
        label={w.repeat}
        size="sm"
        autoComplete="new-password"
        error={fault === 'mismatch' ? w.mismatch : undefined}
        aria-invalid={fault === 'mismatch' || undefined}
        visibilityToggleButtonProps={toggle}
      />
      <Button type="submit" variant="filled" size="sm" fullWidth loading={busy}>
        {w.change}
      </Button>
      <Button variant="subtle" size="sm" fullWidth disabled={busy} onClick={done}>
        {w.skip}
      </Button>
    </form>
  );
}
