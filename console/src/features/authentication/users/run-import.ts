import { ApiError } from '../../../api/api-error.ts';
import { sentenceOfDeed } from '../../../api/report.ts';
import { request } from '../../../api/request.ts';
import type { Chain } from '../chain.ts';
import type { ImportRow, PasswordKind, RowFault } from './import-file.ts';

/**
 * Users per call: few enough for a slow hash on a slow broker within the time limit of a call, and for a progress that
 * moves.
 */
const BATCH = { plain: 50, hash: 500 } as const;

interface Sent {
  success: number;
  override: number;
  skipped: number;
  faults: RowFault[];
}

export interface ImportResult extends Sent {
  total: number;
  done: number;
  /** Not sent, because it was cancelled. */
  left: number;
}

interface Wanted {
  kind: PasswordKind;
  override: boolean;
  signal: AbortSignal;
  onProgress: (result: ImportResult) => void;
  /** The sentence for a row that the broker did not take. */
  refused: (reason: string) => string;
}

/** Sends the users a few at a time; one call that is refused costs its own rows only. */
export async function runImport(
  { endpoints, gateway }: Chain,
  id: string,
  rows: readonly ImportRow[],
  wanted: Wanted,
): Promise<ImportResult> {
  const { kind, signal, onProgress } = wanted;
  const result: ImportResult = {
    total: rows.length,
    done: 0,
    success: 0,
    override: 0,
    skipped: 0,
    faults: [],
    left: 0,
  };
  const oneByOne = gateway !== undefined && kind === 'plain';
  const size = oneByOne ? 1 : BATCH[kind];
  for (let at = 0; at < rows.length && !signal.aborted; at += size) {
    const batch = rows.slice(at, at + size);
    try {
      const sent = oneByOne
        ? await sendUser(endpoints, id, batch[0]!, wanted)
        : gateway === undefined
          ? await sendFile(endpoints, id, batch, wanted)
          : await sendUncounted(endpoints, id, batch);
      result.success += sent.success;
      result.override += sent.override;
      result.skipped += sent.skipped;
      result.faults.push(...sent.faults);
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

function fileOf(batch: readonly ImportRow[]): FormData {
  const body = new FormData();
  const users = JSON.stringify(batch.map(({ user }) => user));
  body.set('filename', new Blob([users], { type: 'application/json' }), 'users.json');
  return body;
}

async function sendFile(
  endpoints: Chain['endpoints'],
  id: string,
  batch: readonly ImportRow[],
  { kind, override, refused }: Wanted,
): Promise<Sent> {
  // Only where it is asked for: brokers that do not know it are not asked about it.
  const query = override ? { type: kind, override } : { type: kind };
  const said = await request(
    endpoints.importUsers,
    { params: { id }, query, body: fileOf(batch) },
    { quiet: true },
  );
  const told = said.rows ?? [];
  const faults = told.map(({ line, user_id, reason }) => ({
    line: batch[line - 1]?.line ?? batch[0]!.line + line - 1,
    user: user_id ?? batch[line - 1]?.user.user_id ?? '',
    reason: refused(reason),
  }));
  // A broker that counts without naming them.
  for (let nr = told.length; nr < said.failed; nr += 1)
    faults.push({ line: batch[0]!.line, user: '', reason: refused('') });
  return { success: said.success, override: said.override, skipped: said.skipped, faults };
}

/** A gateway imports hashes alone, keeps who is there, and says nothing of it: the list does, before and after. */
async function sendUncounted(
  endpoints: Chain['endpoints'],
  id: string,
  batch: readonly ImportRow[],
): Promise<Sent> {
  const count = async () => {
    const { meta } = await request(
      endpoints.users,
      { params: { id }, query: { page: 1, limit: 1 } },
      { quiet: true },
    );
    return meta.count ?? 0;
  };
  const before = await count();
  await request(endpoints.importUsers, { params: { id }, body: fileOf(batch) }, { quiet: true });
  const success = Math.max(0, (await count()) - before);
  return { success, override: 0, skipped: batch.length - success, faults: [] };
}

/** A gateway imports no passwords as they are: each user is added by a call of its own. */
async function sendUser(
  endpoints: Chain['endpoints'],
  id: string,
  { user: { user_id, password, is_superuser } }: ImportRow,
  { override }: Wanted,
): Promise<Sent> {
  const sent: Sent = { success: 0, override: 0, skipped: 0, faults: [] };
  const body = { password: String(password), is_superuser };
  try {
    await request(endpoints.createUser, { params: { id }, body: { user_id, ...body } }, { quiet: true });
    return { ...sent, success: 1 };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'ALREADY_EXISTS') throw error;
    if (!override) return { ...sent, skipped: 1 };
    await request(endpoints.updateUser, { params: { id, user_id }, body }, { quiet: true });
    return { ...sent, override: 1 };
  }
}
