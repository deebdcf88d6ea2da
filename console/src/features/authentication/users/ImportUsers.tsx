import { Button, Modal, Progress } from '@mantine/core';
import type { Authenticator } from '@mqdeck/contract/authentication';
import { useMemo, useRef, useState } from 'react';
import { useLanguage, useWords } from '../../../i18n/words.ts';
import { formatBytes, formatNumber } from '../../../ui/format.ts';
import { saveFile } from '../../../ui/save-file.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { useChain } from '../chain.ts';
import { type PasswordKind, type RowFault, readUsers, templateOf } from './import-file.ts';
import { type ImportResult, runImport } from './run-import.ts';
import styles from './users.module.css';
import { usersWords as words } from './words.ts';

/** The whole file is in memory while it is imported; the API takes larger ones. */
const FILE_BYTES_MAX = 32 * 1024 ** 2;
/** More would only make the page slow; what is wrong with the first is wrong with the rest. */
const FAULTS_SHOWN = 200;

type Stage =
  | { kind: 'choose' }
  | { kind: 'run'; result: ImportResult | undefined; total: number }
  | { kind: 'done'; result: ImportResult };

/** Users from a file or from pasted text: read here, sent a few at a time, with a report of each row that failed. */
export function ImportUsers({
  authenticator,
  onClose,
}: {
  authenticator: Authenticator;
  onClose: () => void;
}) {
  const w = useWords(words);
  const chain = useChain();
  const language = useLanguage();
  const [text, setText] = useState('');
  const [fileFault, setFileFault] = useState<string>();
  const [kind, setKind] = useState<PasswordKind>('plain');
  const [override, setOverride] = useState(false);
  const [allOrNothing, setAllOrNothing] = useState(false);
  const [stage, setStage] = useState<Stage>({ kind: 'choose' });
  const abort = useRef<AbortController>(undefined);
  const read = useMemo(() => (text === '' ? undefined : readUsers(text, kind, w)), [text, kind, w]);
  const rows = read && 'rows' in read ? read.rows : [];
  const faults = read && 'rows' in read ? read.faults : [];

  async function choose(file: File | undefined) {
    if (!file) return;
    if (!/\.(csv|json)$/i.test(file.name)) return setFileFault(w.fileKind);
    if (file.size > FILE_BYTES_MAX)
      return setFileFault(w.fileTooBig({ size: formatBytes(FILE_BYTES_MAX, language) }));
    setFileFault(undefined);
    setText(await file.text());
  }

  async function run() {
    const controller = new AbortController();
    abort.current = controller;
    setStage({ kind: 'run', result: undefined, total: rows.length });
    const result = await runImport(chain, authenticator.id, rows, {
      kind,
      override,
      signal: controller.signal,
      onProgress: (now) => setStage({ kind: 'run', result: now, total: rows.length }),
      refused: (reason) => w.refused({ reason }),
    });
    const all = [...faults, ...result.faults].sort((a, b) => a.line - b.line);
    setStage({ kind: 'done', result: { ...result, faults: all } });
  }

  const running = stage.kind === 'run';
  const close = () => (running ? abort.current?.abort() : onClose());
  return (
    <Modal
      opened
      onClose={close}
      title={w.importTitle}
      size={640}
      lockScroll={false}
      closeOnClickOutside={!running && text === ''}
      closeButtonProps={{ 'aria-label': running ? w.cancel : w.close }}
    >
      {stage.kind === 'choose' && (
        <div className={styles.import}>
          <fieldset className={styles.kinds}>
            <legend>{w.passwords}</legend>
            {(['plain', 'hash'] as const).map((one) => (
              <label key={one}>
                <input
                  type="radio"
                  name="kind"
                  value={one}
                  checked={kind === one}
                  onChange={() => setKind(one)}
                />
                <span>
                  {w[one]}
                  {one === 'hash' && kind === 'hash' && (
                    <span className={styles.hint}>{w.hashIs({ algorithm: algorithmOf(authenticator) })}</span>
                  )}
                </span>
              </label>
            ))}
          </fieldset>
          <div className={styles.line}>
            <span>{w.templates}</span>
            {(['csv', 'json'] as const).map((format) => (
              <Button
                key={format}
                variant="subtle"
                onClick={() =>
                  saveFile(
                    `users-template-${kind}.${format}`,
                    [templateOf(kind, format)],
                    format === 'csv' ? 'text/csv' : 'application/json',
                  )
                }
              >
                {format === 'csv' ? w.templateCsv : w.templateJson}
              </Button>
            ))}
          </div>
          <label className={styles.source}>
            <span className="visually-hidden">{w.source}</span>
            <textarea
              rows={8}
              value={text}
              placeholder={w.paste}
              spellCheck={false}
              onChange={(event) => {
                setFileFault(undefined);
                setText(event.currentTarget.value);
              }}
            />
          </label>
          <label className={styles.file}>
            <input
              type="file"
              className="visually-hidden"
              accept=".csv,.json"
              onChange={(event) => {
                void choose(event.currentTarget.files?.[0]);
                event.currentTarget.value = '';
              }}
            />
            <span>{w.chooseFile}</span>
          </label>
          {/* A gateway keeps who is there when it imports hashes. */}
          {(chain.gateway === undefined || kind === 'plain') && (
            <label className={styles.check}>
              <input
                type="checkbox"
                checked={override}
                onChange={(event) => setOverride(event.currentTarget.checked)}
              />
              <span>
                {w.override} <span className={styles.hint}>{w.overrideHint}</span>
              </span>
            </label>
          )}
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={allOrNothing}
              onChange={(event) => setAllOrNothing(event.currentTarget.checked)}
            />
            <span>
              {w.allOrNothing} <span className={styles.hint}>{w.allOrNothingHint}</span>
            </span>
          </label>
          {(fileFault ?? (read && 'fault' in read && read.fault)) && (
            <p className={styles.fault} role="alert">
              {fileFault ?? (read && 'fault' in read && read.fault)}
            </p>
          )}
          {read && 'rows' in read && (
            <p className={styles.found} role="status">
              {w.read({ count: rows.length })}
              {faults.length > 0 && ` · ${w.readBad({ count: faults.length })}`}
            </p>
          )}
          {faults.length > 0 && <Faults faults={faults} />}
          <div className={styles.foot}>
            <Button onClick={onClose}>{w.cancel}</Button>
            <Button
              variant="filled"
              disabled={rows.length === 0 || (allOrNothing && faults.length > 0)}
              onClick={() => void run()}
            >
              {w.start({ count: rows.length })}
            </Button>
          </div>
        </div>
      )}
      {stage.kind === 'run' && (
        <div className={styles.import}>
          <p role="status">{w.progress({ done: stage.result?.done ?? 0, total: stage.total })}</p>
          <Progress
            value={(100 * (stage.result?.done ?? 0)) / Math.max(1, stage.total)}
            aria-label={w.importTitle}
            transitionDuration={0}
          />
          <div className={styles.foot}>
            <Button onClick={() => abort.current?.abort()}>{w.cancel}</Button>
          </div>
        </div>
      )}
      {stage.kind === 'done' && (
        <div className={styles.import}>
          <Report result={stage.result} />
          <div className={styles.foot}>
            <Button
              onClick={() => {
                setText('');
                setStage({ kind: 'choose' });
              }}
            >
              {w.again}
            </Button>
            <Button variant="filled" data-autofocus onClick={onClose}>
              {w.close}
            </Button>
          </div>
        </div>
      )}
    </Modal>
  );
}

