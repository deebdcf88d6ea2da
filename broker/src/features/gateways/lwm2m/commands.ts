import { LWM2M_TYPES, type Lwm2mType } from '@mqdeck/contract/gateway-devices';
import { type CoapOption, Code, ContentFormat, NO_BYTES, textOption, uintOption } from '../coap/message.ts';
import { pathOptions } from '../coap/peer.ts';
import type { Question } from '../coap/questions.ts';
import { type Assignment, ContentFault, writeNewInstance, writeTlv } from './content.ts';
import type { ObjectBook } from './objects.ts';
import { type Path, readPath, writePath } from './path.ts';

/** What somebody wants of a device: a message such as `{"reqID":1,"msgType":"read","data":{"path":"/3/0/1"}}`. */
export interface Command {
  readonly reqID: unknown; // given back with the answer
  readonly msgType: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What becomes of it: the question for the device, and what the answer is about. */
export interface Prepared {
  readonly question: Question;
  readonly path: Path;
  readonly reqPath: string; // as it was asked for
  /** Whether notifications are to come from now on, or to come no more. */
  readonly observes: 'start' | 'end' | null;
}

/** The command cannot be meant so. */
export class CommandFault extends Error {}

/** Null: no command at all. */
export function readCommand(payload: Uint8Array): Command | null {
  let read: unknown;
  try {
    read = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    return null;
  }
  const { reqID, msgType, data } = Object(read) as Record<'reqID' | 'msgType' | 'data', unknown>;
  if (typeof msgType !== 'string' || !isRecord(data)) return null;
  return { reqID: reqID ?? null, msgType, data };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The path that a command is about, as it says it. */
export const pathSaid = ({ data }: Command): string => {
  const said = data.path ?? data.basePath;
  return typeof said === 'string' ? said : '';
};

/** Throws `CommandFault`. `root`: where the device has its objects. */
export function prepare(command: Command, root: string, objects: ObjectBook): Prepared {
  try {
    const kind = Object.hasOwn(KINDS, command.msgType) ? KINDS[command.msgType] : undefined;
    if (!kind) throw new CommandFault(`no such msgType: ${command.msgType.slice(0, 64)}`);
    const {
      path,
      code,
      options = [],
      payload = NO_BYTES,
      observes = null,
      target = path,
    } = kind(command.data, objects);
    const question = {
      code,
      options: [...pathOptions(root), ...pathOptions(writePath(target)), ...options],
      payload,
    };
    return { question, path, reqPath: pathSaid(command), observes };
  } catch (cause) {
    if (cause instanceof ContentFault) throw new CommandFault(cause.message);
    throw cause;
  }
}

interface Draft {
  readonly path: Path;
  /** Where the question goes, when that is not the path. */
  readonly target?: Path;
  readonly code: string;
  readonly options?: readonly CoapOption[];
  readonly payload?: Buffer;
  readonly observes?: 'start' | 'end';
}

type Data = Readonly<Record<string, unknown>>;

const TLV = [uintOption('Content-Format', ContentFormat.Tlv)];
const ATTRIBUTES = ['pmin', 'pmax', 'gt', 'lt', 'st'] as const;

const KINDS: Readonly<Record<string, (data: Data, objects: ObjectBook) => Draft>> = {
  read: (data) => ({ path: pathOf(data), code: Code.Get }),
  discover: (data) => ({
    path: pathOf(data),
    code: Code.Get,
    options: [uintOption('Accept', ContentFormat.LinkFormat)],
  }),
  observe: (data) => ({ path: pathOf(data), code: Code.Get, observes: 'start' }),
  'cancel-observe': (data) => ({ path: pathOf(data), code: Code.Get, observes: 'end' }),
  write: (data, objects) => ('content' in data ? writeSeveral(data, objects) : writeOne(data, objects)),
  'write-attr': (data) => ({ path: pathOf(data), code: Code.Put, options: attributesOf(data) }),
  execute: (data) => {
    const path = pathOf(data);
    if (path.length !== 3) throw new CommandFault('only a resource is executed');
    const text = typeof data.args === 'string' || typeof data.args === 'number' ? String(data.args) : '';
    const options = text === '' ? [] : [uintOption('Content-Format', ContentFormat.Text)];
    return { path, code: Code.Post, options, payload: Buffer.from(text) };
  },
  create: (data, objects) => {
    const base = pathOf(data, 'basePath');
    if (base.length > 2) throw new CommandFault('what is created is an instance of an object');
    const assignments = assignmentsOf(data, base, objects);
    const instance = base[1] ?? assignments.find(({ path }) => path.length > 2)?.path[1] ?? null;
    const isGiven = base[1] !== undefined || assignments.some(({ given }) => given);
    const payload = writeNewInstance(assignments, isGiven ? instance : null);
    return { path: base, target: base.slice(0, 1), code: Code.Post, options: TLV, payload };
  },
  delete: (data) => {
    const path = pathOf(data);
    if (path.length !== 2) throw new CommandFault('what is deleted is an instance of an object');
    return { path, code: Code.Delete };
  },
};

function pathOf(data: Data, name = 'path'): Path {
  const path = readPath(data[name]);
  if (!path) throw new CommandFault(`${name} is needed: /object/instance/resource`);
  return path;
}

function writeOne(data: Data, objects: ObjectBook): Draft {
  const path = pathOf(data);
  if (path.length < 3) throw new CommandFault('a single value belongs to a resource');
  const type = typeOf(data.type, path, objects);
  const payload = writeTlv([{ path, type, value: data.value }]);
  return { path, target: path.slice(0, 3), code: Code.Put, options: TLV, payload };
}

/** Several resources of one instance; the others it has stay as they are. */
function writeSeveral(data: Data, objects: ObjectBook): Draft {
  const base = pathOf(data, 'basePath');
  const assignments = assignmentsOf(data, base, objects);
  const [first] = assignments;
  if (!first) throw new CommandFault('content is empty');
  const isOneInstance = assignments.every(({ path }) => path[1] === first.path[1]);
  if (!isOneInstance) throw new CommandFault('all values belong to one instance');
  return {
    path: base,
    target: first.path.slice(0, 2),
    code: Code.Post,
    options: TLV,
    payload: writeTlv(assignments),
  };
}

/** `given`: the instance is named by the value, not by the path of the command. */
function assignmentsOf(data: Data, base: Path, objects: ObjectBook): (Assignment & { given: boolean })[] {
  if (!Array.isArray(data.content)) throw new CommandFault('content is a list of values');
  return data.content.map((entry: unknown) => {
    if (!isRecord(entry)) throw new CommandFault('content is a list of values');
    const own = readPath(entry.path);
    if (!own) throw new CommandFault('a value without a path');
    const given = base.length === 1 && own.length > 1;
    const path = base.length === 1 && own.length === 1 ? [base[0]!, 0, own[0]!] : [...base, ...own];
    if (path.length < 3 || path.length > 4) throw new CommandFault('a value belongs to a resource');
    return { path, type: typeOf(entry.type, path, objects), value: entry.value, given };
  });
}

/** As the command says, else as the object is described. */
function typeOf(said: unknown, path: Path, objects: ObjectBook): Lwm2mType {
  if (said === undefined) return objects.resource(path)?.type ?? 'String';
  const type = LWM2M_TYPES.find((known) => known === said);
  if (!type) throw new CommandFault(`type is one of ${LWM2M_TYPES.join(', ')}`);
  return type;
}

function attributesOf(data: Data): CoapOption[] {
  return ATTRIBUTES.flatMap((name) => {
    const value = data[name];
    if (value === undefined) return [];
    const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
    if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) throw new CommandFault(`${name} is a number`);
    return [textOption('Uri-Query', `${name}=${text}`)];
  });
}
