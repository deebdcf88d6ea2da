import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';
import { type Engine, freePort } from './engine.ts';

const OP_REPLY = 1;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
const WIRE_VERSION = 21; // of MongoDB 7.0
const ITERATIONS = 4096;

export const MONGO = { username: 'mqtt', password: 'canary-mongo-9' };

export interface MongoEngine extends Engine {
  readonly collections: Map<string, Document[]>;
  /** Filters it was asked for. */
  readonly asked: Document[];
  /** From now on a find is not answered. */
  silent: boolean;
}

interface Options {
  /** As one of a replica set, or as a router of a cluster. */
  kind?: 'single' | 'sharded' | { replicaSet: string };
  auth?: boolean;
}

/** Speaks MongoDB's wire protocol as far as the driver needs it to read: hello, SCRAM-SHA-256, find, insert, ping. */
export async function startMongoFake({ kind = 'single', auth = true }: Options = {}): Promise<MongoEngine> {
  const port = await freePort();
  const sockets = new Set<Socket>();
  const engine: MongoEngine = {
    port,
    address: `127.0.0.1:${port}`,
    collections: new Map(),
    asked: [],
    silent: false,
    start,
    kill,
    close: kill,
  };
  let server: Server | null = null;

  async function start(): Promise<void> {
    const made = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
      serve(socket, engine, { hello: helloOf(kind, engine.address), auth });
    });
    await new Promise<void>((resolve, reject) => {
      made.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    server = made;
  }
  async function kill(): Promise<void> {
    const old = server;
    server = null;
    const closed = new Promise((resolve) => (old ? old.close(resolve) : resolve(null)));
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  await start();
  return engine;
}

function helloOf(kind: NonNullable<Options['kind']>, address: string): Document {
  return {
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    ...(kind === 'sharded' && { msg: 'isdbgrid' }),
    ...(typeof kind === 'object' && {
      setName: kind.replicaSet,
      setVersion: 1,
      hosts: [address],
      primary: address,
      me: address,
      secondary: false,
    }),
    ok: 1,
  };
}

function serve(socket: Socket, engine: MongoEngine, given: { hello: Document; auth: boolean }): void {
  const session = new Session(engine, given);
  let buffer: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    while (buffer.length >= 4 && buffer.length >= buffer.readInt32LE(0)) {
      const length = buffer.readInt32LE(0);
      const message = buffer.subarray(0, length);
      buffer = buffer.subarray(length);
      const requestId = message.readInt32LE(4);
      const opcode = message.readInt32LE(12);
      const command = opcode === OP_MSG ? readMsg(message) : readQuery(message); // a first hello
      const answer = session.answer(command);
      if (answer !== null)
        socket.write(opcode === OP_MSG ? msg(requestId, answer) : reply(requestId, answer));
    }
  });
}

function readMsg(message: Buffer): Document {
  let at = HEADER_BYTES + 4;
  let command: Document = {};
  while (at < message.length) {
    const kind = message[at++];
    const length = message.readInt32LE(at);
    const section = message.subarray(at, at + length);
    at += length;
    if (kind === 0) {
      command = { ...command, ...BSON.deserialize(section) };
      continue;
    }
    const end = section.indexOf(0, 4);
    const documents: Document[] = [];
    for (let from = end + 1; from < section.length; from += section.readInt32LE(from))
      documents.push(BSON.deserialize(section.subarray(from, from + section.readInt32LE(from))));
    command[section.toString('utf8', 4, end)] = documents;
  }
  return command;
}

function readQuery(message: Buffer): Document {
  const from = message.indexOf(0, HEADER_BYTES + 4) + 1 + 8;
  return BSON.deserialize(message.subarray(from, from + message.readInt32LE(from)));
}

function header(length: number, requestId: number, opcode: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeInt32LE(HEADER_BYTES + length, 0);
  bytes.writeInt32LE(requestId, 8);
  bytes.writeInt32LE(opcode, 12);
  return bytes;
}

function msg(requestId: number, answer: Document): Buffer {
  const body = BSON.serialize(answer);
  return Buffer.concat([header(body.length + 5, requestId, OP_MSG), Buffer.alloc(5), body]);
}

function reply(requestId: number, answer: Document): Buffer {
  const body = BSON.serialize(answer);
  const head = Buffer.alloc(20);
  head.writeInt32LE(1, 16); // one document
  return Buffer.concat([header(body.length + 20, requestId, OP_REPLY), head, body]);
}

const failure = (code: number, errmsg: string): Document => ({ ok: 0, code, errmsg });

class Session {
  private readonly engine: MongoEngine;
  private readonly hello: Document;
  private authenticated: boolean;
  private scram: { first: string; nonce: string; salt: Buffer } | null = null;

  constructor(engine: MongoEngine, { hello, auth }: { hello: Document; auth: boolean }) {
    this.engine = engine;
    this.hello = hello;
    this.authenticated = !auth;
  }

