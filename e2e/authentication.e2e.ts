import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { operatorOf } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { connectWithScram } from './support/scram.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

interface Authenticator {
  id: string;
}

const BUILT_IN = {
  mechanism: 'password_based',
  backend: 'built_in_database',
  user_id_type: 'username',
  password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
};
const BUILT_IN_PATH = '/authentication/password_based%3Abuilt_in_database';

/** The API, past the screens. */
let call: Awaited<ReturnType<typeof operatorOf>>;
beforeAll(async () => {
  call = await operatorOf(stage.server);
});

/** Every test begins with an empty chain. */
beforeEach(async () => {
  for (const { id } of await call<Authenticator[]>('GET', '/authentication'))
    await call('DELETE', `/authentication/${encodeURIComponent(id)}`);
});

async function chainWithUser(username: string, password: string) {
  await call('POST', '/authentication', BUILT_IN);
  await call('POST', `${BUILT_IN_PATH}/users`, { user_id: username, password });
}

const device = (clientId: string, username: string, password: string) =>
  connectDevice(stage.server, clientId, { username, password, version: 5 });
const refused = async (clientId: string, username: string, password: string): Promise<number> => {
  const error = await device(clientId, username, password).then(
    () => undefined,
    (why: { code?: number }) => why,
  );
  return error?.code ?? -1;
};

const row = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);
const rowIds = (page: Page) =>
  page.locator('[data-row]').evaluateAll((rows) => rows.map((one) => (one as HTMLElement).dataset.row));

/** A figure of the overview, by its label. */
const figure = (page: Page, label: string) =>
  page
    .locator('dl > div', { has: page.getByText(label, { exact: true }) })
    .locator('dd > span')
    .first();

/** The page must be opened with `clock`. */
const expectFigures = async (page: Page, wanted: Record<string, string>) => {
  for (const [label, value] of Object.entries(wanted))
    await expectAfterRefresh(page, () => figure(page, label).innerText(), label).toBe(value);
};

async function choose(page: Page, mechanism: string, backend?: string): Promise<void> {
  await page.getByRole('radio', { name: mechanism }).check();
  await page.getByRole('button', { name: 'Next' }).click();
  if (backend) await page.getByRole('radio', { name: backend }).check();
  await page.getByRole('button', { name: 'Next' }).click();
}

