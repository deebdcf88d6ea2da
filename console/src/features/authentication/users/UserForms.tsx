import type { AuthnUser } from '@mqdeck/contract/authentication';
import type { ApiError } from '../../../api/api-error.ts';
import { FormDrawer } from '../../../form/FormDrawer.tsx';
import { Secret, Text, Toggle } from '../../../form/fields.tsx';
import { useWords } from '../../../i18n/words.ts';
import { shortText } from '../../../ui/short-text.ts';
import { toast } from '../../../ui/toast.ts';
import { useChain } from '../chain.ts';
import { usersWords as words } from './words.ts';

interface FormProps {
  /** Of the authenticator. */
  id: string;
  opened: boolean;
  onClose: () => void;
}

const NEW_USER = { user_id: '', password: '', is_superuser: false };

export function AddUser({ id, byClientid, opened, onClose }: FormProps & { byClientid: boolean }) {
  const w = useWords(words);
  const { endpoints } = useChain();
  const faultOf = (error: ApiError) =>
    error.code === 'ALREADY_EXISTS'
      ? { field: 'user_id', text: w.taken }
      : /invalid_user_id/.test(error.message)
        ? { field: 'user_id', text: w.invalidUser }
        : undefined;
  return (
    <FormDrawer
      title={w.add}
      opened={opened}
      onClose={onClose}
      endpoint={endpoints.createUser}
      params={{ id }}
      initial={NEW_USER}
      words={words}
      submitLabel={w.add}
      refresh={[endpoints.users]}
      faultOf={faultOf}
      onDone={({ user_id }) => toast('good', w.added({ user: shortText(user_id) }))}
    >
      <Text name="user_id" label={byClientid ? w.clientid : w.username} required mono />
      <Secret name="password" fresh required />
      <Toggle name="is_superuser" />
    </FormDrawer>
  );
}

export function EditUser({ id, user, opened, onClose }: FormProps & { user: AuthnUser }) {
  const w = useWords(words);
  const { endpoints } = useChain();
  const { user_id, is_superuser } = user;
  return (
    <FormDrawer
      key={user_id}
      title={w.editOf({ user: shortText(user_id) })}
      opened={opened}
      onClose={onClose}
      endpoint={endpoints.updateUser}
      params={{ id, user_id }}
      initial={{ password: '', is_superuser }}
      words={words}
      refresh={[endpoints.users]}
      onDone={() => toast('good', w.saved({ user: shortText(user_id) }))}
    >
      <Secret name="password" hint={w.passwordEdit} fresh required />
      <Toggle name="is_superuser" />
    </FormDrawer>
  );
}
