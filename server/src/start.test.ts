import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { openCertificates } from '@mqdeck/broker/core/listeners/certificates';
import mqtt from 'mqtt';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startFleet } from './demo/fleet.ts';
import { parseCommand } from './options.ts';
import { type Running, start } from './start.ts';
import { StartFailure } from './start-failure.ts';

let folder: string;
let running: Running[];
beforeEach(async () => {
  running = [];
  said.length = 0;
  folder = await mkdtemp(path.join(os.tmpdir(), 'mqdeck-start-'));
});
afterEach(async () => {
  for (const one of running) await one.close();
  await rm(folder, { recursive: true, force: true });
});

const said: string[] = [];
const terminal = { write: (line: string) => void said.push(line), log: pino({ level: 'silent' }) };

async function startWith(...args: string[]): Promise<Running> {
  const free = ['--http', '0', '--tcp', '0', '--ssl', 'off', '--ws', '0', '--wss', 'off', '--data', folder];
  const command = parseCommand([...free, ...args], {});
  if (command.run !== 'start') throw new Error(`it would show ${command.run}`);
  const one = await start(command.options, '1.2.3', terminal);
  running.push(one);
  return one;
}
const get = async (one: Running, url: string) =>
  (await fetch(`http://127.0.0.1:${one.ports.http}${url}`)).status;

/** Sends the head of a request and nothing of its body; the status line and the body of the answer. */
async function answerToHead(port: number, start: string, type: string, length: number) {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(
    `${start} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`,
  );
  let text = '';
  for await (const chunk of socket) text += chunk;
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), code: JSON.parse(body).code };
}

describe('requests that nobody has signed', () => {
  test('20 MB that somebody offers without a login are refused before they are sent', async () => {
    const { ports } = await startWith();
    for (const [start, type, status, code] of [
      ['POST /api/v5/publish', 'application/json', 401, 'AUTHORIZATION_HEADER_ERROR'],
      ['PUT /api/v5/configs', 'text/plain', 401, 'AUTHORIZATION_HEADER_ERROR'],
      ['POST /api/v5/data/files', 'multipart/form-data; boundary=x', 401, 'AUTHORIZATION_HEADER_ERROR'],
      ['POST /api/v5/plugins/install', 'multipart/form-data; boundary=x', 401, 'AUTHORIZATION_HEADER_ERROR'],
      ['POST /api/v5/login', 'application/json', 400, 'BAD_REQUEST'],
      ['POST /api/v5/nothing', 'application/json', 404, 'NOT_FOUND'],
      ['PUT /api/v5/login', 'application/json', 405, 'METHOD_NOT_ALLOWED'],
      ['POST /nothing', 'application/json', 404, 'NOT_FOUND'],
      ['POST /console.json', 'application/json', 404, 'NOT_FOUND'],
      ['POST /csp-report', 'application/csp-report', 413, 'BAD_REQUEST'],
    ] as const)
      expect([start, await answerToHead(ports.http!, start, type, 20_000_000)]).toEqual([
        start,
        { status, code },
      ]);
  });

  test('a query of too many parts is refused', async () => {
    const one = await startWith();
    const answer = await fetch(`http://127.0.0.1:${one.ports.http}/api/v5/status?${'a=b&'.repeat(2001)}`);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'BAD_REQUEST']);
    expect(await get(one, `/api/v5/status?${'a=b&'.repeat(2000)}`)).toBe(200);
  });
});