test('a built-in database made in the browser lets its user in and nobody else, and counts both', async () => {
  await (await device('anyone', 'nobody', 'x')).endAsync();
  const { page } = await stage.open('/authentication', { clock: true });
  await page.getByText('Anyone may connect').waitFor();
  await page.getByRole('link', { name: 'Add authenticator' }).click();
  await choose(page, 'Password-Based', 'Built-in database');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await row(page, 'password_based:built_in_database').waitFor();

  await page.getByRole('button', { name: 'Actions for password_based:built_in_database' }).click();
  await page.getByRole('menuitem', { name: 'Users' }).click();
  await page.getByRole('button', { name: 'Add user', exact: true }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Add user' }).click();
  await form.getByText('Username is required').waitFor();
  await form.getByRole('textbox', { name: 'Username' }).fill('sensor-1');
  await form.locator('input[name=password]').fill('right');
  await form.getByRole('button', { name: 'Add user' }).click();
  await row(page, 'sensor-1').waitFor();

  await device('one', 'sensor-1', 'right');
  expect(await refused('two', 'sensor-1', 'wrong')).toBe(0x86);
  expect(await refused('three', 'stranger', 'right')).toBe(0x87);

  await page.getByRole('tab', { name: 'Overview' }).click();
  await expectFigures(page, { Allowed: '1', Denied: '1', 'No match': '1' });
});

test('a user gets another password, then is deleted with others', async () => {
  await chainWithUser('olga', 'old');
  for (const user_id of ['bulk-1', 'bulk-2'])
    await call('POST', `${BUILT_IN_PATH}/users`, { user_id, password: 'x' });
  const { page } = await stage.open('/authentication/detail/password_based%3Abuilt_in_database?tab=users');
  await page.getByRole('button', { name: 'Actions for olga' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Password is required').waitFor();
  await form.locator('input[name=password]').fill('new');
  await form.getByRole('switch', { name: 'Superuser' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await row(page, 'olga').getByText('Yes').waitFor();
  await device('olga-1', 'olga', 'new');
  expect(await refused('olga-2', 'olga', 'old')).toBe(0x86);

  await page.getByRole('textbox', { name: 'User', exact: true }).fill('bulk');
  await row(page, 'olga').waitFor({ state: 'detached' });
  await row(page, 'bulk-1').getByRole('checkbox').check();
  await row(page, 'bulk-2').getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByText('Delete 2 users?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row(page, 'bulk-1').waitFor({ state: 'detached' });
  expect(await refused('bulk-1', 'bulk-1', 'x')).toBe(0x87);
});

test('an HTTP server of the operator decides, and both verdicts are counted', async () => {
  const asked: unknown[] = [];
  const judge = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const body = JSON.parse(text) as { username: string };
      asked.push(body);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ result: body.username === 'friend' ? 'allow' : 'deny' }));
    });
  });
  await new Promise<void>((resolve) => judge.listen(0, '127.0.0.1', resolve));
  try {
    const { page } = await stage.open('/authentication/create', { clock: true });
    await choose(page, 'Password-Based', 'HTTP server');
    const url = page.getByRole('textbox', { name: 'URL' });
    await url.fill('http://${host}/login');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('names a host without placeholders').waitFor();
    await url.fill(`http://127.0.0.1:${(judge.address() as AddressInfo).port}/login`);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await expectAfterRefresh(page, () =>
      row(page, 'password_based:http').getByText('Connected').count(),
    ).toBe(1);

    await device('http-1', 'friend', 'secret');
    expect(await refused('http-2', 'foe', 'secret')).toBe(0x87);
    expect(asked).toEqual([
      { username: 'friend', password: 'secret' },
      { username: 'foe', password: 'secret' },
    ]);
    await page.getByRole('link', { name: 'HTTP server' }).click();
    await expectFigures(page, { Allowed: '1', Denied: '1', 'No match': '0' });
  } finally {
    judge.close();
    judge.closeAllConnections();
  }
});

/** A token as RFC 7515 writes it, by another hand than the broker's. */
function signed(secret: string, subject: string, seconds = 300): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: subject, exp: Math.floor(Date.now() / 1000) + seconds })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

test('a backend that is down says why, and lets nobody in', async () => {
  await call('POST', '/authentication', {
    mechanism: 'password_based',
    backend: 'mysql',
    server: '127.0.0.1:1',
    database: 'mqtt',
    username: 'root',
    password: 'of-the-database',
    query: 'SELECT password_hash, salt FROM mqtt_user WHERE username = ${username}',
  });
  expect(await refused('down', 'olga', 'x')).toBe(0x87);
  const { page } = await stage.open('/authentication', { clock: true });
  const state = page.getByRole('button', { name: 'MySQL: Disconnected. State on each node' });
  await state.focus();
  await page
    .getByRole('tooltip')
    .getByText(/nobody listens on 127.0.0.1:1/)
    .waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('tooltip').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'MySQL' }).click();
  await page.getByText('Its backend does not answer.').waitFor();
  await page.getByRole('cell', { name: /nobody listens on 127.0.0.1:1/ }).waitFor();
  await expectFigures(page, { Allowed: '0', 'No match': '1' });
  expect(await page.content()).not.toContain('of-the-database');
});

