import path from 'node:path';
import { parseBytes, parseDuration } from '@mqdeck/contract/kit/values';
import { type FileHandler, type LogLevel, type LogSettings, logFileName } from '@mqdeck/contract/log';
import type { Log } from '../../core/core.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { type Entry, entryOf, NOTHING, rankOf } from './entry.ts';
import { type Format, lineOf } from './format.ts';
import { Lines } from './lines.ts';
import { RotatingFile, type Rotation, whyUnusable } from './rotating-file.ts';
import { Throttle } from './throttle.ts';

export interface LogsOptions {
  /** Where log files are; null = there can be none. */
  folder: string | null;
  /** Takes the lines of the console handler, each with its line end. */
  console?: ((line: string) => void) | undefined;
  /** Takes everything as it comes, whatever the settings say: a test's. */
  tee?: Log | undefined;
  /** So long after a failure a file is tried again. */
  retryMs?: number | undefined;
}

interface OpenFile {
  handler: string;
  settings: FileHandler;
  file: RotatingFile;
}

const WARNING = rankOf('warning');
const DISCRETION = ['text', 'hex', 'hidden'] as const;

/** Handlers that cannot write, and why. */
export type Troubles = ReadonlyMap<string, string>;

/**
 * Takes what the broker has to say and hands it to the handlers whose level it has: the console, files, and the lines
 * that are kept in memory. Which handlers there are, the settings say; changed through `follow` alone.
 */
export class Logs implements Log {
  readonly lines = new Lines();
  readonly folder: string | null;
  private readonly options: LogsOptions;
  private settings: LogSettings | null = null;
  private files: OpenFile[] = [];
  private readonly closing = new Set<Promise<void>>();
  private readonly troubles = new Map<string, string>();
  private readonly listeners = new Set<(troubles: Troubles) => void>();
  private readonly levelListeners = new Set<() => void>();
  private readonly throttle: Throttle;
  private consoleRank: number = NOTHING;
  private linesRank: number = WARNING;
  private linesEncode: Format['payload_encode'] = 'text';
  private unfollow: () => void = () => undefined;

  constructor(options: LogsOptions) {
    this.options = options;
    this.folder = options.folder;
    this.throttle = new Throttle(0, (entry) => this.handOut(entry));
  }

  /** Obeys the settings, now and after each change. */
  follow(settings: SettingsStore): void {
    this.apply(settings.get('log'));
    this.unfollow = settings.onChange('log', (changed) => this.apply(changed));
  }

  debug(facts: object, text: string): void {
    if (this.linesRank === 0) this.write('debug', facts, text);
    this.options.tee?.debug(facts, text);
  }

  info(facts: object, text: string): void {
    if (this.linesRank <= 1) this.write('info', facts, text);
    this.options.tee?.info(facts, text);
  }

  warn(facts: object, text: string): void {
    this.write('warning', facts, text);
    this.options.tee?.warn(facts, text);
  }

  error(facts: object, text: string): void {
    this.write('error', facts, text);
    this.options.tee?.error(facts, text);
  }

  /** Of any level; those of `Log` are its everyday ones. */
  write(level: LogLevel, facts: object, text: string): void {
    if (rankOf(level) >= this.linesRank) this.throttle.take(entryOf(level, facts, text, Date.now()));
  }

  /** Whether anybody reads what clients do one by one. */
  get tellsAll(): boolean {
    return this.linesRank === 0;
  }

  /** Calls when `tellsAll` may have changed. */
  onLevel(listener: () => void): void {
    this.levelListeners.add(listener);
  }

  /** Calls with the handlers that cannot write, now and whenever they are others. */
  onTrouble(listener: (troubles: Troubles) => void): void {
    this.listeners.add(listener);
    listener(this.troubles);
  }

  /** Why the file of a handler cannot be used; null when it can. The file is there afterwards. */
  whyUnusable({ path: name }: Pick<FileHandler, 'path'>): Promise<string | null> {
    const file = this.fileOf(name);
    return file === null
      ? Promise.resolve('this broker has no data folder, so it can have no log files')
      : whyUnusable(file);
  }

  /** The handler whose file, the one being written or one before, has this name. */
  handlerOf(name: string): { handler: string; current: boolean } | null {
    for (const [handler, settings] of Object.entries(this.settings?.file ?? {})) {
      const own = logFileName(settings.path)!;
      if (name === own) return { handler, current: settings.enable };
      if (name.startsWith(`${own}.`)) return { handler, current: false };
    }
    return null;
  }

  /** Settles when all lines so far are in their files, or cannot be. */
  async settled(): Promise<void> {
    await Promise.all([...this.closing, ...this.files.map(({ file }) => file.settled())]);
  }