describe('the embedded broker', () => {
  test('is reached under every address that the banner and run.json name, and gone after the end', async () => {
    const one = await startWith('--ssl', '0', '--wss', '0');
    const { http, tcp, ssl, ws, wss } = one.ports;
    const announced = JSON.parse(await readFile(path.join(folder, 'run.json'), 'utf8'));
    expect(announced).toMatchObject({ pid: process.pid, http, tcp, ssl, ws, wss, host: '127.0.0.1' });
    for (const address of [
      `http://127.0.0.1:${http}/`,
      `mqtt://127.0.0.1:${tcp}`,
      `mqtts://127.0.0.1:${ssl}`,
      `ws://127.0.0.1:${ws}/mqtt`,
      `wss://127.0.0.1:${wss}/mqtt`,
      path.join(folder, 'certs', 'cert.pem'),
    ]) {
      expect(one.banner).toContain(address);
    }
    for (const url of ['/status', '/api/v5/status', '/api-docs', '/api-docs/swagger.json', '/console.json']) {
      expect([url, await get(one, url)]).toEqual([url, 200]);
    }
    expect(await (await fetch(`http://127.0.0.1:${http}/status?format=json`)).json()).toHaveProperty(
      'rel_vsn',
    );
    for (const port of [http, ws]) {
      const client = new WebSocket(`ws://127.0.0.1:${port}/mqtt`, 'mqtt');
      await once(client, 'open');
      expect(client.protocol).toBe('mqtt');
      client.terminate();
    }
    const ca = await readFile(path.join(folder, 'certs', 'cert.pem')); // the one that the banner hands out
    const device = await mqtt.connectAsync(`mqtts://127.0.0.1:${ssl}`, { ca, reconnectPeriod: 0 });
    await device.endAsync();
    const browser = new WebSocket(`wss://127.0.0.1:${wss}/mqtt`, 'mqtt', { ca });
    await once(browser, 'open');
    browser.terminate();
    await one.close();
    expect(await readdir(folder)).not.toContain('run.json');
    const gone = net.connect({ host: '127.0.0.1', port: tcp! });
    await expect(once(gone, 'connect')).rejects.toThrow('ECONNREFUSED');
  });

  test('an address as long as the longest client id is read; what is no HTTP is answered in JSON', async () => {
    const one = await startWith();
    const id = '%C3%A9'.repeat(32_000);
    expect(await get(one, `/api/v5/clients/${id}`)).toBe(401); // it got as far as the login
    const socket = net.connect(one.ports.http!, '127.0.0.1', () => socket.write('nonsense\r\n\r\n'));
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const answer = Buffer.concat(chunks).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('what the HTTP server has to say goes where the log of the broker goes', async () => {
    const one = await startWith();
    const url = `http://127.0.0.1:${one.ports.http}`;
    const login = await fetch(`${url}/api/v5/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: 'public' }),
    });
    const { token } = (await login.json()) as { token: string };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const log = { console: { formatter: 'json' }, file: { default: { enable: true } } };
    const put = { method: 'PUT', headers, body: JSON.stringify(log) };
    expect((await fetch(`${url}/api/v5/configs/log`, put)).status).toBe(200);
    const report = { method: 'POST', headers: { 'content-type': 'application/csp-report' }, body: '{"a":1}' };
    await fetch(`${url}/csp-report`, report);
    const msg = 'the content security policy refused something';
    const lines = said.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warning', msg, report: '{"a":1}' }));
    await one.close();
    expect(await readFile(path.join(folder, 'log', 'emqx.log'), 'utf8')).toContain(msg);
    expect(said.join('')).not.toContain(token);
  });

  test('what is off is neither opened nor named', async () => {
    const one = await startWith('--tcp', 'off', '--http', 'off');
    expect(one.ports).toMatchObject({ http: null, tcp: null, ws: expect.any(Number) });
    expect(one.banner).not.toMatch(/http:|mqtts?:|wss:|Certificate/);
    expect(await readdir(folder)).not.toContain('certs');
  });

  test("the operator's own certificate is used as it is; one that cannot be used is a sentence", async () => {
    const log = pino({ level: 'silent' });
    const made = await openCertificates({ folder: null, host: 'broker.example', log });
    const { cert, key } = made.current;
    made.close();
    const [certFile, keyFile] = [path.join(folder, 'own.crt'), path.join(folder, 'own.key')];
    await writeFile(certFile, cert);
    const own = ['--ssl', '0', '--cert', certFile, '--key', keyFile];
    await expect(startWith(...own)).rejects.toThrow(
      new StartFailure(`The file ${keyFile} cannot be read: there is no such file.`),
    );
    await writeFile(keyFile, key);
    const one = await startWith(...own);
    expect(one.banner).toContain(certFile);
    const socket = tls.connect({ port: one.ports.ssl!, ca: cert, servername: 'broker.example' });
    await once(socket, 'secureConnect');
    expect(socket.getPeerX509Certificate()?.toString()).toBe(cert);
    socket.destroy();
    expect(await readdir(folder)).not.toContain('certs');
  });

  test('a port in use is a sentence that names the option, and leaves the folder free', async () => {
    const other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    for (const flag of ['--http', '--tcp', '--ssl', '--ws', '--wss']) {
      await expect(startWith(flag, String(port))).rejects.toThrow(
        `Port ${port} of 127.0.0.1 is already in use. Choose another port with ${flag}.`,
      );
    }
    other.close();
    await startWith();
  });

  test('closing does not wait for a websocket on the console origin', async () => {
    const one = await startWith();
    const client = new WebSocket(`ws://127.0.0.1:${one.ports.http}/mqtt`, 'mqtt');
    await once(client, 'open');
    const closed = once(client, 'close');
    await one.close();
    await closed;
  });
});

test('in front of a cluster there is no broker, and the console knows', async () => {
  const one = await startWith('--upstream', 'plant=http://127.0.0.1:1');
  expect(one.ports).toMatchObject({ tcp: null, ssl: null, ws: null, wss: null });
  expect(one.banner).toContain('plant');
  const facts = await (await fetch(`http://127.0.0.1:${one.ports.http}/console.json`)).json();
  expect(facts).toMatchObject({ mode: 'upstream', upstream: 'plant', version: '1.2.3' });
  expect(await get(one, '/api/v5/status')).toBe(502);
});

test('an address this machine does not have is a sentence', async () => {
  await expect(startWith('--host', '203.0.113.7')).rejects.toThrow('This machine has no address 203.0.113.7');
});

test('the banner names the first password only while it holds', async () => {
  const first = await startWith();
  expect(first.banner).toContain('admin / public');
  const call = (url: string, body: object, token = '') =>
    fetch(`http://127.0.0.1:${first.ports.http}/api/v5${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const signedIn = await call('/login', { username: 'admin', password: 'public' });
  const { token } = (await signedIn.json()) as { token: string };
  const change = { old_pwd: 'public', new_pwd: 'not-public-1' };
  expect((await call('/users/admin/change_pwd', change, token)).status).toBe(204);
  await first.close();
  expect((await startWith()).banner).not.toContain('public');
});

const signInWith = (one: Running, password: string) =>
  fetch(`http://127.0.0.1:${one.ports.http}/api/v5/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });

test('on an open address the banner says who can sign in and connect, only as long as that is true', async () => {
  const first = await startWith('--host', '0.0.0.0');
  expect(first.banner).toContain('because of --host 0.0.0.0');
  expect(first.banner).toContain('Any of them can sign in as admin with the password public');
  expect(first.banner).toContain('Any device can connect: no authenticator is enabled.');
  const { token } = (await (await signInWith(first, 'public')).json()) as { token: string };
  const post = (url: string, body: object) =>
    fetch(`http://127.0.0.1:${first.ports.http}/api/v5${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const password_hash_algorithm = { name: 'sha256', salt_position: 'suffix' };
  const builtIn = { mechanism: 'password_based', backend: 'built_in_database', password_hash_algorithm };
  expect((await post('/authentication', builtIn)).status).toBe(200);
  const change = { old_pwd: 'public', new_pwd: 'not-public-1' };
  expect((await post('/users/admin/change_pwd', change)).status).toBe(204);
  await first.close();
  const { banner } = await startWith('--host', '0.0.0.0');
  expect(banner).toContain('because of --host 0.0.0.0');
  expect(banner).not.toMatch(/password public|Any device can connect/);
});

test('the first password can be another one than public, and later starts do not change it', async () => {
  const first = await startWith('--admin-password', 'first-night-1');
  expect(first.banner).not.toContain('public');
  expect((await signInWith(first, 'public')).status).toBe(401);
  expect((await signInWith(first, 'first-night-1')).status).toBe(200);
  await first.close();
  const second = await startWith('--admin-password', 'second-night-2');
  expect((await signInWith(second, 'second-night-2')).status).toBe(401);
  expect((await signInWith(second, 'first-night-1')).status).toBe(200);
});

test('a first password that is no password is a sentence that does not repeat it', async () => {
  const refused = startWith('--admin-password', 'short1');
  await expect(refused).rejects.toThrow('--admin-password must be 8 to 64 characters');
  await expect(refused).rejects.not.toThrow('short1');
});

test('the simulated fleet connects with all its kinds, and leaves together', async () => {
  const { ports } = await startWith();
  const few = { thermometers: 3, meters: 2, trackers: 2, gateways: 1, ingests: 2, dispatchers: 1 };
  const fleet = startFleet({ host: '127.0.0.1', port: ports.tcp! }, few);
  // All but the stranger, one of the two that share a name, and those that come and go.
  running.push({ ports, banner: '', close: fleet.stop }); // also when the next line fails
  await vi.waitFor(() => expect(fleet.connectedCount).toBeGreaterThanOrEqual(fleet.size - 6), {
    timeout: 10_000,
  });
  await fleet.stop();
  expect(fleet.connectedCount).toBe(0);
});

describe('--import', () => {
  async function call(one: Running, method: string, where: string, body?: unknown, token?: string) {
    const answer = await fetch(`http://127.0.0.1:${one.ports.http}/api/v5${where}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  }
  const signIn = async (one: Running) =>
    (await call(one, 'POST', '/login', { username: 'admin', password: 'public' })).body.token as string;

  test('restores a backup into another data folder, and only at that start', async () => {
    const one = await startWith();
    const token = await signIn(one);
    await call(one, 'POST', '/banned', { as: 'clientid', who: 'intruder' }, token);
    const { body } = await call(one, 'POST', '/data/export', undefined, token);
    const file = path.join(folder, 'backup', body.filename);
    const download = await fetch(`http://127.0.0.1:${one.ports.http}/api/v5/data/files/${body.filename}`, {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
    });
    expect(Buffer.from(await download.arrayBuffer())).toEqual(await readFile(file)); // and not what is in it
    const second = path.join(folder, 'second');
    const other = await startWith('--data', second, '--import', file);
    const otherToken = await signIn(other);
    const { data } = (await call(other, 'GET', '/banned', undefined, otherToken)).body;
    expect(data.map(({ who }: { who: string }) => who)).toEqual(['intruder']);
  });

  test('of an encrypted backup takes the passphrase of a file, and starts nothing without it', async () => {
    const one = await startWith();
    const token = await signIn(one);
    await call(one, 'POST', '/banned', { as: 'clientid', who: 'intruder' }, token);
    const passphrase = 'correct horse battery';
    const { body } = await call(one, 'POST', '/data/export', { passphrase }, token);
    const file = path.join(folder, 'backup', body.filename);
    const second = path.join(folder, 'second');
    await expect(startWith('--data', second, '--import', file)).rejects.toThrow(/its passphrase is needed/);
    const secret = path.join(folder, 'passphrase');
    await writeFile(secret, 'something else\n');
    const flags = ['--data', second, '--import', file, '--import-passphrase-file', secret];
    await expect(startWith(...flags)).rejects.toThrow(/passphrase is wrong/);
    await writeFile(secret, `${passphrase}\n`);
    const other = await startWith(...flags);
    const { data } = (await call(other, 'GET', '/banned', undefined, await signIn(other))).body;
    expect(data.map(({ who }: { who: string }) => who)).toEqual(['intruder']);
  });

  test('of what is no backup starts nothing, and says so in a sentence', async () => {
    const file = path.join(folder, 'broken.tar.gz');
    await writeFile(file, 'no archive');
    const second = path.join(folder, 'second');
    for (const [name, why] of [
      [file, /not restored, and nothing was changed.*gzip/],
      [path.join(folder, 'none.tar.gz'), /not restored.*no such file/],
      [path.join(folder, 'x.zip'), /must end with \.tar\.gz/],
    ] as const) {
      const failing = startWith('--data', second, '--import', name);
      await expect(failing).rejects.toThrow(StartFailure);
      await expect(failing).rejects.toThrow(why);
    }
    await startWith('--data', second); // the folder is free again
  });
});

test('who issues licenses is told by a file with his public key, or the start ends with what is wrong', async () => {
  const file = path.join(folder, 'issuer.pem');
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const flags = ['--edition', 'enterprise', '--license-issuer', file];
  await expect(startWith(...flags)).rejects.toThrow(/no ed25519 public key/);
  await writeFile(file, publicKey.export({ type: 'spki', format: 'pem' }));
  const one = await startWith(...flags);
  expect(await get(one, '/api/v5/license')).toBe(401);
  await expect(startWith('--license-issuer', file)).rejects.toThrow(/belongs to --edition enterprise/);
});