test('a token that is signed right, names the client and is still good lets it in', async () => {
  const { page } = await stage.open('/authentication/create', { clock: true });
  await choose(page, 'JWT');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Secret is required').waitFor();
  await page.locator('input[name=secret]').fill('a-shared-secret');
  await page
    .getByRole('group', { name: 'Claims that must match' })
    .getByRole('button', { name: 'Add' })
    .click();
  await page.getByRole('textbox', { name: 'Key 1' }).fill('sub');
  await page.getByRole('textbox', { name: 'Value 1' }).fill('${clientid}');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await row(page, 'jwt').waitFor();

  await device('jwt-1', 'any', signed('a-shared-secret', 'jwt-1'));
  expect(await refused('jwt-2', 'any', signed('a-shared-secret', 'jwt-1'))).not.toBe(-1);
  expect(await refused('jwt-3', 'any', signed('of-somebody-else', 'jwt-3'))).not.toBe(-1);
  expect(await refused('jwt-4', 'any', signed('a-shared-secret', 'jwt-4', -10))).not.toBe(-1);

  await page.getByRole('link', { name: 'JWT', exact: true }).click();
  await expectFigures(page, { Allowed: '1' });
  // The secret is never shown, and saving something else keeps it.
  await page.getByRole('tab', { name: 'Settings' }).click();
  await expect.poll(() => page.locator('input[name=secret]').getAttribute('placeholder')).toContain('Stored');
  await page.getByRole('switch', { name: 'Disconnect when the token expires' }).click();
  await page.getByText('1 field changed').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await device('jwt-5', 'any', signed('a-shared-secret', 'jwt-5'));
});

test('SCRAM made in the browser lets in who proves the password without showing it', async () => {
  const { page } = await stage.open('/authentication/create', { clock: true });
  await choose(page, 'SCRAM', 'Built-in database');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('button', { name: 'Actions for scram:built_in_database' }).click();
  await page.getByRole('menuitem', { name: 'Users' }).click();
  await page.getByRole('button', { name: 'Add user', exact: true }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Username' }).fill('olga');
  await form.locator('input[name=password]').fill('right');
  await form.getByRole('button', { name: 'Add user' }).click();
  await row(page, 'olga').waitFor();

  const client = await connectWithScram(stage.server, 'scram-1', 'olga', 'right');
  await client.endAsync();
  const code = (username: string, password: string) =>
    connectWithScram(stage.server, 'scram-2', username, password).then(
      () => -1,
      (error: { code?: number }) => error.code,
    );
  expect(await code('olga', 'wrong')).toBeGreaterThanOrEqual(0x80);
  expect(await code('stranger', 'right')).toBeGreaterThanOrEqual(0x80);
  await page.getByRole('tab', { name: 'Overview' }).click();
  await expectFigures(page, { Allowed: '1' });
  await expectAfterRefresh(page, async () =>
    Number(await figure(page, 'Denied').innerText()),
  ).toBeGreaterThanOrEqual(1);
});

const JWT = {
  mechanism: 'jwt',
  from: 'password',
  use_jwks: false,
  algorithm: 'hmac-based',
  secret: 'a-shared-secret',
};

test('the keyboard changes the order, and so who decides', async () => {
  await chainWithUser('olga', 'of-the-database');
  await call('POST', '/authentication', JWT);
  const order = async () => (await call<Authenticator[]>('GET', '/authentication')).map(({ id }) => id);
  const token = signed('a-shared-secret', 'olga');
  // To the database the token is a wrong password.
  expect(await refused('before', 'olga', token)).toBe(0x86);

  const { page } = await stage.open('/authentication');
  await row(page, 'jwt').focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByText('JWT is now 1 of 2').waitFor();
  await expect
    .poll(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset.row))
    .toBe('jwt');
  await expect.poll(order).toEqual(['jwt', 'password_based:built_in_database']);
  await device('after', 'olga', token);

  await page.getByRole('button', { name: 'Actions for jwt' }).click();
  await page.getByRole('menuitem', { name: 'Move to bottom' }).click();
  await expect.poll(order).toEqual(['password_based:built_in_database', 'jwt']);
  await expect.poll(() => rowIds(page)).toEqual(['password_based:built_in_database', 'jwt']);
  expect(await refused('after-2', 'olga', token)).toBe(0x86);
});

test('a row is dragged to another place by its number', async () => {
  await chainWithUser('olga', 'x');
  await call('POST', '/authentication', JWT);
  const { page } = await stage.open('/authentication');
  const grip = row(page, 'jwt').locator('[data-grip]');
  await grip.dragTo(row(page, 'password_based:built_in_database'), { targetPosition: { x: 40, y: 4 } });
  await expect
    .poll(async () => (await call<Authenticator[]>('GET', '/authentication')).map(({ id }) => id))
    .toEqual(['jwt', 'password_based:built_in_database']);
  await expect.poll(() => rowIds(page)).toEqual(['jwt', 'password_based:built_in_database']);
});

