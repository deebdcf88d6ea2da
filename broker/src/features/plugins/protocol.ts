import type { PluginHooks } from '@mqdeck/contract/plugin-api';

/** What broker and plugin say to each other. Each sends what has gathered since its last turn, in its order. */

export type HookName = keyof PluginHooks;

/** Comes along where a message is told of: who has made it, so that no plugin answers itself for ever. */
export type Trail = readonly string[];

export interface StartedWith {
  /** The URL of the module. */
  main: string;
  /** The hooks it may join. */
  hooks: readonly HookName[];
  config: object;
  publish: { waitingMax: number; waitingBytesMax: number };
  logLinesPerSecond: number;
}

export type ToPlugin =
  | {
      do: 'ask';
      id: number;
      hook: HookName;
      told: readonly unknown[];
      trail: Trail;
      /** A larger payload cannot be the answer. */
      bytesMax: number;
    }
  | { do: 'tell'; hook: HookName; told: readonly unknown[]; trail: Trail }
  | { do: 'configure'; config: object }
  | { do: 'published'; id: number; fault: string | null }
  | { do: 'ping'; id: number }
  | { do: 'stop' };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type FromPlugin =
  | { did: 'start' }
  | { did: 'fail'; reason: string }
  | { did: 'answer'; id: number; answer: unknown }
  | { did: 'throw'; id: number; reason: string }
  /** So many `tell` were heard. */
  | { did: 'hear'; count: number }
  | { did: 'publish'; id: number; message: unknown; trail: Trail }
  | { did: 'log'; level: LogLevel; text: string }
  | { did: 'pong'; id: number; heapBytes: number; outsideBytes: number }
  | { did: 'stop' };
