import { Menu } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useLanguage, useWords } from '../i18n/words.ts';
import { IconChevronDown, IconDownload } from '../ui/icons.tsx';
import { toast } from '../ui/toast.ts';
import { reasonOf } from './BulkBar.tsx';
import type { Column } from './columns.tsx';
import { exportName, type ReadProgress, saveAs, toCsv, toJson } from './export.ts';
import classes from './table.module.css';
import { words } from './words.ts';

/** Writes the whole filtered list into a file, with progress and a way out. */
export function ExportMenu<Row>({
  name,
  columns,
  read,
}: {
  /** What the file is called. */
  name: string;
  columns: readonly Column<Row>[];
  read: (signal: AbortSignal, onProgress: (progress: ReadProgress) => void) => Promise<readonly Row[]>;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const [progress, setProgress] = useState<ReadProgress>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  async function write(format: 'csv' | 'json') {
    const controller = new AbortController();
    abort.current = controller;
    setProgress({ rows: 0 });
    try {
      const rows = await read(controller.signal, setProgress);
      const content =
        format === 'json'
          ? toJson(rows)
          : toCsv(
              rows,
              columns.map(({ label, value }) => ({ label: label[language], value })),
            );
      saveAs(exportName(name, format, new Date()), content, format);
      toast('good', w.exported({ rows: rows.length }));
    } catch (error) {
      if (!controller.signal.aborted)
        toast('bad', w.exportFailed({ reason: reasonOf(error, w.unknownReason) }));
    } finally {
      setProgress(undefined);
    }
  }

  if (progress)
    return (
      <div className={classes.tools}>
        <span role="status" className={classes.age}>
          {progress.total === undefined
            ? w.exporting({ rows: progress.rows })
            : w.exportingOf({ rows: progress.rows, total: progress.total })}
        </span>
        <button type="button" className={classes.toolButton} onClick={() => abort.current?.abort()}>
          {w.cancel}
        </button>
      </div>
    );
  return (
    <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <button type="button" className={classes.toolButton}>
          <IconDownload size={15} />
          <span>{w.export}</span>
          <IconChevronDown size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void write('csv')}>{w.exportCsv}</Menu.Item>
        <Menu.Item onClick={() => void write('json')}>{w.exportJson}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
