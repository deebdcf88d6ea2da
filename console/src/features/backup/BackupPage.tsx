import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { BackupFile } from '@mqdeck/contract/data';
import { useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { getConsoleInfo } from '../../api/console-info.ts';
import { useAvailable } from '../../api/features.ts';
import { sentenceOf } from '../../api/report.ts';
import { download } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { columnsOf } from '../../table/columns.tsx';
import { QueryTable } from '../../table/QueryTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { IconPlus, IconUpload } from '../../ui/icons.tsx';
import { Page } from '../../ui/Page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { toast } from '../../ui/toast.ts';
import { UploadProgress } from '../../ui/UploadProgress.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './backup.module.css';
import { CreateBackup } from './CreateBackup.tsx';
import { RestoreBackup } from './RestoreBackup.tsx';
import { useArchiveUpload } from './use-archive-upload.ts';
import { words } from './words.ts';

const LISTS = [api.data.files];

const column = columnsOf<BackupFile>(words);
const columns = [
  column.id('filename', { width: 300, grow: 3 }),
  column.bytes('size', { width: 100 }),
  column.time('created_at', { width: 150 }),
  column.text('node', { width: 160 }),
];

/** Archives of everything that operators have set and made. */
export function BackupPage() {
  const w = useWords(words);
  const [count, setCount] = useState<number>();
  const [creating, setCreating] = useState(false);
  const [restored, setRestored] = useState<BackupFile>();
  const { upload, name, sent, cancel } = useArchiveUpload();
  const available = useAvailable(api.data.files);
  const create = useAction(api.data.export, {
    refresh: LISTS,
    success: ({ filename }) => w.created({ name: visibleText(filename) }),
    handles: [0],
  });
  const remove = useAction(api.data.remove, {
    confirm: ({ params }) => ({
      title: w.removeAsk({ name: visibleText(params.filename) }),
      text: w.removeText,
      action: w.remove,
      danger: true,
    }),
    refresh: LISTS,
    success: (_, { params }) => w.removed({ name: visibleText(params.filename) }),
  });

  /** A cluster would ignore the passphrase: there, backups are not encrypted. */
  async function begin() {
    if ((await getConsoleInfo())?.mode === 'embedded') setCreating(true);
    else await run(null);
  }

  async function run(passphrase: string | null) {
    setCreating(false);
    const outcome = await create({ body: passphrase === null ? {} : { passphrase } });
    if (outcome.done || outcome.error?.status !== 0) return;
    if (outcome.error.timedOut) toast('info', w.createSlow);
    else toast('bad', sentenceOf(outcome.error));
  }

  async function save({ filename, node }: BackupFile) {
    try {
      const answer = await download(api.data.download, { params: { filename }, query: { node } });
      const blob = await answer.blob();
      saveFile(filename, [blob], blob.type);
    } catch (error) {
      // A refusal was told by the call; this is a connection that broke on the way
      if (!(error instanceof ApiError)) toast('bad', w.downloadBroken({ name: visibleText(filename) }));
    }
  }

  const actions = (file: BackupFile): RowAction[] => [
    { label: w.restoreMore, run: () => setRestored(file) },
    { label: w.download, run: () => save(file) },
    {
      label: w.remove,
      run: () => remove({ params: { filename: file.filename }, query: { node: file.node } }),
      danger: true,
    },
  ];
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={count === undefined ? undefined : w.found({ count })}
      actions={
        available && (
          <>
            <Upload busy={sent !== undefined} onFile={(file) => void upload(file)} />
            <Button
              variant="filled"
              leftSection={<IconPlus size={15} />}
              loading={create.pending}
              onClick={() => void begin()}
            >
              {w.create}
            </Button>
          </>
        )
      }
    >
      <p className={styles.status} role="status">
        {create.pending && w.creating}
      </p>
      {sent && <UploadProgress {...sent} name={name} then={w.checking({ name })} onCancel={cancel} />}
      <QueryTable<BackupFile>
        query={api.data.files}
        columns={columns}
        actions={actions}
        empty={w.empty}
        label={w.label}
        name="backups"
        refreshSeconds={0}
        onCount={setCount}
      />
      {creating && (
        <CreateBackup onCreate={(passphrase) => void run(passphrase)} onClose={() => setCreating(false)} />
      )}
      {restored && <RestoreBackup file={restored} onClose={() => setRestored(undefined)} />}
    </Page>
  );
}

function Upload({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const w = useWords(words);
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button leftSection={<IconUpload size={15} />} loading={busy} onClick={() => input.current?.click()}>
        {w.upload}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".tar.gz,.gz,.enc,application/gzip"
        className="visually-hidden"
        aria-label={w.upload}
        tabIndex={-1}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = '';
          if (file) onFile(file);
        }}
      />
    </>
  );
}