  async close(): Promise<void> {
    this.unfollow();
    this.throttle.tellAll();
    process.off('exit', this.flushNow);
    this.closeFiles(this.files.splice(0));
    await Promise.all(this.closing);
  }

  private apply(settings: LogSettings): void {
    this.settings = settings;
    this.throttle.change(parseDuration(settings.throttling.time_window)!);
    const { console: own, file } = settings;
    this.consoleRank = own.enable && this.options.console ? rankOf(own.level) : NOTHING;
    this.openFiles(Object.entries(file).filter(([, handler]) => handler.enable));
    const handlers = [own, ...Object.values(file)].filter(({ enable }) => enable);
    this.linesRank = Math.min(WARNING, ...handlers.map(({ level }) => rankOf(level)));
    // Nobody sees here what a handler has to keep to itself.
    this.linesEncode =
      DISCRETION[Math.max(0, ...handlers.map(({ payload_encode }) => DISCRETION.indexOf(payload_encode)))]!;
    for (const listener of this.levelListeners) listener();
  }

  /** A handler that keeps its file goes on with it; the others' lines so far still reach theirs. */
  private openFiles(wanted: [string, FileHandler][]): void {
    const before = new Map(this.files.map((open) => [logFileName(open.settings.path), open]));
    this.files = wanted.flatMap(([handler, settings]) => {
      const name = logFileName(settings.path);
      const known = before.get(name);
      before.delete(name);
      if (known) return [this.changed(known, handler, settings)];
      return this.opened(handler, settings);
    });
    this.closeFiles([...before.values()]);
    process.off('exit', this.flushNow);
    if (this.files.length > 0) process.on('exit', this.flushNow);
  }

  private changed({ handler: old, file }: OpenFile, handler: string, settings: FileHandler): OpenFile {
    if (old !== handler) this.rename(old, handler);
    file.rotateBy(rotationOf(settings));
    return { handler, settings, file };
  }

  private opened(handler: string, settings: FileHandler): OpenFile[] {
    const name = this.fileOf(settings.path);
    if (name === null) return [];
    const tell = (reason: string | null, lost: number) => {
      const owner = this.files.find((one) => one.file === file);
      if (owner) this.tellTrouble(owner.handler, reason, lost);
    };
    const file = new RotatingFile(name, rotationOf(settings), tell, this.options.retryMs);
    file.start();
    return [{ handler, settings, file }];
  }

  private closeFiles(files: readonly OpenFile[]): void {
    for (const { handler, file } of files) {
      this.clearTrouble(handler);
      const closed = file.close().catch((err: unknown) => {
        this.warn({ err, handler }, 'a log file did not end well');
      });
      this.closing.add(closed);
      void closed.finally(() => this.closing.delete(closed));
    }
  }

  private tellTrouble(handler: string, reason: string | null, lost: number): void {
    if (reason !== null) {
      this.troubles.set(handler, reason);
      this.error({ handler, reason }, 'a log file cannot be written; it is tried again by itself');
    } else {
      this.troubles.delete(handler);
      this.warn({ handler, lost }, 'a log file can be written again');
    }
    this.tellListeners();
  }

  private clearTrouble(handler: string): void {
    if (this.troubles.delete(handler)) this.tellListeners();
  }

  private rename(old: string, handler: string): void {
    const reason = this.troubles.get(old);
    if (reason === undefined) return;
    this.troubles.delete(old);
    this.troubles.set(handler, reason);
    this.tellListeners();
  }

  private tellListeners(): void {
    for (const listener of this.listeners) listener(this.troubles);
  }

  private fileOf(name: string): string | null {
    return this.folder === null ? null : path.join(this.folder, logFileName(name)!);
  }

  private handOut(entry: Entry): void {
    const rank = rankOf(entry.level);
    if (rank >= this.consoleRank) this.options.console!(`${lineOf(entry, this.settings!.console)}\n`);
    for (const { settings, file } of this.files)
      if (rank >= rankOf(settings.level)) file.write(lineOf(entry, settings));
    this.lines.add(entry, this.linesEncode);
  }

  private readonly flushNow = (): void => {
    for (const { file, settings } of this.files) {
      try {
        file.flushNow();
      } catch (cause) {
        this.options.console?.(`the last lines of ${settings.path} are lost: ${String(cause)}\n`);
      }
    }
  };
}

const rotationOf = ({ rotation_count, rotation_size }: FileHandler): Rotation => ({
  filesMax: rotation_count,
  bytesMax:
    rotation_size === 'infinity' ? Number.POSITIVE_INFINITY : (parseBytes(rotation_size) ?? Number.NaN),
});
