import type * as z from 'zod/mini';

/**
 * What a feature has in a backup beside its settings: rows of one kind, each by a name of its own. A feature offers
 * it without knowing this one; a row looks the same in the archive, in `find` and in `put`.
 */
export interface Backed<Row = unknown> {
  /** The folder of its rows in the archive. */
  readonly kind: string;
  /** Its rows are put before the settings change, which name them. */
  readonly beforeSettings?: boolean;
  /** What a row of an archive must be; what is wrong is said by its messages. */
  readonly row: z.ZodMiniType<Row>;
  /** All there are; the walk may stop at any of them for a while. */
  rows(): Iterable<Row> | AsyncIterable<Row>;
  /** What is here under the name of that row. */
  find(row: Row): Row | undefined;
  /** Adds it, or takes the place of what has its name; on disk with the store's next group. */
  put(row: Row): void;
  /** Begins to look at an archive. */
  inspect?(): Inspection<Row>;
  /** All rows are put: what has to follow now. */
  restored?(): void | Promise<void>;
}

/** Looks at all rows of an archive in their order. */
export interface Inspection<Row> {
  /** What is wrong with a row after those before it, or null. */
  fault(row: Row): string | null;
}

/** Why an archive cannot be restored, or a file is no archive: nothing was changed. */
export class BackupFault extends Error {}

/** The passphrase of an encrypted archive is missing or wrong. */
export class PassphraseFault extends BackupFault {}
