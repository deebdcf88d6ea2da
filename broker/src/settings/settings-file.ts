import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import path from 'node:path';
import { jsonPlaces } from './json-places.ts';

/** The broker does not start with a settings file that it cannot read; the message says where and why. */
export class SettingsError extends Error {}

/** Certificates and rules of access may stand in it; whatever is larger was not written by us. */
export const SETTINGS_BYTES_MAX = 64 * 1024 * 1024;

/** What a settings file says, and how to tell what is wrong with it. */
export interface SettingsText {
  readonly value: unknown;
  fault(path: readonly PropertyKey[], reason: string): SettingsError;
}

/** Null when there is no file. */
export function readSettingsFile(file: string): SettingsText | null {
  const bytes = bytesOf(file);
  if (bytes === null) return null;
  if (!isUtf8(bytes)) throw new SettingsError(`${file} cannot be read: it is no text in UTF-8`);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, ''); // some editors put it before everything they save
  const value = parse(file, text);
  const places = jsonPlaces(text);
  const fault = (names: readonly PropertyKey[], reason: string) =>
    new SettingsError(`${file}, line ${places.lineOf(names)}: ${pathText(names)}: ${reason}`);
  if (places.twice) throw fault(places.twice, 'this stands here twice');
  return { value, fault };
}

/** Items of a list count from 1. */
const pathText = (names: readonly PropertyKey[]): string =>
  names.map((name) => (typeof name === 'number' ? name + 1 : String(name))).join('.') || 'the whole file';

function bytesOf(file: string): Buffer | null {
  try {
    const { size } = statSync(file);
    if (size > SETTINGS_BYTES_MAX)
      throw new SettingsError(
        `${file} cannot be read: it is larger than ${SETTINGS_BYTES_MAX / 1024 ** 2} MB`,
      );
    return readFileSync(file);
  } catch (cause) {
    if (cause instanceof SettingsError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    const reason = code === 'EISDIR' ? 'it is a folder' : message;
    throw new SettingsError(`${file} cannot be read: ${reason}`, { cause });
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { message } = cause as Error;
    const position = /position (\d+)/.exec(message);
    const before = position ? text.slice(0, Number(position[1])) : text.trimEnd();
    throw new SettingsError(`${file}, line ${before.split('\n').length}: ${message}`, { cause });
  }
}

/** Either the old content or the new one is there, whatever happens meanwhile. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.next`;
  const handle = await open(next, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
  const folder = await open(path.dirname(file));
  try {
    await folder.sync(); // the new name is not on disk before its folder is
  } finally {
    await folder.close();
  }
}
