import { Modal, Progress } from '@mantine/core';
import { useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { sentenceOf, sentenceOfDeed } from '../api/report.ts';
import { useWords } from '../i18n/words.ts';
import { toast } from '../ui/toast.ts';
import { type BulkProgress, type BulkResult, runBulk } from './bulk.ts';
import { EVERYTHING, NOTHING, type Selection, selectedCount } from './selection.ts';
import classes from './table.module.css';
import { words } from './words.ts';

/** Shown at once; the rest is counted. */
const FAILURES_SHOWN = 50;

/** A deed on many rows. `each` is called per row; `many` where the endpoint takes several. */
export interface BulkAction<Row> {
  label: string;
  /** The question before it begins; names what follows. */
  confirm?: ((count: number) => string) | undefined;
  danger?: boolean | undefined;
  each?: (row: Row, signal: AbortSignal) => Promise<unknown>;
  many?: (rows: readonly Row[], signal: AbortSignal) => Promise<unknown>;
  /** Rows per call of `many`. */
  batch?: number;
  /** Said when all of them are done; what went wrong is told in the dialog. */
  success?: ((count: number) => string) | undefined;
  /** No question and no progress: a deed of this browser alone, such as copying. */
  instant?: (rows: readonly Row[]) => unknown;
}

export const reasonOf = (error: unknown, unknown: string, sentence = sentenceOf): string =>
  error instanceof ApiError
    ? sentence(error)
    : error instanceof Error && error.message
      ? error.message
      : unknown;

type Stage<Row> =
  | { kind: 'ask' }
  | { kind: 'read'; rows: number }
  | { kind: 'run'; progress: BulkProgress<Row> }
  | { kind: 'done'; result: BulkResult<Row> }
  | { kind: 'broken'; reason: string };

/** What is selected and what can be done with it; the deed's question, progress and outcome. */
export function BulkBar<Row>({
  selection,
  count,
  pageRows,
  rowId,
  actions,
  onSelect,
  rowsOf,
  onDone,
}: {
  selection: Selection;
  /** Rows that match the filters, undefined where nobody counted. */
  count: number | undefined;
  pageRows: number;
  rowId: (row: Row) => string;
  actions: readonly BulkAction<Row>[];
  onSelect: (next: Selection) => void;
  /** Fetches the selected rows, wherever they are. */
  rowsOf: (selection: Selection, signal: AbortSignal, onRead: (rows: number) => void) => Promise<Row[]>;
  onDone: () => void;
}) {
  const w = useWords(words);
  const [running, setRunning] = useState<BulkAction<Row>>();
  const chosen = selectedCount(selection, count);
  if (chosen === 0 && !running) return null;
  const canSelectMatching = count !== undefined && count > pageRows && chosen < count;

  async function start(action: BulkAction<Row>) {
    if (!action.instant) {
      setRunning(action);
      return;
    }
    const { instant } = action;
    instant(await rowsOf(selection, new AbortController().signal, () => undefined));
  }

  return (
    <section className={classes.bulk} aria-label={w.selectionActions}>
      <span className={classes.bulkCount} aria-live="polite">
        {w.selected({ count: chosen })}
      </span>
      {actions.map((action) => (
        <button
          key={action.label}
          type="button"
          className={classes.toolButton}
          data-danger={action.danger || undefined}
          onClick={() => void start(action)}
        >
          {action.label}
          {action.instant ? '' : '…'}
        </button>
      ))}
      {canSelectMatching && (
        <button type="button" className={classes.plainButton} onClick={() => onSelect(EVERYTHING)}>
          {w.selectMatching({ count })}
        </button>
      )}
      <button type="button" className={classes.plainButton} onClick={() => onSelect(NOTHING)}>
        {w.clearSelection}
      </button>
      {running && (
        <BulkDialog
          action={running}
          count={chosen}
          rowId={rowId}
          rows={(signal, onRead) => rowsOf(selection, signal, onRead)}
          onClose={(began, failed) => {
            setRunning(undefined);
            if (!began) return;
            // What failed stays selected for another try.
            onSelect({ kind: 'some', ids: new Set(failed.map(rowId)) });
            onDone();
          }}
        />
      )}
    </section>
  );
}

function BulkDialog<Row>({
  action,
  count,
  rowId,
  rows,
  onClose,
}: {
  action: BulkAction<Row>;
  count: number;
  rowId: (row: Row) => string;
  rows: (signal: AbortSignal, onRead: (rows: number) => void) => Promise<Row[]>;
  onClose: (began: boolean, failed: Row[]) => void;
}) {
  const w = useWords(words);
  const [stage, setStage] = useState<Stage<Row>>({ kind: 'ask' });
  const abort = useRef<AbortController>(undefined);
  // The number of the question; the list behind it may shrink while the deed is done.
  const [asked] = useState(count);
  const { label, confirm, danger, each, many, batch = 100, success } = action;

  async function run() {
    const controller = new AbortController();
    abort.current = controller;
    setStage({ kind: 'read', rows: 0 });
    let list: Row[];
    try {
      list = await rows(controller.signal, (read) => setStage({ kind: 'read', rows: read }));
    } catch (error) {
      if (controller.signal.aborted) onClose(false, []);
      else setStage({ kind: 'broken', reason: reasonOf(error, w.unknownReason) });
      return;
    }
    setStage({ kind: 'run', progress: { done: 0, total: list.length, failed: [] } });
    const act = many
      ? (some: readonly Row[], signal: AbortSignal) => many(some, signal)
      : async ([row]: readonly Row[], signal: AbortSignal) => row !== undefined && each?.(row, signal);
    const result = await runBulk(list, act, {
      batch: many ? batch : 1,
      parallel: many ? 1 : 4,
      signal: controller.signal,
      onProgress: (progress) => setStage({ kind: 'run', progress }),
    });
    if (result.failed.length === 0 && result.left === 0) {
      if (success) toast('good', success(result.done));
      onClose(true, []);
    } else setStage({ kind: 'done', result });
  }

  const busy = stage.kind === 'read' || stage.kind === 'run';
  const close = () => {
    if (busy) abort.current?.abort();
    else if (stage.kind === 'done')
      onClose(
        true,
        stage.result.failed.map(({ item }) => item),
      );
    else onClose(false, []);
  };

  return (
    <Modal
      opened
      onClose={close}
      title={w.bulkTitle({ action: label, count: asked })}
      lockScroll={false}
      closeOnClickOutside={!busy}
      closeButtonProps={{ 'aria-label': busy ? w.cancel : w.close }}
      centered
    >
      <div className={classes.dialog}>
        {stage.kind === 'ask' && <p>{confirm ? confirm(asked) : w.bulkAsk({ count: asked })}</p>}
        {stage.kind === 'read' && <p role="status">{w.bulkReading({ rows: stage.rows })}</p>}
        {stage.kind === 'broken' && (
          <p role="alert" className={classes.danger}>
            {stage.reason}
          </p>
        )}
        {stage.kind === 'run' && (
          <>
            <p role="status">{w.bulkProgress({ done: stage.progress.done, total: stage.progress.total })}</p>
            <Progress
              value={stage.progress.total === 0 ? 0 : (100 * stage.progress.done) / stage.progress.total}
              aria-label={label}
              transitionDuration={0}
            />
          </>
        )}
        {stage.kind === 'done' && <Outcome result={stage.result} rowId={rowId} />}
        <div className={classes.dialogFoot}>
          {stage.kind === 'ask' && (
            <>
              <button type="button" className={classes.toolButton} onClick={close}>
                {w.cancel}
              </button>
              <button
                type="button"
                className={classes.mainButton}
                data-danger={danger || undefined}
                data-autofocus
                onClick={() => void run()}
              >
                {label}
              </button>
            </>
          )}
          {stage.kind !== 'ask' && (
            <button type="button" className={classes.toolButton} onClick={close}>
              {busy ? w.cancel : w.close}
            </button>
          )}
        </div>
      </div>
    </Modal>
  );
}

function Outcome<Row>({ result, rowId }: { result: BulkResult<Row>; rowId: (row: Row) => string }) {
  const w = useWords(words);
  const { done, failed, left } = result;
  return (
    <div role="status">
      <p>
        {[
          w.bulkDone({ count: done - failed.length }),
          ...(failed.length > 0 ? [w.bulkFailed({ count: failed.length })] : []),
          ...(left > 0 ? [w.bulkLeft({ count: left })] : []),
        ].join(' · ')}
      </p>
      {failed.length > 0 && (
        <ul className={classes.failures}>
          {failed.slice(0, FAILURES_SHOWN).map(({ item, error }) => (
            <li key={rowId(item)}>
              <code>{rowId(item)}</code> {reasonOf(error, w.unknownReason, sentenceOfDeed)}
            </li>
          ))}
          {failed.length > FAILURES_SHOWN && <li>{w.bulkMore({ count: failed.length - FAILURES_SHOWN })}</li>}
        </ul>
      )}
    </div>
  );
}
