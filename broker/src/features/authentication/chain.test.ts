import type { AuthenticatorConfig } from '@mqdeck/contract/authentication';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { expect, test } from 'vitest';
import { BackendConfigError } from '../../backends/backend.ts';
import type { Authenticator, Credentials, Verdict } from './authenticator.ts';
import { Chain, type Open } from './chain.ts';

const credentials: Credentials = {
  clientid: 'device',
  username: 'ada',
  password: Buffer.from('secret'),
  peerhost: '127.0.0.1',
  listener: 'tcp:default',
  mountpoint: null,
  certCommonName: null,
  certSubject: null,
  clientAttrs: {},
};
const allow: Verdict = { result: 'allow', why: 'known', isSuperuser: false };
const deny: Verdict = { result: 'deny', reasonCode: ReasonCode.BadUserNameOrPassword, why: 'wrong' };
const ignore: Verdict = { result: 'ignore', why: 'unknown' };

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** Two of another system and one of our own, in place of what their configurations would open. */
const mysql = config('mysql');
const redis = config('redis');
const own = { mechanism: 'scram', backend: 'built_in_database', enable: true } as AuthenticatorConfig;
function config(backend: string, more: object = {}): AuthenticatorConfig {
  return { mechanism: 'password_based', backend, enable: true, ...more } as AuthenticatorConfig;
}

type Answers = Record<string, () => Verdict | Promise<Verdict>>;

function startChain(configs: AuthenticatorConfig[], answers: Answers) {
  const events: string[] = [];
  const open: Open = (given) => {
    const {
      backend,
      broken,
      version = 1,
    } = given as unknown as {
      backend: string;
      broken?: boolean;
      version?: number;
    };
    if (broken) throw new BackendConfigError('server', `${backend} cannot work`);
    const name = `${backend} ${version}`;
    events.push(`open ${name}`);
    const authenticator: Authenticator = {
      authenticate: () => answers[name]!(),
      status: 'connected',
      reason: null,
      resourceMetrics: given.mechanism === 'scram' ? null : { matched: 0, success: 0, failed: 0 },
      close: async () => void events.push(`close ${name}`),
    };
    return authenticator;
  };
  return { chain: new Chain(configs, open, log), events };
}

test('one that is down or crashes lets nobody in, and the next one decides', async () => {
  const crash = () => {
    throw new Error('crashed');
  };
  const fail = () => Promise.reject(new Error('down'));
  for (const first of [crash, fail, () => ignore]) {
    const { chain } = startChain([mysql, redis], { 'mysql 1': first, 'redis 1': () => allow });
    expect(await chain.decide(credentials)).toMatchObject({
      result: 'allow',
      why: 'password_based:redis: known',
    });
    const alone = startChain([mysql], { 'mysql 1': first }).chain;
    expect(await alone.decide(credentials)).toMatchObject({
      result: 'deny',
      reasonCode: ReasonCode.NotAuthorized,
      why: expect.stringMatching(/^no authenticator knows this client; password_based:mysql: /),
    });
    expect(alone.all[0]!.metrics).toMatchObject({ total: 1, success: 0, failed: 0, nomatch: 1 });
  }
});

test('whoever decides is the last to be asked', async () => {
  const { chain } = startChain([mysql, redis], { 'mysql 1': () => deny, 'redis 1': () => allow });
  expect(await chain.decide(credentials)).toMatchObject({ ...deny, why: 'password_based:mysql: wrong' });
  expect(chain.all[1]!.metrics.total).toBe(0);
  chain.arrange([...chain.all].reverse());
  expect(await chain.decide(credentials)).toMatchObject({ ...allow, why: 'password_based:redis: known' });
});

test('a change waits for nobody: who is being asked is answered by the old one, which then ends', async () => {
  let answer: (verdict: Verdict) => void = () => undefined;
  const asked = new Promise<Verdict>((resolve) => {
    answer = resolve;
  });
  const { chain, events } = startChain([mysql], { 'mysql 1': () => asked, 'mysql 2': () => deny });
  const early = chain.decide(credentials);
  chain.change(chain.all[0]!, config('mysql', { version: 2 }));
  expect(await chain.decide(credentials)).toMatchObject({ result: 'deny' });
  expect(events).toEqual(['open mysql 1', 'open mysql 2']);
  answer(allow);
  expect(await early).toMatchObject({ result: 'allow' });
  expect(events).toEqual(['open mysql 1', 'open mysql 2', 'close mysql 1']);
  expect(chain.all[0]!.metrics).toMatchObject({ total: 2, success: 1, failed: 1 });
  chain.remove(chain.all[0]!);
  expect(events.at(-1)).toBe('close mysql 2');
});

test('a change that cannot work leaves the old one at work', async () => {
  const { chain, events } = startChain([mysql], { 'mysql 1': () => allow });
  expect(() => chain.change(chain.all[0]!, config('mysql', { broken: true }))).toThrow(BackendConfigError);
  expect(() => chain.add(config('redis', { broken: true }))).toThrow(BackendConfigError);
  expect(await chain.decide(credentials)).toMatchObject({ result: 'allow' });
  expect(chain.all).toHaveLength(1);
  expect(events).toEqual(['open mysql 1']);
});

test('one that is disabled is looked at and keeps no connection; enabled, it is there', async () => {
  const { chain, events } = startChain([config('mysql', { enable: false }), own], {
    'mysql 1': () => allow,
    'built_in_database 1': () => ignore,
  });
  expect(events).toEqual(['open mysql 1', 'close mysql 1', 'open built_in_database 1']);
  expect(chain.all.map(({ status }) => status.status)).toEqual(['disconnected', 'connected']);
  expect(await chain.decide(credentials)).toMatchObject({ result: 'deny' });
  chain.change(chain.all[0]!, mysql);
  expect(await chain.decide(credentials)).toMatchObject({ result: 'allow' });
  chain.change(chain.all[0]!, config('mysql', { enable: false }));
  expect(events.filter((event) => event === 'close mysql 1')).toHaveLength(3);
});

test('one that worked when it was stored and cannot any more says so, and lets nobody in', async () => {
  const { chain } = startChain([config('mysql', { broken: true })], {});
  expect(chain.all[0]!.status).toEqual({
    status: 'disconnected',
    reason: 'server: mysql cannot work',
    resourceMetrics: null,
  });
  expect(await chain.decide(credentials)).toMatchObject({ result: 'deny' });
});
