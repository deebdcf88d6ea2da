import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { DEFAULT_USER, type User } from '@mqdeck/contract/users';
import { useState } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useSession } from '../../api/session.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { columnsOf } from '../../table/columns.tsx';
import { LocalTable } from '../../table/LocalTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { IconPlus } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { AddUser, ChangePassword, EditNote } from './UserForms.tsx';
import styles from './users.module.css';
import { words } from './words.ts';

const column = columnsOf<User>({ username: words.username, description: words.description });
const columns = [
  column.custom('username', ({ username }) => <Username username={username} />, {
    sort: 'username',
    width: 220,
  }),
  column.text('description', { width: 260, grow: 3 }),
];

/** Which form is open, and of whom. */
type Form = { kind: 'add' } | { kind: 'note' | 'password'; user: User };

export function UsersPage() {
  const w = useWords(words);
  const me = useSession()?.username;
  const { data, error, refetch } = useEndpoint(api.users.list, {}, { quiet: true });
  const [form, setForm] = useState<Form>();
  const [opened, setOpened] = useState(false);
  const open = (next: Form) => {
    setForm(next);
    setOpened(true);
  };
  const remove = useAction(api.users.remove, {
    confirm: ({ params: { username } }) => ({
      title: w.removeAsk({ username: visibleText(username) }),
      text: w.removeText,
      action: w.remove,
      danger: true,
    }),
    refresh: [api.users.list],
    success: (_, { params: { username } }) => w.removed({ username: visibleText(username) }),
  });
  const actions = (user: User): RowAction[] => [
    { label: w.editNote, run: () => open({ kind: 'note', user }) },
    { label: w.changePassword, run: () => open({ kind: 'password', user }) },
    {
      label: w.remove,
      danger: true,
      run: () => remove({ params: { username: user.username } }),
      disabledReason:
        user.username === me ? w.notYourself : user.username === DEFAULT_USER.username && w.notDefault,
    },
  ];
  // The form keeps its user while its drawer slides away.
  const close = () => setOpened(false);
  // The menu of the account leads here with one's own form open: `?password=own`.
  const { values, set } = useUrlState();
  const user = form && form.kind !== 'add' ? form.user : undefined;
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={data ? w.found({ count: data.length }) : undefined}
      actions={
        <Button variant="filled" leftSection={<IconPlus size={15} />} onClick={() => open({ kind: 'add' })}>
          {w.add}
        </Button>
      }
    >
      {error?.absent && !data ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        <LocalTable
          rows={data ?? undefined}
          columns={columns}
          actions={actions}
          empty={w.empty}
          label={w.title}
          name="users"
          error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
        />
      )}
      <AddUser opened={opened && form?.kind === 'add'} onClose={close} />
      {user && (
        <>
          <EditNote user={user} opened={opened && form?.kind === 'note'} onClose={close} />
          <ChangePassword
            username={user.username}
            own={user.username === me}
            opened={opened && form?.kind === 'password'}
            onClose={close}
          />
        </>
      )}
      {me !== undefined && (
        <ChangePassword
          username={me}
          own
          opened={values.password === 'own'}
          onClose={() => set({ password: undefined }, 'replace')}
        />
      )}
    </Page>
  );
}

function Username({ username }: { username: string }) {
  const w = useWords(words);
  const me = useSession()?.username;
  return (
    <span className={styles.username}>
      <bdi>{visibleText(username)}</bdi>
      {username === me && <span className={styles.you}>{w.you}</span>}
    </span>
  );
}
