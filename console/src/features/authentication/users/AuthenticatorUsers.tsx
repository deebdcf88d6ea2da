import { Button } from '@mantine/core';
import type { Authenticator, AuthnUser } from '@mqdeck/contract/authentication';
import { useMemo, useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { refresh } from '../../../api/query-client.ts';
import { report } from '../../../api/report.ts';
import { download, request } from '../../../api/request.ts';
import { useAction } from '../../../api/use-action.ts';
import { useWords } from '../../../i18n/words.ts';
import type { BulkAction } from '../../../table/BulkBar.tsx';
import { columnsOf } from '../../../table/columns.tsx';
import { choiceFilter, textFilter } from '../../../table/filters.ts';
import { QueryTable } from '../../../table/QueryTable.tsx';
import type { RowAction } from '../../../table/RowMenu.tsx';
import { IconDownload, IconPlus, IconUpload } from '../../../ui/icons.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { shortText } from '../../../ui/short-text.ts';
import { toast } from '../../../ui/toast.ts';
import { useChain } from '../chain.ts';
import { ImportUsers } from './ImportUsers.tsx';
import { AddUser, EditUser } from './UserForms.tsx';
import styles from './users.module.css';
import { usersWords as words } from './words.ts';

const filters = [
  textFilter('like_user_id', words.user_id),
  choiceFilter(
    'is_superuser',
    words.is_superuser,
    [
      { value: 'true', label: words.yes },
      { value: 'false', label: words.no },
    ],
    { pinned: true },
  ),
];
const rowId = ({ user_id }: AuthnUser) => user_id;

/** The users that a built-in database lets in. */
export function AuthenticatorUsers({ authenticator }: { authenticator: Authenticator }) {
  const w = useWords(words);
  const { endpoints, gateway } = useChain();
  const { id, mechanism } = authenticator;
  const byClientid = authenticator.user_id_type === 'clientid';
  const columns = useMemo(() => {
    const column = columnsOf<AuthnUser>(words);
    return [
      column.id('user_id', { label: byClientid ? words.clientid : words.username, width: 240, grow: 3 }),
      column.flag('is_superuser', { width: 120 }),
    ];
  }, [byClientid]);
  const given = useMemo(() => ({ params: { id } }), [id]);
  const [form, setForm] = useState<AuthnUser | 'add' | 'import'>();
  const [opened, setOpened] = useState(false);
  const open = (next: AuthnUser | 'add' | 'import') => {
    setForm(next);
    setOpened(true);
  };
  const close = () => setOpened(false);

  const remove = useAction(endpoints.removeUser, {
    confirm: ({ params: { user_id } }) => ({
      title: w.removeAsk({ user: shortText(user_id) }),
      whole: user_id,
      text: w.removeText,
      action: w.remove,
      danger: true,
    }),
    refresh: [endpoints.users],
    success: (_, { params: { user_id } }) => w.removed({ user: shortText(user_id) }),
  });
  const actions = (user: AuthnUser): RowAction[] => [
    { label: w.edit, run: () => open(user) },
    { label: w.remove, danger: true, run: () => remove({ params: { id, user_id: user.user_id } }) },
  ];
  const bulk: BulkAction<AuthnUser>[] = [
    {
      label: w.remove,
      danger: true,
      confirm: (count) => w.removeMany({ count }),
      each: ({ user_id }) =>
        request(endpoints.removeUser, { params: { id, user_id } }, { quiet: true }).catch(ifNotGone),
      success: (count) => w.removedMany({ count }),
    },
  ];
  const fromFile = mechanism === 'password_based';
  return (
    <>
      <div className={styles.actions}>
        {fromFile && (
          <>
            {gateway === undefined && <ExportButton id={id} />}
            <Button leftSection={<IconUpload size={15} />} onClick={() => open('import')}>
              {w.import}
            </Button>
          </>
        )}
        <Button variant="filled" leftSection={<IconPlus size={15} />} onClick={() => open('add')}>
          {w.add}
        </Button>
      </div>
      <QueryTable<AuthnUser>
        query={endpoints.users}
        given={given}
        columns={columns}
        rowId={rowId}
        filters={filters}
        actions={actions}
        bulk={bulk}
        empty={w.empty}
        label={w.title}
        name="authentication-users"
      />
      <AddUser id={id} byClientid={byClientid} opened={opened && form === 'add'} onClose={close} />
      {typeof form === 'object' && <EditUser id={id} user={form} opened={opened} onClose={close} />}
      {opened && form === 'import' && (
        <ImportUsers
          authenticator={authenticator}
          onClose={() => {
            close();
            void refresh([endpoints.users]);
          }}
        />
      )}
    </>
  );
}

/** Somebody else has deleted it: what was wanted is so. */
function ifNotGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

/** Users with their hashes as a file that an import takes; not every broker hands them out. */
function ExportButton({ id }: { id: string }) {
  const w = useWords(words);
  const { endpoints } = useChain();
  const [state, setState] = useState<'ready' | 'busy' | 'missing'>('ready');
  const run = async () => {
    setState('busy');
    try {
      const answer = await download(endpoints.exportUsers, { params: { id } }, { quiet: true });
      saveFile(`users-${id.replace(/\W+/g, '-')}.csv`, [await answer.blob()], 'text/csv');
      toast('good', w.exportFile);
      setState('ready');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The authenticator is on screen, so what is not found is the call.
      const isMissing = error.absent || error.status === 404;
      setState(isMissing ? 'missing' : 'ready');
      if (isMissing) toast('info', w.exportMissing);
      else report(error);
    }
  };
  return (
    <Button
      leftSection={<IconDownload size={15} />}
      loading={state === 'busy'}
      disabled={state === 'missing'}
      {...(state === 'missing' ? { title: w.exportMissing } : {})}
      onClick={() => void run()}
    >
      {w.export}
    </Button>
  );
}
