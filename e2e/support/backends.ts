import { createHash } from 'node:crypto';
import { describeWith, type Engine } from '@mqdeck/broker/testing/engines/engine';
import { MARIADB, MARIADB_PROGRAMS, startMariadb } from '@mqdeck/broker/testing/engines/mariadb';
import { MONGO, startMongoFake } from '@mqdeck/broker/testing/engines/mongo-fake';
import { POSTGRESQL, POSTGRESQL_PROGRAMS, startPostgresql } from '@mqdeck/broker/testing/engines/postgresql';
import { REDIS_PASSWORD, REDIS_PROGRAMS, startRedis } from '@mqdeck/broker/testing/engines/redis';
import type { MqttClient } from 'mqtt';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { operatorOf } from './api.ts';
import { expectAfterRefresh } from './browser.ts';
import { connectDevice } from './devices.ts';
import type { Stage } from './stage.ts';

const START_MS = 120_000;
const BAD_PASSWORD = 0x86;
const NOT_AUTHORIZED = 0x87;
const NO_RECEIVERS = 0x10;

/** What an operator's database holds: one user, and one rule of that user. */
const USER = { username: 'ada', salt: 'salz', password_hash: sha256('secretsalz'), is_superuser: false };
const RULE = { username: 'ada', permission: 'allow', action: 'publish', topic: 'a/${clientid}/#' };

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

interface Counterpart {
  engine: Engine;
  /** Fields of the form by their labels; what is not named keeps its default, the query too. */
  fields: Record<string, string>;
  password: string;
}

const TABLES = [
  'CREATE TABLE mqtt_user (username VARCHAR(100), password_hash VARCHAR(200), salt VARCHAR(40))',
  `INSERT INTO mqtt_user VALUES ('${USER.username}', '${USER.password_hash}', '${USER.salt}')`,
  'CREATE TABLE mqtt_acl (username VARCHAR(100), permission VARCHAR(9), action VARCHAR(9), topic VARCHAR(200))',
  `INSERT INTO mqtt_acl VALUES ('${RULE.username}', '${RULE.permission}', '${RULE.action}', '${RULE.topic}')`,
];

export interface Backend {
  /** As the console calls it. */
  name: string;
  type: string;
  programs: readonly string[];
  start(): Promise<Counterpart>;
}

/** No authenticator and no source, and nobody may do what nobody allows. */
async function reset(stage: Stage): Promise<void> {
  const call = await operatorOf(stage.server);
  for (const { id } of await call<{ id: string }[]>('GET', '/authentication'))
    await call('DELETE', `/authentication/${encodeURIComponent(id)}`);
  const { sources } = await call<{ sources: { type: string }[] }>('GET', '/authorization/sources');
  for (const { type } of sources) await call('DELETE', `/authorization/sources/${type}`);
  const settings = await call<object>('GET', '/authorization/settings');
  await call('PUT', '/authorization/settings', { ...settings, no_match: 'deny' });
}

const publish = (client: MqttClient, topic: string): Promise<number> =>
  new Promise((resolve) => {
    client.once('packetreceive', (packet) => {
      if (packet.cmd === 'puback') resolve(packet.reasonCode ?? 0);
    });
    client.publish(topic, 'x', { qos: 1 }, () => undefined); // a refusal is what some want to see
  });

const expectConnected = (page: Page, id: string) =>
  expectAfterRefresh(page, () => page.locator(`[data-row="${id}"]`).getByText('Connected').count()).toBe(1);

async function fill(page: Page, { fields, password }: Counterpart): Promise<void> {
  for (const [label, value] of Object.entries(fields))
    await page
      .getByRole('textbox', { name: label, exact: true })
      .or(page.getByLabel(`${label} *`))
      .first()
      .fill(value);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
}

async function expectFigures(page: Page, wanted: Record<string, string>): Promise<void> {
  const figure = (label: string) =>
    page
      .locator('dl > div', { has: page.getByText(label, { exact: true }) })
      .locator('dd > span')
      .first();
  for (const [label, value] of Object.entries(wanted))
    await expectAfterRefresh(page, () => figure(label).innerText(), label).toBe(value);
}

