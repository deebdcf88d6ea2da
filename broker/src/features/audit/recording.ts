import { isDeepStrictEqual } from 'node:util';
import type { AuditSettings } from '@mqdeck/contract/audit';
import { currentDeed, type Deed } from '../../deeds.ts';
import type { Recorded, Recorder } from '../../http/recorder.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';
import type { AuditKind, AuditLog, StoredEntry } from './audit.ts';
import { type Changes, type Compared, changesOf } from './changes.ts';
import { discreet, discreetText } from './discretion.ts';

const PUBLISHING = ['POST /publish', 'POST /publish/bulk'];
/** What programs do all day. */
const FREQUENT = new Set([
  ...PUBLISHING,
  'POST /clients/:clientid/subscribe',
  'POST /clients/:clientid/subscribe/bulk',
  'POST /clients/:clientid/unsubscribe',
  'POST /clients/:clientid/unsubscribe/bulk',
  'DELETE /clients/:clientid',
  'POST /clients/kickout/bulk',
]);

const NO_FACTS = { status: null, failure: null, request: null, durationMs: 0, changes: [], leftOff: 0 };
const MESSAGE_MAX = 500;
const BODY_MAX = 8 * 1024;

const operationOf = ({ method, path }: Recorded['endpoint']): string => `${method} ${path}`;
const isFrequent = (endpoint: Recorded['endpoint']): boolean => FREQUENT.has(operationOf(endpoint));

/** Writes down what is done through the API. What the settings say counts as it was when the request came. */
export function auditRecorder(
  book: AuditLog,
  settings: () => AuditSettings,
  nameOfKey: (apiKey: string) => string | undefined,
): Recorder {
  return {
    wants: (endpoint) => {
      const { enable, ignore_high_frequency_request } = settings();
      const frequent = isFrequent(endpoint);
      return {
        record: enable && !(frequent && ignore_high_frequency_request),
        look: !frequent,
        follow: !PUBLISHING.includes(operationOf(endpoint)),
      };
    },
    record: (recorded) => book.add(entryOf(recorded, nameOfKey)),
  };
}

/**
 * Sees to it that a request knows which settings it has changed, keeps the book within its size, and lets no program
 * decide what is kept of what it does.
 */
export function followSettings(book: AuditLog, settings: SettingsStore): () => void {
  settings.guard('log', ({ audit }, { audit: before }) => {
    if (currentDeed()?.actor.from === 'rest_api' && !isDeepStrictEqual(audit, before))
      throw new SettingsFault(['audit'], 'only a signed-in user may change what the audit log keeps');
  });
  const ends = [
    settings.onAnyChange((section, before, after) => {
      const deed = currentDeed();
      if (deed !== null) noteSettings(deed, section, before, after);
    }),
    settings.onChange('log', () => book.prune()),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function noteSettings({ settings }: Deed, section: string, before: object, after: object): void {
  const known = settings.find((change) => change.section === section);
  if (known) known.after = after;
  else settings.push({ section, before, after });
}

/** What nobody asked the API for: the command line did it. */
export function recordCommand(
  book: AuditLog,
  command: 'start' | 'stop' | 'import',
  args: string[] = [],
): void {
  book.add({
    ...NO_FACTS,
    at: Date.now(),
    kind: 'deed',
    from: 'cli',
    source: '',
    address: '',
    operation: command,
    method: null,
    ...(args.length > 0 && { args }),
  });
}

function entryOf(
  recorded: Recorded,
  nameOfKey: (apiKey: string) => string | undefined,
): Omit<StoredEntry, 'times' | 'lastAt'> {
  const { endpoint, deed, at, status, failure, durationMs } = recorded;
  const { from, source, address } = deed.actor;
  const sourceName = from === 'rest_api' ? nameOfKey(source) : undefined;
  const { changes, leftOff } = failure === null ? changesIn(recorded) : { changes: [], leftOff: 0 };
  return {
    at,
    kind: kindOf(recorded),
    from,
    source,
    ...(sourceName !== undefined && { sourceName }),
    address,
    operation: endpoint.path,
    method: endpoint.method.toLowerCase(),
    status,
    failure: failure && { code: failure.code, message: discreetText(failure.message, MESSAGE_MAX) },
    durationMs,
    request: requestOf(recorded),
    changes,
    leftOff,
  };
}

function kindOf({ isKnown, endpoint, failure }: Recorded): AuditKind {
  if (!isKnown) return 'refused';
  if (isFrequent(endpoint)) return 'frequent';
  return failure === null ? 'deed' : 'failed';
}

function requestOf({ endpoint, params, query, body }: Recorded): Record<string, unknown> {
  const isSet = (part: object) => Object.keys(part).length > 0;
  return {
    method: endpoint.method.toLowerCase(),
    ...(isSet(params) && { bindings: discreet(params) }),
    ...(isSet(query) && { query: discreet(query) }),
    ...(body !== undefined && body !== null && { body: bodyOf(endpoint, body) }),
  };
}

/** A text may hold secrets wherever it likes. */
function bodyOf({ text }: Recorded['endpoint'], body: unknown): unknown {
  if (text) return `… (${String(body).length})`;
  const kept = discreet(body);
  const written = JSON.stringify(kept);
  return written.length <= BODY_MAX ? kept : discreetText(written, BODY_MAX);
}

/** The settings are known exactly; of everything else what its own endpoint shows. */
function changesIn({ deed, endpoint, thing, made, params }: Recorded): Changes {
  if (deed.settings.length > 0)
    return changesOf(
      deed.settings.map(
        ({ section, before, after }): Compared => ({
          path: [section],
          before,
          after,
          alive: false,
        }),
      ),
    );
  const path = pathOf(endpoint.path, params);
  const { before, after } = thing;
  if (before === undefined && after === undefined && made === undefined) return { changes: [], leftOff: 0 };
  const seen = changesOf([{ path, before, after, alive: true }]);
  if (seen.changes.length > 0 || made === undefined) return seen;
  return changesOf([{ path, before: undefined, after: made, alive: true }]);
}

/** How a thing is called: what the path says, with the names in it. */
const pathOf = (path: string, params: Readonly<Record<string, string>>): string[] =>
  path
    .split('/')
    .slice(1)
    .map((part) => (part.startsWith(':') ? (params[part.slice(1)] ?? part) : part));
