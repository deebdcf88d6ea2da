import { expect, test } from 'vitest';
import {
  advancedCount,
  type ConnectionForm,
  NO_PROPERTIES,
  newConnectionForm,
  randomClientid,
  readConnectionForm,
  restoredForm,
  urlOf,
  withoutSecrets,
} from './connection-form.ts';
import { newPair } from './pairs.ts';

const form = (part: Partial<ConnectionForm> = {}): ConnectionForm => ({
  ...newConnectionForm('one'),
  host: 'broker.example',
  port: '8083',
  ...part,
});
const optionsOf = (part: Partial<ConnectionForm>) => {
  const read = readConnectionForm(form(part));
  if ('faults' in read) throw new Error([...read.faults.keys()].join());
  return read.options;
};
const faultsOf = (part: Partial<ConnectionForm>) => {
  const read = readConnectionForm(form(part));
  return 'faults' in read ? Object.fromEntries(read.faults) : {};
};
const text = (bytes: Uint8Array | null | undefined) => (bytes ? new TextDecoder().decode(bytes) : bytes);

test('at first it leads to the origin of the console, below its base path', () => {
  const meta = document.createElement('meta');
  meta.name = 'mqdeck-base';
  meta.content = '/ops/';
  document.head.append(meta);
  expect(urlOf(newConnectionForm('one'))).toBe(`ws://${location.hostname}:${location.port || '80'}/ops/mqtt`);
});

test.each([
  [{}, 'ws://broker.example:8083/mqtt'],
  [{ ssl: true, port: '8084', path: 'mqtt' }, 'wss://broker.example:8084/mqtt'],
  [{ host: '2001:db8::1', path: '' }, 'ws://[2001:db8::1]:8083'],
])('%j leads to %s', (part, url) => {
  expect(urlOf(form(part))).toBe(url);
});

test('random client ids end in eight letters or digits', () => {
  expect(randomClientid()).toMatch(/^mqdeck_[a-z0-9]{8}$/);
  expect(randomClientid()).not.toBe(randomClientid());
});

test('what is left open is not sent', () => {
  const { username, password, will, properties, keepAlive } = optionsOf({});
  expect({ username, password, will, properties, keepAlive }).toEqual({
    username: null,
    password: null,
    will: null,
    properties: {},
    keepAlive: 60,
  });
});

test('everything of version 5 is sent, and nothing of it before', () => {
  const all: Partial<ConnectionForm> = {
    sessionExpiryInterval: '4294967295',
    receiveMaximum: '10',
    maximumPacketSize: '1000',
    topicAliasMaximum: '5',
    requestResponseInformation: true,
    requestProblemInformation: false,
    userProperties: [newPair('a', '1'), newPair('a', '2'), newPair()],
  };
  expect(optionsOf(all).properties).toEqual({
    sessionExpiryInterval: 4_294_967_295,
    receiveMaximum: 10,
    maximumPacketSize: 1000,
    topicAliasMaximum: 5,
    requestResponseInformation: true,
    requestProblemInformation: false,
    userProperty: [
      ['a', '1'],
      ['a', '2'],
    ],
  });
  expect(optionsOf({ ...all, protocolVersion: 4 }).properties).toEqual({});
  expect(advancedCount(form(all))).toBe(7);
});

test('a will has its payload in the format chosen, and its own properties', () => {
  const { will } = optionsOf({
    will: true,
    willTopic: 'gone',
    willPayload: { text: '6869', format: 'hex' },
    willQos: 2,
    willRetain: true,
    willDelayInterval: '5',
    willProperties: { ...NO_PROPERTIES, payloadFormatIndicator: true, contentType: 'text/plain' },
  });
  expect({ ...will, payload: text(will?.payload) }).toEqual({
    topic: 'gone',
    payload: 'hi',
    qos: 2,
    retain: true,
    properties: { willDelayInterval: 5, payloadFormatIndicator: 1, contentType: 'text/plain' },
  });
});

test.each<[Partial<ConnectionForm>, string, string]>([
  [{ host: '' }, 'host', 'required'],
  [{ host: 'ws://a' }, 'host', 'host'],
  [{ host: 'a/b' }, 'host', 'host'],
  [{ port: '' }, 'port', 'required'],
  [{ port: '65536' }, 'port', 'range'],
  [{ port: '-1' }, 'port', 'range'],
  [{ keepAlive: '1.5' }, 'keepAlive', 'range'],
  [{ receiveMaximum: '0' }, 'receiveMaximum', 'range'],
  [{ sessionExpiryInterval: '4294967296' }, 'sessionExpiryInterval', 'range'],
  [{ userProperties: [newPair('', 'x')] }, 'userProperties', 'emptyName'],
  [{ protocolVersion: 4, clientid: '', cleanStart: false }, 'clientid', 'cleanSessionNeeded'],
  [{ protocolVersion: 3, password: 'x' }, 'username', 'usernameNeeded'],
  [{ will: true }, 'willTopic', 'required'],
  [{ will: true, willTopic: 'a/#' }, 'willTopic', 'topic'],
  [{ will: true, willTopic: 'a', willPayload: { text: 'x', format: 'hex' } }, 'willPayload', 'payload'],
])('%j is refused beside %s', (part, field, kind) => {
  expect(faultsOf(part)).toMatchObject({ [field]: { kind } });
});

test('what is kept in the browser has no secrets and comes back', () => {
  const filled = form({
    clientid: 'mine',
    username: 'u',
    password: 'hush',
    userProperties: [newPair('token', 'hush')],
    will: true,
    willPayload: { text: 'hush', format: 'plaintext' },
    willProperties: { ...NO_PROPERTIES, correlationData: 'hush', userProperties: [newPair('k', 'hush')] },
  });
  const kept = JSON.stringify(withoutSecrets(filled));
  expect(kept).not.toContain('hush');
  expect(restoredForm(JSON.parse(kept))).toMatchObject({
    clientid: 'mine',
    username: 'u',
    will: true,
    password: '',
  });
});

test.each([null, 7, { port: 5, host: null, protocolVersion: 9 }])(
  'a spoilt memory (%j) does no harm',
  (stored) => {
    expect(restoredForm(stored)).toMatchObject({
      protocolVersion: 5,
      port: expect.any(String),
      host: expect.any(String),
    });
  },
);
