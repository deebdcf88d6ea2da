import type { authentication } from '@mqdeck/contract/authentication';
import { ApiError } from '../../../api/api-error.ts';
import { sentenceOfDeed } from '../../../api/report.ts';
import { request } from '../../../api/request.ts';
import type { ImportRow, PasswordKind, RowFault } from './import-file.ts';

/**
 * Users per call: few enough for a slow hash on a slow broker within the time limit of a call, and for a progress that
 * moves.
 */
const BATCH = { plain: 50, hash: 500 } as const;

export interface ImportResult {
  total: number;
  done: number;
  success: number;
  override: number;
  skipped: number;
  faults: RowFault[];
  /** Not sent, because it was cancelled. */
  left: number;
}

/** Sends the users a few at a time; one call that is refused costs its own rows only. */
export async function runImport(
  endpoint: typeof authentication.importUsers,
  id: string,
  rows: readonly ImportRow[],
  {
    kind,
    override,
    signal,
    onProgress,
    refused,
  }: {
    kind: PasswordKind;
    override: boolean;
    signal: AbortSignal;
    onProgress: (result: ImportResult) => void;
    /** The sentence for a row that the broker did not take. */
    refused: (reason: string) => string;
  },
): Promise<ImportResult> {
  const result: ImportResult = {
    total: rows.length,
    done: 0,
    success: 0,
    override: 0,
    skipped: 0,
    faults: [],
    left: 0,
  };
  for (let at = 0; at < rows.length && !signal.aborted; at += BATCH[kind]) {
    const batch = rows.slice(at, at + BATCH[kind]);
    const body = new FormData();
    const users = JSON.stringify(batch.map(({ user }) => user));
    body.set('filename', new Blob([users], { type: 'application/json' }), 'users.json');
    // Only where it is asked for: brokers that do not know it are not asked about it.
    const query = override ? { type: kind, override } : { type: kind };
    try {
      const said = await request(endpoint, { params: { id }, query, body }, { quiet: true });
      result.success += said.success;
      result.override += said.override;
      result.skipped += said.skipped;
      const told = said.rows ?? [];
      for (const { line, user_id, reason } of told) {
        const row = batch[line - 1];
        result.faults.push({
          line: row?.line ?? at + line,
          user: user_id ?? row?.user.user_id ?? '',
          reason: refused(reason),
        });
      }
      // A broker that counts without naming them.
      for (let nr = told.length; nr < said.failed; nr += 1)
        result.faults.push({ line: batch[0]!.line, user: '', reason: refused('') });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const reason = sentenceOfDeed(error);
      for (const { line, user } of batch) result.faults.push({ line, user: user.user_id, reason });
    }
    result.done += batch.length;
    onProgress({ ...result, faults: [...result.faults] });
  }
  return { ...result, left: rows.length - result.done };
}
