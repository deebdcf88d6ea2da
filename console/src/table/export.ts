import type { Page } from '@mqdeck/contract/kit/page';
import { saveFile } from '../ui/save-file.ts';

/** Reads a filtered list to its end and writes it down as CSV or JSON. */

const EXPORT_LIMIT = 1000;

export type LoadPage<Row> = (page: number, limit: number, signal: AbortSignal) => Promise<Page<Row>>;

export interface ReadProgress {
  rows: number;
  /** Absent where the server does not count. */
  total?: number;
}

export interface ReadOptions<Row> {
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
  /** With it a row that moved to a later page while reading is not written twice. */
  rowId?: (row: Row) => string;
  limit?: number;
}

/** Every row that matches, page after page. Throws the signal's reason when cancelled. */
export async function readAll<Row>(
  load: LoadPage<Row>,
  { signal, onProgress, rowId, limit = EXPORT_LIMIT }: ReadOptions<Row>,
): Promise<Row[]> {
  const rows: Row[] = [];
  const seen = new Set<string>();
  for (let page = 1; ; page += 1) {
    signal.throwIfAborted();
    const { data, meta } = await load(page, limit, signal);
    signal.throwIfAborted();
    for (const row of data) {
      const id = rowId?.(row);
      if (id !== undefined && seen.has(id)) continue;
      if (id !== undefined) seen.add(id);
      rows.push(row);
    }
    const counted = meta.count !== undefined && meta.count >= 0 ? meta.count : undefined;
    onProgress?.({ rows: rows.length, ...(counted === undefined ? {} : { total: counted }) });
    const more = counted === undefined ? (meta.hasnext ?? data.length === limit) : page * limit < counted;
    if (!more || data.length === 0) return rows;
  }
}

export interface CsvColumn<Row> {
  label: string;
  value: (row: Row) => unknown;
}

/** Spreadsheets take such a text for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** RFC 4180: a head line, CRLF after each record. */
export const toCsv = <Row>(rows: readonly Row[], columns: readonly CsvColumn<Row>[]): string =>
  [
    columns.map(({ label }) => csvCell(label)),
    ...rows.map((row) => columns.map(({ value }) => csvCell(value(row)))),
  ]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');

export const toJson = (rows: readonly unknown[]): string => `${JSON.stringify(rows, null, 2)}\n`;

/** `clients-2025-03-01T10-20-30.csv`; no character that a file system refuses. */
export const exportName = (list: string, format: 'csv' | 'json', now: Date): string =>
  `${list.replace(/[^\w-]+/g, '-').replace(/^-+|-+$/g, '')}-${now.toISOString().slice(0, 19).replaceAll(':', '-')}.${format}`;

export function saveAs(name: string, content: string, format: 'csv' | 'json'): void {
  // Without the mark Excel reads UTF-8 as the machine's old code page.
  const parts = format === 'csv' ? ['\uFEFF', content] : [content];
  saveFile(name, parts, format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json');
}
