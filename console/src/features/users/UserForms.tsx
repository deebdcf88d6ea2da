import { api } from '@mqdeck/contract/api';
import type { User } from '@mqdeck/contract/users';
import { useEffect } from 'react';
import { useWatch } from 'react-hook-form';
import { request } from '../../api/request.ts';
import { endSession, expectSessionEnd } from '../../api/session.ts';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Secret, Text } from '../../form/fields.tsx';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { faultOf, newPasswordProblem, passwordProblem, repeatProblem, usernameFault } from './user-checks.ts';
import { words } from './words.ts';

interface FormProps {
  opened: boolean;
  onClose: () => void;
}

const NEW_USER = { username: '', password: '', repeat: '', description: '' };

export function AddUser({ opened, onClose }: FormProps) {
  const w = useWords(words);
  return (
    <FormDrawer
      title={w.add}
      opened={opened}
      onClose={onClose}
      endpoint={api.users.create}
      initial={NEW_USER}
      words={words}
      submitLabel={w.add}
      refresh={[api.users.list]}
      toBody={({ username, password, description }) => ({
        username: String(username).trim(),
        password,
        description,
      })}
      faultOf={(error) => faultOf(error, w)}
      onDone={({ username }) => toast('good', w.added({ username: visibleText(username) }))}
    >
      <Text name="username" required autoComplete="off" check={(value) => usernameFault(value, w)} />
      <Secret name="password" fresh required hint={w.rule} check={(value) => passwordProblem(value, w)} />
      <Repeat of="password" label={w.repeat} />
      <Text name="description" />
    </FormDrawer>
  );
}

export function EditNote({ user: { username, description }, opened, onClose }: FormProps & { user: User }) {
  const w = useWords(words);
  return (
    <FormDrawer
      key={username}
      title={w.noteOf({ username: visibleText(username) })}
      opened={opened}
      onClose={onClose}
      endpoint={api.users.update}
      params={{ username }}
      initial={{ description }}
      current={async () => {
        const users = await request(api.users.list, {}, { quiet: true });
        const user = users.find((one) => one.username === username);
        return user ? { description: user.description } : null;
      }}
      words={words}
      refresh={[api.users.list]}
      onDone={() => toast('good', w.noteSaved)}
    >
      <Text name="description" />
    </FormDrawer>
  );
}

const NEW_PASSWORD = { old_pwd: '', new_pwd: '', repeat: '' };

/** Of one's own it ends the session everywhere, here too: the broker lets the tokens die with the old password. */
export function ChangePassword({
  username,
  own,
  opened,
  onClose,
}: FormProps & { username: string; own: boolean }) {
  const w = useWords(words);
  const name = { username: visibleText(username) };
  // A poll may find the token dead before the answer is here; that is no news to the user.
  useEffect(() => (own && opened ? expectSessionEnd() : undefined), [own, opened]);
  return (
    <FormDrawer
      key={username}
      title={w.passwordOf(name)}
      opened={opened}
      onClose={onClose}
      endpoint={api.users.changePassword}
      params={{ username }}
      initial={NEW_PASSWORD}
      words={words}
      submitLabel={w.changePassword}
      toBody={({ old_pwd, new_pwd }) => ({ old_pwd, new_pwd })}
      faultOf={(error) => faultOf(error, w)}
      onDone={() => {
        toast('good', own ? w.ownPasswordChanged : w.passwordChanged(name));
        if (own) endSession('signed-out');
      }}
    >
      <Secret name="old_pwd" fresh required autoComplete="current-password" />
      <NewPassword hint={own ? w.ownPasswordText({ rule: w.rule }) : w.rule} />
      <Repeat of="new_pwd" label={w.repeatNew} />
    </FormDrawer>
  );
}

function NewPassword({ hint }: { hint: string }) {
  const w = useWords(words);
  const old = useWatch({ name: 'old_pwd' });
  return (
    <Secret name="new_pwd" fresh required hint={hint} check={(value) => newPasswordProblem(old, value, w)} />
  );
}

function Repeat({ of, label }: { of: string; label: string }) {
  const w = useWords(words);
  const password = useWatch({ name: of });
  return (
    <Secret name="repeat" fresh required label={label} check={(value) => repeatProblem(password, value, w)} />
  );
}