test('turning off and deleting the last one says that everybody may connect then', async () => {
  await chainWithUser('olga', 'x');
  expect(await refused('closed', 'stranger', 'x')).toBe(0x87);
  const { page } = await stage.open('/authentication');
  const turn = page.getByRole('switch', { name: 'Enable Built-in database' });
  await turn.click();
  await page.getByText('Without it everybody may connect').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => turn.isChecked()).toBe(true);
  expect(await refused('closed', 'stranger', 'x')).toBe(0x87);

  await turn.click();
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await page.getByRole('alert').getByText('Anyone may connect').waitFor();
  await (await device('open', 'stranger', 'x')).endAsync();
  await turn.click();
  await page.getByText('Built-in database is enabled').waitFor();
  expect(await refused('closed', 'stranger', 'x')).toBe(0x87);

  await page.getByRole('button', { name: 'Actions for password_based:built_in_database' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('all of its users are lost').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There is no authenticator, so every client is let in').waitFor();
});

test('an import with a bad row brings in the others and reports that one', async () => {
  await chainWithUser('olga', 'x');
  const { page } = await stage.open('/authentication/detail/password_based%3Abuilt_in_database?tab=users');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const [template] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'CSV template' }).click(),
  ]);
  expect(template.suggestedFilename()).toBe('users-template-plain.csv');

  await dialog.locator('input[type=file]').setInputFiles({
    name: 'users.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      'user_id,password,is_superuser\nimp-1,pw1,true\nimp-2,,false\n"imp,3","p""w",\nolga,y,\n',
    ),
  });
  await dialog.getByText('3 users read · 1 row cannot be imported').waitFor();
  await dialog.getByRole('button', { name: 'Import 3 users' }).click();
  const report = dialog.getByRole('region', { name: 'Rows that failed' }).getByRole('row');
  await dialog.getByText('Skipped, they exist').waitFor();
  expect(await report.nth(1).innerText()).toMatch(/3\s+imp-2\s+It has no password/);
  await expect.poll(() => report.count()).toBe(2);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await row(page, 'imp,3').waitFor();
  await device('imp-1', 'imp-1', 'pw1');
  await device('imp-3', 'imp,3', 'p"w');
  expect(await refused('imp-2', 'imp-2', '')).toBe(0x87);
  await device('imp-4', 'olga', 'x');
});

test('changing how passwords are stored asks first', async () => {
  await chainWithUser('olga', 'x');
  const { page } = await stage.open('/authentication/detail/password_based%3Abuilt_in_database?tab=settings');
  await page.getByRole('combobox', { name: 'Password hash' }).selectOption('bcrypt');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('can no longer connect until each gets a new password').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await device('still', 'olga', 'x');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await refused('no-more', 'olga', 'x')).not.toBe(-1);
});

test('back keeps what was typed, what is there already cannot be chosen, and leaving asks', async () => {
  await chainWithUser('olga', 'x');
  const { page } = await stage.open('/authentication/create');
  await page.getByRole('button', { name: 'Next' }).click();
  const builtIn = page.getByRole('radio', { name: /Built-in database/ });
  await expect.poll(() => builtIn.isDisabled()).toBe(true);
  await page.getByText('Added', { exact: true }).waitFor();
  await page.getByRole('radio', { name: 'MySQL' }).check();
  await page.getByRole('button', { name: 'Next' }).click();
  const database = page.getByRole('textbox', { name: 'Database' });
  await database.fill('devices');
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('radio', { name: 'MySQL' }).waitFor();
  await page.goBack();
  expect(await database.inputValue()).toBe('devices');
  await page.getByRole('link', { name: 'All authenticators' }).click();
  await page.getByText('Leave without saving?').waitFor();
  await page.getByRole('button', { name: 'Leave' }).click();
  await row(page, 'password_based:built_in_database').waitFor();
});
