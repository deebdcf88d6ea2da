import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { PluginBroker, PluginLog, PluginPublish, StartPlugin } from '@mqdeck/contract/plugin-api';
import type { FromPlugin, HookName, LogLevel, StartedWith, ToPlugin, Trail } from './protocol.ts';

/** The other end of `PluginThread`: runs in the plugin's own thread, from its text, and imports nothing of ours. */

const given = workerData as StartedWith;
const port = parentPort!;
const NOBODY: Trail = [];
const LOG_CHARS_MAX = 4000;

type Handler = (...told: unknown[]) => unknown;
const handlers = new Map<string, Handler>();
const trails = new AsyncLocalStorage<Trail>();

let config = given.config;
let onConfig: ((config: object) => void) | null = null;
let end: (() => unknown) | null = null;

// --- what is said

let outgoing: FromPlugin[] = [];

function say(one: FromPlugin): void {
  if (outgoing.length === 0) setImmediate(flush);
  outgoing.push(one);
}

function flush(): void {
  const batch = outgoing;
  outgoing = [];
  try {
    port.postMessage(batch);
  } catch {
    for (const one of batch) sayAlone(one);
  }
}

/** What cannot be sent (a function, say) fails alone. */
function sayAlone(one: FromPlugin): void {
  try {
    port.postMessage([one]);
  } catch (cause) {
    const reason = `what it gave cannot be sent: ${textOf(cause)}`.slice(0, LOG_CHARS_MAX);
    if (one.did === 'answer') port.postMessage([{ did: 'throw', id: one.id, reason } satisfies FromPlugin]);
    else if (one.did === 'publish') published(one.id, reason);
    else throw cause;
  }
}

/** Never throws, whatever was thrown. */
function textOf(value: unknown): string {
  try {
    const [text] = value instanceof Error ? [value.stack, value.message].filter(isText) : [value];
    return (isText(text) ? text : inspect(value, { customInspect: false, depth: 2 })).slice(0, LOG_CHARS_MAX);
  } catch {
    return 'something that cannot be shown';
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

// --- the log

let linesLeft = given.logLinesPerSecond;
let linesLost = 0;
setInterval(() => {
  linesLeft = given.logLinesPerSecond;
  if (linesLost === 0) return;
  say({ did: 'log', level: 'warn', text: `${linesLost} lines of the log were left out` });
  linesLost = 0;
}, 1000).unref();

function logLine(level: LogLevel, text: unknown): void {
  if (linesLeft === 0) {
    linesLost++;
    return;
  }
  linesLeft--;
  say({ did: 'log', level, text: textOf(text) });
}

const log: PluginLog = {
  debug: (text) => logLine('debug', text),
  info: (text) => logLine('info', text),
  warn: (text) => logLine('warn', text),
  error: (text) => logLine('error', text),
};

// --- publishing

interface Waiting {
  bytes: number;
  resolve: () => void;
  reject: (fault: Error) => void;
}
const waiting = new Map<number, Waiting>();
let waitingBytes = 0;
let lastPublish = 0;

function publish(message: PluginPublish): Promise<void> {
  const { waitingMax, waitingBytesMax } = given.publish;
  const { payload } = message;
  const bytes = typeof payload === 'string' ? payload.length : payload.byteLength;
  if (waiting.size >= waitingMax || waitingBytes + bytes > waitingBytesMax)
    return Promise.reject(new Error('too many messages wait to be published'));
  const id = ++lastPublish;
  say({ did: 'publish', id, message: inBytes(message), trail: trails.getStore() ?? NOBODY });
  waitingBytes += bytes;
  return new Promise((resolve, reject) => {
    waiting.set(id, { bytes, resolve, reject });
  });
}

function published(id: number, fault: string | null): void {
  const one = waiting.get(id);
  if (!one) return;
  waiting.delete(id);
  waitingBytes -= one.bytes;
  if (fault === null) one.resolve();
  else one.reject(new Error(fault));
}

/** Texts become UTF-8, and a piece of a larger buffer does not take all of it along. */
function inBytes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('payload' in value)) return value;
  const { payload } = value;
  if (typeof payload === 'string') return { ...value, payload: new TextEncoder().encode(payload) };
  return payload instanceof Uint8Array ? { ...value, payload: new Uint8Array(payload) } : value;
}

/** At least so many, when it is a text. */
function payloadBytes(value: unknown): number {
  if (typeof value !== 'object' || value === null || !('payload' in value)) return 0;
  const { payload } = value;
  return typeof payload === 'string' || payload instanceof Uint8Array ? payload.length : 0;
}

// --- what is asked

async function ask({ id, hook, told, trail, bytesMax }: Extract<ToPlugin, { do: 'ask' }>): Promise<void> {
  try {
    const answer = await trails.run(trail, async () => handlers.get(hook)?.(...told));
    if (payloadBytes(answer) > bytesMax)
      throw new Error('its answer cannot be used: the message is larger than a packet may be');
    say({ did: 'answer', id, answer: inBytes(answer) });
  } catch (cause) {
    say({ did: 'throw', id, reason: textOf(cause) });
  }
}

async function tell(hook: HookName, told: readonly unknown[], trail: Trail): Promise<void> {
  try {
    await trails.run(trail, async () => handlers.get(hook)?.(...told));
  } catch (cause) {
    logLine('error', `${hook}: ${textOf(cause)}`);
  }
}

function configure(next: object): void {
  config = next;
  onConfig?.(next);
}

async function stop(): Promise<void> {
  try {
    await end?.();
  } catch (cause) {
    logLine('error', `the plugin failed at its end: ${textOf(cause)}`);
  }
  say({ did: 'stop' });
}

port.on('message', (batch: ToPlugin[]) => {
  let heard = 0;
  for (const one of batch) {
    if (one.do === 'ask') void ask(one);
    else if (one.do === 'tell') {
      heard++;
      void tell(one.hook, one.told, one.trail);
    } else if (one.do === 'published') published(one.id, one.fault);
    else if (one.do === 'configure') configure(one.config);
    else if (one.do === 'stop') void stop();
    else {
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      say({ did: 'pong', id: one.id, heapBytes: heapUsed, outsideBytes: Math.max(external, arrayBuffers) });
    }
  }
  if (heard > 0) say({ did: 'hear', count: heard });
});

const broker: PluginBroker<object> = {
  on(hook, handler) {
    if (!given.hooks.includes(hook)) throw new Error(`the manifest does not name the hook ${hook}`);
    handlers.set(hook, handler as Handler);
  },
  publish,
  get config() {
    return config;
  },
  onConfig(run) {
    onConfig = run;
  },
  log,
};

async function start(): Promise<void> {
  const { default: startPlugin } = (await import(given.main)) as { default?: StartPlugin<object> };
  if (typeof startPlugin !== 'function') throw new Error('the module has no function as its default export');
  end = (await startPlugin(broker)) ?? null;
}

start().then(
  () => say({ did: 'start' }),
  (cause: unknown) => say({ did: 'fail', reason: textOf(cause) }),
);
