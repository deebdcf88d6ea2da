import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const password = 'Passw0rd!';
const create = (username: unknown, given: unknown = password) =>
  broker.inject<{ code: string; message: string }>('POST', '/users', {
    body: { username, password: given, description: 'a note' },
  });
const tokenOf = async (username: string, given = password) =>
  (await broker.inject<{ token: string }>('POST', '/login', { body: { username, password: given } })).body
    .token;

test('the default user is there at the first start', async () => {
  const { body } = await broker.inject('GET', '/users');
  expect(body).toEqual([{ username: 'admin', description: 'administrator' }]);
});

test('a created user can sign in', async () => {
  expect(await create('ops1')).toMatchObject({
    status: 200,
    body: { username: 'ops1', description: 'a note' },
  });
  expect((await broker.inject('GET', '/users', { token: await tokenOf('ops1') })).status).toBe(200);
});

test('passwords have 8 to 64 printable characters of two classes', async () => {
  const refused = [
    'short1!',
    'x1'.repeat(33),
    'abcdefghij',
    '1234567890',
    '!!!!!!!!!!',
    'Passwörd1',
    'pass\u0000word1',
    '',
  ];
  for (const one of refused) expect((await create('ops', one)).status, one).toBe(400);
  expect((await create('ops', 'short1!')).body.message).toContain('8 to 64 characters');
  for (const [i, one] of ['abcdefg1', 'x1'.repeat(32), 'pass word 1', '1234567!', 'trailing1 '].entries())
    expect((await create(`ops${i}`, one)).status, one).toBe(200);
  expect(await tokenOf('ops4', 'trailing1')).toBeUndefined(); // the blank belongs to the password
});

test('names are letters, digits and underscores, and taken only once', async () => {
  for (const name of ['', 'has space', 'a.b', 'ü', '<b>', '../x', 'x'.repeat(2000)])
    expect((await create(name)).status, name).toBe(400);
  expect((await create(5)).status).toBe(200);
  expect((await create('x'.repeat(100))).status).toBe(200);
  expect(await create('5')).toMatchObject({ status: 400, body: { message: 'username_already_exists' } });
  const both = await Promise.all([create('twin'), create('twin')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test('nobody is made an administrator who was to be less', async () => {
  const add = (role: string) =>
    broker.inject('POST', '/users', {
      body: { username: `as_${role}`, password: 'good-password-1', description: '', role },
    });
  expect(await add('viewer')).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  expect((await add('administrator')).status).toBe(200);
  const { body } = await broker.inject<{ username: string }[]>('GET', '/users');
  expect(body.map(({ username }) => username)).not.toContain('as_viewer');
});

test('a note can be changed, of somebody who exists', async () => {
  expect(await broker.inject('PUT', '/users/admin', { body: { description: 3 } })).toMatchObject({
    status: 200,
    body: { username: 'admin', description: '3' },
  });
  expect(await broker.inject('PUT', '/users/nobody', { body: { description: '' } })).toMatchObject({
    status: 404,
    body: { code: 'USER_NOT_FOUND' },
  });
});

test('a deleted user is out at once', async () => {
  await create('ops');
  const token = await tokenOf('ops');
  expect((await broker.inject('DELETE', '/users/ops')).status).toBe(204);
  expect(await broker.inject('GET', '/users', { token })).toMatchObject({
    status: 401,
    body: { code: 'BAD_TOKEN' },
  });
  expect(await broker.inject('DELETE', '/users/ops')).toMatchObject({
    status: 404,
    body: { code: 'USER_NOT_FOUND' },
  });
});

test('nobody deletes himself or the default user', async () => {
  await create('ops');
  const notAllowed = { status: 400, body: { code: 'NOT_ALLOWED' } };
  const token = await tokenOf('ops');
  expect(await broker.inject('DELETE', '/users/ops', { token })).toMatchObject(notAllowed);
  expect(await broker.inject('DELETE', '/users/admin', { token })).toMatchObject(notAllowed);
  expect(await broker.inject('DELETE', '/users/admin')).toMatchObject(notAllowed);
});

test('changing a password needs the old one, and ends the sessions of that user only', async () => {
  await create('ops');
  const token = await tokenOf('ops');
  const change = (old_pwd: string, new_pwd: string, name = 'ops') =>
    broker.inject('POST', `/users/${name}/change_pwd`, { body: { old_pwd, new_pwd } });
  expect(await change('bad', 'Passw0rd!2')).toMatchObject({
    status: 400,
    body: { code: 'ERROR_PWD_NOT_MATCH' },
  });
  expect(await change(password, 'short')).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  expect(await change(password, 'Passw0rd!2', 'nobody')).toMatchObject({ body: { code: 'USER_NOT_FOUND' } });
  expect((await broker.inject('GET', '/nodes', { token })).status).toBe(200);

  expect((await change(password, 'Passw0rd!2')).status).toBe(204);
  expect((await broker.inject('GET', '/nodes', { token })).status).toBe(401);
  expect((await broker.inject('GET', '/nodes')).status).toBe(200);
  expect(await tokenOf('ops')).toBeUndefined();
  expect(await tokenOf('ops', 'Passw0rd!2')).toBeTruthy();
  expect((await change('Passw0rd!2', 'Passw0rd!2')).status).toBe(204); // the API takes the same again
});

test('guesses at an old password end after five, also of many at once, and lock nobody out', async () => {
  await create('guessed');
  const change = (old_pwd: string) =>
    broker.inject<{ code: string }>('POST', '/users/guessed/change_pwd', {
      body: { old_pwd, new_pwd: 'Passw0rd!2' },
    });
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => change(`guess-${i}`)));
  const codes = answers.map(({ body }) => body.code).sort();
  expect(codes).toEqual([...Array(5).fill('ERROR_PWD_NOT_MATCH'), ...Array(5).fill('NOT_ALLOWED')]);
  expect(await change(password)).toMatchObject({ status: 400, body: { code: 'NOT_ALLOWED' } });
  expect(await tokenOf('guessed')).toBeTruthy();
});

test('fields beside those of a user are ignored, not kept', async () => {
  const body = { username: 'ops', password, description: '', role: 'administrator', is_superuser: true };
  expect((await broker.inject('POST', '/users', { body })).body).toEqual({
    username: 'ops',
    description: '',
  });
});
