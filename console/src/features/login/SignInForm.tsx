import { Button, PasswordInput, TextInput } from '@mantine/core';
import { LOGIN_LOCK } from '@mqdeck/contract/login';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { sentenceOf } from '../../api/report.ts';
import { useWords } from '../../i18n/words.ts';
import { FormProblem } from './FormProblem.tsx';
import styles from './LoginPage.module.css';
import { words } from './words.ts';

/** A plain form, read when it is sent: the login needs no form library. */
export function SignInForm({ submit }: { submit: (username: string, password: string) => Promise<void> }) {
  const w = useWords(words);
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [empty, setEmpty] = useState({ username: false, password: false });
  const [error, setError] = useState<ApiError | null>(null);

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const fields = new FormData(event.currentTarget);
    const username = String(fields.get('username') ?? '').trim();
    const password = String(fields.get('password') ?? '');
    setEmpty({ username: username === '', password: password === '' });
    setError(null);
    if (username === '' || password === '') {
      focus(username === '' ? 'username' : 'password');
      return;
    }
    setBusy(true);
    try {
      await submit(username, password);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause);
      focus('password', true);
    } finally {
      setBusy(false);
    }
  };
  const focus = (name: string, selected = false) => {
    const field = form.current?.elements.namedItem(name);
    if (!(field instanceof HTMLInputElement)) return;
    field.focus();
    if (selected) field.select();
  };
  return (
    <form ref={form} className={styles.form} noValidate onSubmit={(event) => void send(event)}>
      <h1 className={styles.title}>{w.title}</h1>
      {error && <FormProblem text={problemText(error, w)} />}
      <TextInput
        name="username"
        label={w.username}
        size="sm"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        error={empty.username && w.usernameRequired}
      />
      <PasswordInput
        name="password"
        label={w.password}
        size="sm"
        autoComplete="current-password"
        error={empty.password && w.passwordRequired}
        aria-invalid={empty.password || undefined} // Mantine says it for the other inputs only
        visibilityToggleButtonProps={{ 'aria-label': w.show }}
      />
      <Button type="submit" variant="filled" size="sm" fullWidth loading={busy}>
        {w.submit}
      </Button>
    </form>
  );
}

function problemText(error: ApiError, w: ReturnType<typeof useWords<typeof words>>): string {
  if (error.code === 'LOGIN_LOCKED')
    return w.locked({ minutes: Math.ceil((error.retryAfterSeconds ?? LOGIN_LOCK.lockSeconds) / 60) });
  return error.code === 'BAD_USERNAME_OR_PWD' ? w.wrong : sentenceOf(error);
}