  answer(command: Document): Document | null {
    const name = Object.keys(command)[0]!;
    switch (name) {
      case 'hello':
      case 'ismaster':
      case 'isMaster':
        return {
          ...this.hello,
          ...('saslSupportedMechs' in command && { saslSupportedMechs: ['SCRAM-SHA-256'] }),
        };
      case 'saslStart':
        return this.saslStart(command);
      case 'saslContinue':
        return this.saslContinue(command);
      case 'endSessions':
        return { ok: 1 };
    }
    if (!this.authenticated) return failure(13, `command ${name} requires authentication`);
    switch (name) {
      case 'ping':
        return { ok: 1 };
      case 'insert': {
        return this.insert(command.documents as Document[], this.collection(command.insert));
      }
      case 'find':
        return this.find(command);
      default:
        return failure(59, `no such command: ${name}`);
    }
  }

  /** In their order, up to the first whose id is there already. */
  private insert(documents: Document[], into: Document[]): Document {
    const known = new Set(into.map(({ _id }) => String(_id)));
    for (const [index, document] of documents.entries()) {
      if (known.has(String(document._id)))
        return {
          ok: 1,
          n: index,
          writeErrors: [{ index, code: 11000, errmsg: 'E11000 duplicate key error' }],
        };
      known.add(String(document._id));
      into.push(document);
    }
    return { ok: 1, n: documents.length };
  }

  private collection(name: string): Document[] {
    const { collections } = this.engine;
    if (!collections.has(name)) collections.set(name, []);
    return collections.get(name)!;
  }

  private find({ find, filter, limit = 0, skip = 0, $db }: Document): Document | null {
    this.engine.asked.push(filter);
    if (this.engine.silent) return null;
    let found: Document[];
    try {
      found = this.collection(find).filter((document) => fits(document, filter));
    } catch (error) {
      return failure(2, String(error));
    }
    const firstBatch = found.slice(skip, limit === 0 ? undefined : skip + limit);
    return { ok: 1, cursor: { id: BSON.Long.ZERO, ns: `${$db}.${find}`, firstBatch } };
  }

  /** RFC 5802. */
  private saslStart({ mechanism, payload }: Document): Document {
    if (mechanism !== 'SCRAM-SHA-256') return failure(334, `mechanism ${mechanism} is not supported`);
    const first = Buffer.from(payload.buffer).toString().replace(/^n,,/, '');
    const salt = randomBytes(16);
    const nonce = `${/r=([^,]*)/.exec(first)![1]}${randomBytes(18).toString('base64')}`;
    this.scram = { first, nonce, salt };
    return this.step(false, `r=${nonce},s=${salt.toString('base64')},i=${ITERATIONS}`);
  }

  private saslContinue({ payload }: Document): Document {
    const text = Buffer.from(payload.buffer).toString();
    if (text === '' || this.scram === null) return this.step(true, '');
    const { first, nonce, salt } = this.scram;
    const hmac = (key: Buffer, data: string) => createHmac('sha256', key).update(data).digest();
    const salted = pbkdf2Sync(MONGO.password, salt, ITERATIONS, 32, 'sha256');
    const clientKey = hmac(salted, 'Client Key');
    const server = `r=${nonce},s=${salt.toString('base64')},i=${ITERATIONS}`;
    const message = `${first},${server},c=biws,r=${nonce}`;
    const signature = hmac(createHash('sha256').update(clientKey).digest(), message);
    const wanted = Buffer.from(clientKey.map((byte, i) => byte ^ signature[i]!));
    const proof = Buffer.from(/p=(.*)$/.exec(text)?.[1] ?? '', 'base64');
    const known = first.includes(`n=${MONGO.username},`);
    if (!known || proof.length !== wanted.length || !timingSafeEqual(proof, wanted))
      return failure(18, 'Authentication failed.');
    this.authenticated = true;
    return this.step(true, `v=${hmac(hmac(salted, 'Server Key'), message).toString('base64')}`);
  }

  private step(done: boolean, payload: string): Document {
    return { ok: 1, conversationId: 1, done, payload: new BSON.Binary(Buffer.from(payload)) };
  }
}

/** The few operators that are needed; another one is an error, as for the real server. */
function fits(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    if (key === '$and') return (wanted as Document[]).every((one) => fits(document, one));
    if (key === '$or') return (wanted as Document[]).some((one) => fits(document, one));
    if (key.startsWith('$')) throw new Error(`unknown top level operator: ${key}`);
    return equals(document[key], wanted);
  });
}

function equals(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  return Object.entries(wanted).every(([operator, operand]) => {
    switch (operator) {
      case '$eq':
        return value === operand;
      case '$ne':
        return value !== operand;
      case '$gt':
        return typeof value === typeof operand && (value as string) > (operand as string);
      case '$in':
        return (operand as unknown[]).includes(value);
      default:
        throw new Error(`unknown operator: ${operator}`);
    }
  });
}
