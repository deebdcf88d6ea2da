import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { LogFile } from '@mqdeck/contract/log';
import { useAvailable } from '../../api/features.ts';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { refresh } from '../../api/query-client.ts';
import { sentenceInPlace } from '../../api/report.ts';
import { download } from '../../api/request.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { columnsOf } from '../../table/columns.tsx';
import { LocalTable } from '../../table/LocalTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { IconRefresh } from '../../ui/icons.tsx';
import { Mark } from '../../ui/State.tsx';
import { saveFile } from '../../ui/save-file.ts';
import styles from './log.module.css';
import { words } from './words.ts';

const column = columnsOf<LogFile>({ ...words, name: words.file });
const columns = [
  column.id('name', { width: 200 }),
  column.text('handler', { width: 120 }),
  column.custom(
    'current',
    ({ current }, language) => (current ? <Mark tone="good">{words.writing[language]}</Mark> : null),
    {
      label: words.state,
      value: ({ current }) => current,
      width: 130,
    },
  ),
  column.bytes('size'),
  column.time('mtime'),
];

/** The files there are, to be fetched; a part of its own, because real brokers do not hand them out. */
export function LogFiles() {
  const w = useWords(words);
  const available = useAvailable(api.log.files);
  const { data, error, refetch } = useEndpoint(api.log.files, {}, { quiet: true, enabled: available });
  const fetchFile = async ({ name }: LogFile) => {
    const answer = await download(api.log.download, { params: { name } });
    saveFile(name, [await answer.blob()], 'text/plain');
  };
  const actions = (file: LogFile): RowAction[] => [{ label: w.download, run: () => fetchFile(file) }];
  return (
    <section className={styles.part}>
      <div className={styles.head}>
        <div>
          <h2 className={styles.title}>{w.logFiles}</h2>
          <p className={styles.purpose}>{w.logFilesText}</p>
        </div>
        {available && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            onClick={() => void refresh([api.log.files])}
          >
            {w.reload}
          </Button>
        )}
      </div>
      {available ? (
        <LocalTable
          rows={data}
          columns={columns}
          rowId={({ name }) => name}
          actions={actions}
          empty={<EmptyState title={w.noFiles} text={w.noFilesText} />}
          label={w.logFiles}
          name="log-files"
          prefix="files"
          error={error ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
        />
      ) : (
        <NotAvailable />
      )}
    </section>
  );
}
