import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { type ConnackPacket, PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { dial, type TestClient } from '../../testing/test-client.ts';
import { saslprep } from './saslprep.ts';
import { newScramUser } from './scram.ts';

const SCRAM = 'scram:built_in_database';
type Algorithm = 'sha256' | 'sha512';
const METHODS = { sha256: 'SCRAM-SHA-256', sha512: 'SCRAM-SHA-512' };

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const start = (algorithm: Algorithm = 'sha256') =>
  broker.inject('POST', '/authentication', {
    body: { mechanism: 'scram', backend: 'built_in_database', algorithm },
  });
const addUser = (user_id: string, password: string, is_superuser = false) =>
  broker.inject('POST', `/authentication/${SCRAM}/users`, { body: { user_id, password, is_superuser } });

interface Said {
  name: string;
  password: string;
  algorithm?: Algorithm;
  header?: string;
  username?: string;
  clientid?: string;
  /** Changes the last message before it is sent. */
  spoil?: (message: string) => string;
}

/** The client's side of RFC 5802, written from it and not from the broker's. */
class ScramClient {
  readonly first: string;
  private readonly said: Required<Pick<Said, 'algorithm' | 'header' | 'spoil'>> & Said;
  private readonly bare: string;
  private signature = '';

  constructor(said: Said) {
    this.said = { algorithm: 'sha256', header: 'n,,', spoil: (message) => message, ...said };
    const name = said.name.replaceAll('=', '=3D').replaceAll(',', '=2C');
    this.bare = `n=${name},r=${randomBytes(12).toString('base64')}`;
    this.first = this.said.header + this.bare;
  }

  get method(): string {
    return METHODS[this.said.algorithm];
  }

  final(serverFirst: string): string {
    const { algorithm, password, header, spoil } = this.said;
    const [, nonce, salt, iterations] = /^r=([^,]+),s=([^,]+),i=(\d+)$/.exec(serverFirst)!;
    expect(nonce!.length).toBeGreaterThan(30);
    const hmac = (key: Buffer, text: string) => createHmac(algorithm, key).update(text).digest();
    const salted = pbkdf2Sync(
      password,
      Buffer.from(salt!, 'base64'),
      Number(iterations),
      algorithm === 'sha256' ? 32 : 64,
      algorithm,
    );
    const clientKey = hmac(salted, 'Client Key');
    const withoutProof = `c=${Buffer.from(header).toString('base64')},r=${nonce}`;
    const all = `${this.bare},${serverFirst},${withoutProof}`;
    const signature = hmac(createHash(algorithm).update(clientKey).digest(), all);
    const proof = clientKey.map((byte, i) => byte ^ signature[i]!);
    this.signature = hmac(hmac(salted, 'Server Key'), all).toString('base64');
    return spoil(`${withoutProof},p=${Buffer.from(proof).toString('base64')}`);
  }

  /** Whether it is really the server that knows the password. */
  trusts(serverFinal: string): boolean {
    return serverFinal === `v=${this.signature}`;
  }
}

const text = (data: Uint8Array | undefined) => Buffer.from(data ?? []).toString();
const data = (message: string) => ({ authenticationData: Buffer.from(message) });

/** The answer to the first message, or the refusal. */
async function begin(said: Said) {
  const scram = new ScramClient(said);
  const { client } = dial(broker.core, said.clientid ?? 'device', {
    properties: { authenticationMethod: scram.method, ...data(scram.first) },
    ...(said.username !== undefined && { username: said.username }),
  });
  client.sendConnect();
  const answer = await vi.waitUntil(() => client.packets.shift(), { interval: 2 });
  if (answer.type !== PacketType.AUTH && answer.type !== PacketType.CONNACK)
    throw new Error(`packet type ${answer.type} came instead`);
  return { scram, client, answer };
}

function auth(client: TestClient, reasonCode: number, method: string, message: string): void {
  client.send({
    type: PacketType.AUTH,
    reasonCode,
    properties: { authenticationMethod: method, ...data(message) },
  });
}

async function login(said: Said): Promise<{ client: TestClient; connack: ConnackPacket; trusted: boolean }> {
  const { scram, client, answer } = await begin(said);
  if (answer.type === PacketType.CONNACK) return { client, connack: answer, trusted: false };
  const serverFirst = text(answer.properties.authenticationData);
  auth(client, ReasonCode.ContinueAuthentication, scram.method, scram.final(serverFirst));
  const connack = await client.expect(PacketType.CONNACK);
  return { client, connack, trusted: scram.trusts(text(connack.properties.authenticationData)) };
}

const code = async (said: Said) => (await login(said)).connack.reasonCode;

describe.each(['sha256', 'sha512'] as const)('SCRAM with %s', (algorithm) => {
  test('lets in who proves the password, and proves that it knows it [MQTT-4.12.0-2]', async () => {
    await start(algorithm);
    await addUser('ada', 'pencil', true);
    const { client, connack, trusted } = await login({ name: 'ada', password: 'pencil', algorithm });
    expect(connack).toMatchObject({
      reasonCode: 0,
      properties: { authenticationMethod: METHODS[algorithm] },
    });
    expect(trusted).toBe(true);
    expect(broker.core.registry.find('device')?.who).toMatchObject({ username: 'ada', isSuperuser: true });
    await client.ping();
  });

  test('refuses a wrong password as it refuses an unknown user', async () => {
    await start(algorithm);
    await addUser('ada', 'pencil');
    const wrong = await login({ name: 'ada', password: 'eraser', algorithm });
    const nobody = await login({ name: 'bob', password: 'pencil', algorithm });
    expect(wrong.connack.reasonCode).toBe(ReasonCode.NotAuthorized);
    expect(nobody.connack).toEqual(wrong.connack);
    const { body } = await broker.inject('GET', `/authentication/${SCRAM}/status`);
    expect(body).toMatchObject({ metrics: { total: 2, success: 0, failed: 1, nomatch: 1 } });
  });
});

test('of an unknown user the first answer looks as of a known one, and the same each time', async () => {
  await start();
  await addUser('ada', 'pencil');
  const answerTo = async (name: string) => {
    const { answer } = await begin({ name, password: 'x' });
    if (answer.type !== PacketType.AUTH) throw new Error('refused at once');
    return text(answer.properties.authenticationData);
  };
  const saltOf = (message: string) => /s=([^,]+)/.exec(message)![1]!;
  const form = (message: string) => message.replace(/r=[^,]+/, 'r').replace(saltOf(message), 's');
  const [known, one, again, other] = [
    await answerTo('ada'),
    await answerTo('bob'),
    await answerTo('bob'),
    await answerTo('eve'),
  ];
  expect(form(one)).toBe(form(known));
  expect(saltOf(one)).toHaveLength(saltOf(known).length);
  expect(saltOf(again)).toBe(saltOf(one));
  expect(saltOf(other)).not.toBe(saltOf(one));
});

test('the stored keys follow from RFC 7677', async () => {
  const user = (await newScramUser({ algorithm: 'sha256', iteration_count: 4096 }, 'pencil', false))!;
  const salted = pbkdf2Sync('pencil', Buffer.from(user.salt, 'base64'), 4096, 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  expect(user.storedKey).toBe(createHash('sha256').update(clientKey).digest('base64'));
  expect(JSON.stringify(user)).not.toContain('pencil');
});

describe('names', () => {
  test('with commas and equals signs are written as RFC 5802 says', async () => {
    await start();
    await addUser('a,b=c', 'pencil');
    expect(await code({ name: 'a,b=c', password: 'pencil' })).toBe(0);
  });

  test('are prepared: IX is the Roman nine, a soft hyphen is nothing', async () => {
    await start();
    await addUser('IX', 'pass word');
    expect(await code({ name: '\u2168', password: 'pass word' })).toBe(0);
    expect(await code({ name: 'I\u00adX', password: 'pass word' })).toBe(0);
    expect((await addUser('\u2168', 'x')).status).toBe(400); // he would never be found
    expect((await addUser('bob', 'a\u0007b')).status).toBe(400);
  });

  test('CONNECT may name the user, but no other one', async () => {
    await start();
    await addUser('ada', 'pencil');
    expect(await code({ name: 'ada', password: 'pencil', username: 'ada' })).toBe(0);
    expect(await code({ name: 'ada', password: 'pencil', username: 'admin' })).toBe(ReasonCode.NotAuthorized);
  });
});

test('channel binding: none is used, none is claimed, and none can be asked for', async () => {
  await start();
  await addUser('ada', 'pencil');
  const ada = { name: 'ada', password: 'pencil' };
  expect(await code({ ...ada, header: 'y,,' })).toBe(0);
  expect(await code({ ...ada, header: 'n,a=ada,' })).toBe(0);
  for (const header of ['p=tls-unique,,', 'n,a=admin,', 'x,,', ''])
    expect(await code({ ...ada, header }), header).toBe(ReasonCode.NotAuthorized);
  // What was said of it first must be what is signed
  const other = Buffer.from('y,,').toString('base64');
  const spoil = (message: string) => message.replace(/c=[^,]+/, `c=${other}`);
  expect(await code({ ...ada, spoil })).toBe(ReasonCode.NotAuthorized);
});

test('messages that are none, or belong to another exchange, are refused', async () => {
  await start();
  await addUser('ada', 'pencil');
  const ada = { name: 'ada', password: 'pencil' };
  const spoils: ((message: string) => string)[] = [
    () => '',
    () => 'nonsense',
    (message) => message.replace(/r=[^,]+/, 'r=other'),
    (message) => message.replace(/p=.*/, 'p=AAAA'),
    (message) => message.replace(/p=.*/, `p=${Buffer.alloc(32).toString('base64')}`),
    (message) => `${message},x=y`,
    () => 'x'.repeat(5000),
  ];
  for (const spoil of spoils)
    expect(await code({ ...ada, spoil }), String(spoil)).toBe(ReasonCode.NotAuthorized);
  for (const first of [
    '',
    'n,,',
    'n,,n=,r=abc',
    'n,,n=a=b,r=abc',
    'n,,m=x,n=ada,r=abc',
    'n,,n=ada,r=\u00e4',
  ]) {
    const { client } = dial(broker.core, 'x', {
      properties: { authenticationMethod: METHODS.sha256, ...data(first) },
    });
    client.sendConnect();
    expect((await client.expect(PacketType.CONNACK)).reasonCode, first).toBe(ReasonCode.NotAuthorized);
  }
  const { client } = dial(broker.core, 'y', {
    properties: { authenticationMethod: METHODS.sha256, authenticationData: Buffer.from([0xff, 0xfe]) },
  });
  client.sendConnect();
  expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.NotAuthorized);
});

test('a method that no authenticator of the chain has is said to be none [MQTT-4.12.0-1]', async () => {
  const bad = ReasonCode.BadAuthenticationMethod;
  const ada = { name: 'ada', password: 'pencil' };
  expect(await code(ada)).toBe(bad);
  await start('sha512');
  await addUser('ada', 'pencil');
  expect(await code({ ...ada, algorithm: 'sha256' })).toBe(bad);
  expect(await code({ ...ada, algorithm: 'sha512' })).toBe(0);
  await broker.inject('PUT', `/authentication/${SCRAM}`, {
    body: { mechanism: 'scram', backend: 'built_in_database', algorithm: 'sha512', enable: false },
  });
  expect(await code({ ...ada, algorithm: 'sha512' })).toBe(bad);
});

test('who shows a password instead is not known to it', async () => {
  await start();
  await addUser('ada', 'pencil');
  const { client } = dial(broker.core, 'x', { username: 'ada', password: 'pencil' });
  expect((await client.connect()).reasonCode).toBe(ReasonCode.NotAuthorized);
});

describe('on an open connection [MQTT-4.12.1-2]', () => {
  async function again(client: TestClient, said: Said) {
    const scram = new ScramClient(said);
    auth(client, ReasonCode.ReAuthenticate, scram.method, scram.first);
    const answer = await client.expect(PacketType.AUTH);
    auth(
      client,
      ReasonCode.ContinueAuthentication,
      scram.method,
      scram.final(text(answer.properties.authenticationData)),
    );
    return scram;
  }

  test('the user proves himself again, and what has changed holds', async () => {
    await start();
    await addUser('ada', 'pencil');
    const { client } = await login({ name: 'ada', password: 'pencil' });
    const body = { password: 'eraser', is_superuser: true };
    await broker.inject('PUT', `/authentication/${SCRAM}/users/ada`, { body });
    const scram = await again(client, { name: 'ada', password: 'eraser' });
    const done = await client.expect(PacketType.AUTH);
    expect(done.reasonCode).toBe(0);
    expect(scram.trusts(text(done.properties.authenticationData))).toBe(true);
    expect(broker.core.registry.find('device')?.who.isSuperuser).toBe(true);
  });

  test('a wrong proof ends the connection', async () => {
    await start();
    await addUser('ada', 'pencil');
    const { client } = await login({ name: 'ada', password: 'pencil' });
    await again(client, { name: 'ada', password: 'eraser' });
    await client.expectDisconnect(ReasonCode.NotAuthorized);
  });

  test('nobody becomes somebody else', async () => {
    await start();
    await addUser('ada', 'pencil');
    await addUser('boss', 'secret', true);
    const { client } = await login({ name: 'ada', password: 'pencil' });
    const scram = new ScramClient({ name: 'boss', password: 'secret' });
    auth(client, ReasonCode.ReAuthenticate, scram.method, scram.first);
    await client.expectDisconnect(ReasonCode.NotAuthorized);
  });
});

test('SASLprep maps, keeps and prohibits as RFC 4013 shows', () => {
  const cases: [string, string | null][] = [
    ['I\u00adX', 'IX'],
    ['user', 'user'],
    ['USER', 'USER'],
    ['\u00aa', 'a'],
    ['\u2168', 'IX'],
    ['a\u00a0b', 'a b'],
    ['\u0007', null],
    ['\u0627\u0031', null],
    ['\u0627\u0628', '\u0627\u0628'],
    ['\u0627a\u0628', null],
    ['\ue000', null],
  ];
  for (const [given, prepared] of cases) expect(saslprep(given), JSON.stringify(given)).toBe(prepared);
});