/** A database of that kind is entered in the browser, and real clients meet what it knows. */
export function testBackend(
  stage: Stage,
  { name, type, programs, start }: Backend,
  parts: readonly ('authentication' | 'authorization')[] = ['authentication', 'authorization'],
): void {
  describeWith(type, programs, () => {
    let other: Counterpart;
    beforeAll(async () => {
      other = await start();
    }, START_MS);
    beforeEach(() => reset(stage));
    afterAll(() => other?.engine.close(), START_MS);

    const device = (clientId: string, password: string, username = USER.username) =>
      connectDevice(stage.server, clientId, { username, password, version: 5 });
    const refused = async (...who: Parameters<typeof device>): Promise<number> =>
      device(...who).then(
        () => -1,
        ({ code }: { code: number }) => code,
      );

    if (parts.includes('authentication'))
      test(`${name}, entered in the browser, knows who may connect, and both verdicts are counted`, async () => {
        const { page } = await stage.open('/authentication/create', { clock: true });
        await page.getByRole('radio', { name: 'Password-Based' }).check();
        await page.getByRole('button', { name: 'Next' }).click();
        await page.getByRole('radio', { name }).check();
        await page.getByRole('button', { name: 'Next' }).click();
        await fill(page, other);
        await expectConnected(page, `password_based:${type}`);
        await (await device('let-in', 'secret')).endAsync();
        expect(await refused('wrong', 'Secret')).toBe(BAD_PASSWORD);
        expect(await refused('unknown', 'secret', 'nobody')).toBe(NOT_AUTHORIZED);
        await page.getByRole('link', { name, exact: true }).click();
        await expectFigures(page, { Allowed: '1', Denied: '1', 'No match': '1' });
      });

    if (parts.includes('authorization'))
      test(`${name}, entered in the browser, knows who may do what, and both verdicts are counted`, async () => {
        const { page } = await stage.open('/authorization/create', { clock: true });
        await page.getByRole('radio', { name }).check();
        await page.getByRole('button', { name: 'Next' }).click();
        await fill(page, other);
        await expectConnected(page, type);
        const client = await device('c1', 'any');
        expect(await publish(client, 'a/c1/x')).toBe(NO_RECEIVERS);
        expect(await publish(client, 'a/c2/x')).toBe(NOT_AUTHORIZED);
        await page.getByRole('link', { name, exact: true }).click();
        await expectFigures(page, { Allowed: '1', 'No match': '1' });
      });
  });
}

export const mysql: Backend = {
  name: 'MySQL',
  type: 'mysql',
  programs: MARIADB_PROGRAMS,
  async start() {
    const engine = await startMariadb();
    for (const sql of TABLES) await engine.run(sql);
    const { database, username, password } = MARIADB;
    return { engine, fields: { Server: engine.address, Database: database, Username: username }, password };
  },
};

export const postgresql: Backend = {
  name: 'PostgreSQL',
  type: 'postgresql',
  programs: POSTGRESQL_PROGRAMS,
  async start() {
    const engine = await startPostgresql();
    for (const sql of TABLES) await engine.run(sql);
    const { database, username, password } = POSTGRESQL;
    return { engine, fields: { Server: engine.address, Database: database, Username: username }, password };
  },
};

export const mongodb: Backend = {
  name: 'MongoDB',
  type: 'mongodb',
  programs: [],
  async start() {
    const engine = await startMongoFake();
    engine.collections.set('users', [USER]);
    engine.collections.set('mqtt_acl', [{ ...RULE, topics: [RULE.topic] }]);
    const { username, password } = MONGO;
    return { engine, fields: { Server: engine.address, Username: username }, password };
  },
};

export const redis: Backend = {
  name: 'Redis',
  type: 'redis',
  programs: REDIS_PROGRAMS,
  async start() {
    const engine = await startRedis();
    await engine.run(
      'HSET',
      `mqtt_user:${USER.username}`,
      'password_hash',
      USER.password_hash,
      'salt',
      USER.salt,
    );
    await engine.run('HSET', `mqtt_acl:${RULE.username}`, RULE.topic, RULE.action);
    return { engine, fields: { Server: engine.address }, password: REDIS_PASSWORD };
  },
};