function algorithmOf({ password_hash_algorithm }: Authenticator): string {
  const hash = (password_hash_algorithm ?? {}) as Record<string, unknown>;
  return ['name', 'salt_position', 'mac_fun', 'iterations']
    .flatMap((key) => (hash[key] === undefined ? [] : [String(hash[key])]))
    .join(', ');
}

function Report({ result }: { result: ImportResult }) {
  const w = useWords(words);
  const language = useLanguage();
  const { success, override, skipped, faults, left } = result;
  const counts = [
    { label: w.success, count: success },
    ...(override > 0 ? [{ label: w.overridden, count: override }] : []),
    ...(skipped > 0 ? [{ label: w.skipped, count: skipped }] : []),
    { label: w.failed, count: faults.length },
  ];
  return (
    <div role="status">
      <dl className={styles.counts}>
        {counts.map(({ label, count }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{formatNumber(count, language)}</dd>
          </div>
        ))}
      </dl>
      {left > 0 && <p>{w.cancelled({ count: left })}</p>}
      {faults.length > 0 && <Faults faults={faults} />}
    </div>
  );
}

function Faults({ faults }: { faults: readonly RowFault[] }) {
  const w = useWords(words);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles.faults} aria-label={w.failures} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{w.line}</th>
            <th scope="col">{w.user_id}</th>
            <th scope="col">{w.reason}</th>
          </tr>
        </thead>
        <tbody>
          {faults.slice(0, FAULTS_SHOWN).map(({ line, user, reason }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a report never changes
            <tr key={i}>
              <td>{line}</td>
              <td>
                <bdi>{visibleText(user)}</bdi>
              </td>
              <td>{visibleText(reason)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {faults.length > FAULTS_SHOWN && <p>{w.more({ count: faults.length - FAULTS_SHOWN })}</p>}
    </section>
  );
}
