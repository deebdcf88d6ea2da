import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Lwm2mConfig } from '@mqdeck/contract/gateways';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CoapDevice, numberOf, optionOf, uriOf } from '../../../testing/coap-device.ts';
import { startHttpServer } from '../../../testing/engines/http-server.ts';
import { startTestBroker, type TestBroker } from '../../../testing/start-test-broker.ts';
import type { TestClient } from '../../../testing/test-client.ts';
import { startUdpGateway } from '../../../testing/udp-gateway.ts';

// Messages as OMA LwM2M 1.0 (section 8.2 and appendix) writes them
const TLV = 11_542;
const OBJECTS = '</>;rt="oma.lwm2m";ct=11543,</1/0>,</3/0>,</5/0>';
const TRANSLATORS = {
  command: { topic: 'dn/#', qos: 0 },
  response: { topic: 'up/resp', qos: 0 },
  notify: { topic: 'up/notify', qos: 0 },
  register: { topic: 'up/resp', qos: 0 },
  update: { topic: 'up/update', qos: 0 },
};

let broker: TestBroker;
let port: number;
let server: TestClient; // who speaks MQTT with the devices
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  broker = await startTestBroker();
  server = await broker.client('server');
  await server.subscribe('lwm2m/+/up/#', { qos: 1 });
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await broker.close();
  vi.useRealTimers();
});

async function startGateway(config: Partial<Lwm2mConfig> = {}): Promise<void> {
  port = await startUdpGateway(broker, 'lwm2m', {
    xml_dir: 'lwm2m_xml',
    translators: TRANSLATORS,
    ...config,
  });
}

/** The broker's time passes. */
function pass(seconds: number): void {
  for (let left = seconds * 10 + 2; left > 0; left--) {
    vi.setSystemTime(Date.now() + 100);
    broker.core.clock.refresh();
    broker.core.timers.turn();
  }
}

async function openDevice(): Promise<CoapDevice> {
  const device = await CoapDevice.open(port);
  ends.push(() => device.close());
  return device;
}

/** Registers, and gives the device with its location. */
async function register(query = 'ep=pump&lt=300&lwm2m=1.0&b=U', objects = OBJECTS) {
  const device = await openDevice();
  const answer = await device.ask({
    method: 'POST',
    uri: `/rd?${query}`,
    payload: objects,
    options: [['Content-Format', 40]],
  });
  if (answer.code !== '2.01') throw new Error(`${answer.code} ${answer.payload}`);
  const path = answer.options
    .filter(({ name }) => name === 'Location-Path')
    .map(({ value }) => String(value));
  return { device, location: `/${path.join('/')}` };
}

/** The next of what the gateway publishes. */
async function told(): Promise<{ topic: string; body: Record<string, unknown> }> {
  const { topic, payload } = await server.expectMessage();
  return { topic, body: JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown> };
}

const heard = async (): Promise<Record<string, unknown>> => (await told()).body;

const command = (msgType: string, data: object, reqID: unknown = 1): Promise<unknown> =>
  server.publish('lwm2m/pump/dn/cmd', JSON.stringify({ reqID, msgType, data }));

const clients = async (): Promise<string[]> => {
  const { body } = await broker.inject<{ data: { clientid: string }[] }>('GET', '/gateways/lwm2m/clients');
  return body.data.map(({ clientid }) => clientid);
};

test('a device registers, updates and deregisters, and each is told by MQTT', async () => {
  await startGateway();
  const { device, location } = await register();
  expect(location).toMatch(/^\/rd\/[0-9a-f]{12}$/);
  const facts = { ep: 'pump', lwm2m: '1.0', lt: 300, b: 'U', alternatePath: '/' };
  expect(await told()).toEqual({
    topic: 'lwm2m/pump/up/resp',
    body: { msgType: 'register', data: { ...facts, objectList: ['/1/0', '/3/0', '/5/0'] } },
  });
  const { body } = await broker.inject<object>('GET', '/gateways/lwm2m/clients/pump');
  expect(body).toMatchObject({
    clientid: 'pump',
    endpoint_name: 'pump',
    lifetime: 300,
    object_list: '/1/0 /3/0 /5/0',
    proto_name: 'LwM2M',
    proto_ver: '1.0',
  });

  expect((await device.ask({ method: 'POST', uri: `${location}?lt=600` })).code).toBe('2.04');
  expect((await broker.inject<object>('GET', '/gateways/lwm2m/clients/pump')).body).toMatchObject({
    lifetime: 600,
  });
  await device.ask({ method: 'POST', uri: location, payload: '</3/0>,</7/0>' });
  expect(await told()).toEqual({
    topic: 'lwm2m/pump/up/update',
    body: { msgType: 'update', data: { ...facts, lt: 600, objectList: ['/3/0', '/7/0'] } },
  });
  expect((await broker.inject<object>('GET', '/gateways/lwm2m/clients/pump')).body).toMatchObject({
    object_list: '/3/0 /7/0',
  });
  expect((await device.ask({ method: 'DELETE', uri: location })).code).toBe('2.02');
  expect(await clients()).toEqual([]);
  expect((await device.ask({ method: 'POST', uri: location })).code).toBe('4.04');
});

test('every update is told where that is wished', async () => {
  await startGateway({ update_msg_publish_condition: 'always' });
  const { device, location } = await register();
  await told();
  await device.ask({ method: 'POST', uri: location });
  expect(await told()).toMatchObject({ topic: 'lwm2m/pump/up/update', body: { msgType: 'update' } });
});

test('a registration that cannot be is refused, and says why', async () => {
  await startGateway({ lifetime_min: '60s', lifetime_max: '600s' });
  const device = await openDevice();
  const refused = async (uri: string, payload = OBJECTS, method: 'POST' | 'GET' = 'POST') =>
    (await device.ask({ method, uri, payload })).code;
  expect(await refused('/rd?lt=300&lwm2m=1.0')).toBe('4.00');
  expect(await refused('/rd?ep=a&lt=59&lwm2m=1.0')).toBe('4.00');
  expect(await refused('/rd?ep=a&lt=601&lwm2m=1.0')).toBe('4.00');
  expect(await refused('/rd?ep=a&lt=x&lwm2m=1.0')).toBe('4.00');
  expect(await refused('/rd?ep=a&lt=60&lwm2m=2.0')).toBe('4.12');
  expect(await refused('/rd?ep=a&lt=60')).toBe('4.12');
  expect(await refused('/rd?ep=a&lt=60&lwm2m=1.0', '</1/0')).toBe('4.00');
  expect(await refused('/rd?ep=a&lt=60&lwm2m=1.0', OBJECTS, 'GET')).toBe('4.05');
  expect(await refused('/rd/nowhere?lt=60')).toBe('4.04');
  expect(await refused('/bs?ep=a')).toBe('4.04');
  expect(await clients()).toEqual([]);
  expect(await refused('/rd?ep=a&lwm2m=1.0')).toBe('2.01'); // as long as the longest
  expect((await broker.inject<object>('GET', '/gateways/lwm2m/clients/a')).body).toMatchObject({
    lifetime: 600,
  });
});

test('an HTTP server that hears the endpoint name decides who may register', async () => {
  await startGateway();
  const http = await startHttpServer();
  ends.push(() => http.close());
  http.answer(({ body }) => ({ body: { result: body.includes('pump') ? 'allow' : 'deny' } }));
  const body = {
    mechanism: 'password_based',
    backend: 'http',
    method: 'post',
    url: `${http.url}/auth`,
    headers: { 'content-type': 'application/json' },
    body: { ep: '${endpoint_name}' },
  };
  expect((await broker.inject('POST', '/gateways/lwm2m/authentication', { body })).status).toBe(201);
  const device = await openDevice();
  const asking = { method: 'POST', payload: OBJECTS } as const;
  expect((await device.ask({ ...asking, uri: '/rd?ep=thief&lt=60&lwm2m=1.0' })).code).toBe('4.01');
  expect((await device.ask({ ...asking, uri: '/rd?ep=pump&lt=60&lwm2m=1.0' })).code).toBe('2.01');
  expect(await clients()).toEqual(['pump']);
  expect(http.got.map((received) => JSON.parse(received.body))).toEqual([{ ep: 'thief' }, { ep: 'pump' }]);
});

test('a device whose lifetime is over is gone; an update begins it anew', async () => {
  await startGateway();
  const { device, location } = await register('ep=pump&lt=60&lwm2m=1.0&b=U');
  pass(50);
  await device.ask({ method: 'POST', uri: location });
  pass(50);
  expect(await clients()).toEqual(['pump']);
  pass(11);
  expect(await clients()).toEqual([]);
  expect((await device.ask({ method: 'POST', uri: location })).code).toBe('4.04');
});

test('a command by MQTT becomes a request, and the answer a message: read', async () => {
  await startGateway();
  const { device } = await register();
  await told();
  await command('read', { path: '/3/0' }, 7);
  const asked = await device.asked('/3/0');
  expect(asked).toMatchObject({ code: '0.01', confirmable: true });
  device.answer(asked, {
    code: '2.05',
    payload: Buffer.from(
      'C40041434D45 8606410001410105 88070842000ED842011388 C10964'.replaceAll(' ', ''),
      'hex',
    ),
    options: [['Content-Format', TLV]],
  });
  expect(await heard()).toEqual({
    reqID: 7,
    msgType: 'read',
    data: {
      reqPath: '/3/0',
      code: '2.05',
      codeMsg: 'content',
      content: [
        { path: '/3/0/0', value: 'ACME' },
        { path: '/3/0/6/0', value: 1 },
        { path: '/3/0/6/1', value: 5 },
        { path: '/3/0/7/0', value: 3800 },
        { path: '/3/0/7/1', value: 5000 },
        { path: '/3/0/9', value: 100 },
      ],
    },
  });
  await command('read', { path: '/3/0/0' });
  const slow = await device.asked('/3/0/0');
  device.acknowledge(slow); // the answer comes on its own
  device.send({
    code: '2.05',
    confirmable: true,
    token: slow.token,
    messageId: 5000,
    payload: Buffer.from('ACME'),
  });
  expect(await heard()).toMatchObject({ data: { content: [{ path: '/3/0/0', value: 'ACME' }] } });
  await device.next('an acknowledgement', ({ ack, messageId }) => ack && messageId === 5000);

  await command('read', { path: '/3/0/99' });
  device.answer(await device.asked('/3/0/99'), { code: '4.04' });
  expect(await heard()).toMatchObject({ data: { reqPath: '/3/0/99', code: '4.04', codeMsg: 'not_found' } });
});

test('write, execute, create, delete, attributes and discover are sent as the specification says', async () => {
  await startGateway();
  const { device } = await register();
  await told();
  const exchange = async (msgType: string, data: object, uri: string, code = '2.04', payload = '') => {
    await command(msgType, data);
    const asked = await device.asked(uri);
    device.answer(asked, {
      code,
      payload,
      ...(payload !== '' && { options: [['Content-Format', 40] as const] }),
    });
    return { asked, answer: await heard() };
  };

  const one = await exchange('write', { path: '/3/0/13', type: 'Time', value: '1367491215' }, '/3/0/13');
  expect(one.asked.code).toBe('0.03');
  expect(numberOf(one.asked, 'Content-Format')).toBe(TLV);
  expect(one.asked.payload.toString('hex')).toBe('c40d5182428f');
  expect(one.answer).toEqual({
    reqID: 1,
    msgType: 'write',
    data: { reqPath: '/3/0/13', code: '2.04', codeMsg: 'changed' },
  });

  const content = [
    { path: '14', type: 'String', value: '+02:00' },
    { path: '15', type: 'String', value: 'CET' },
  ];
  const several = await exchange('write', { basePath: '/3/0/', content }, '/3/0');
  expect(several.asked.code).toBe('0.02');
  expect(several.asked.payload.toString('hex')).toBe('c60e2b30323a3030c30f434554');

  const execute = await exchange('execute', { path: '/3/0/4', args: "0='now'" }, '/3/0/4');
  expect(execute.asked).toMatchObject({ code: '0.02' });
  expect(String(execute.asked.payload)).toBe("0='now'");

  const resources = [{ path: '/2/0', type: 'Integer', value: 1 }];
  const create = await exchange('create', { basePath: '/1', content: resources }, '/1', '2.01');
  expect(create.asked.code).toBe('0.02');
  expect(create.asked.payload.toString('hex')).toBe('0302c10001');
  expect(create.answer).toMatchObject({ data: { code: '2.01', codeMsg: 'created' } });

  const remove = await exchange('delete', { path: '/1/2' }, '/1/2', '2.02');
  expect(remove.asked.code).toBe('0.04');

  const attributes = { path: '/3/0/9', pmin: 10, pmax: '60', lt: 20.5 };
  const attr = await exchange('write-attr', attributes, '/3/0/9?pmin=10&pmax=60&lt=20.5');
  expect(attr.asked).toMatchObject({ code: '0.03', payload: Buffer.alloc(0) });

  const discover = await exchange('discover', { path: '/3/0' }, '/3/0', '2.05', '</3/0>;pmin=10,</3/0/1>');
  expect(numberOf(discover.asked, 'Accept')).toBe(40);
  expect(discover.answer).toMatchObject({ data: { content: ['</3/0>;pmin=10', '</3/0/1>'] } });
});

test('commands that cannot be meant so are answered by 4.00 and never reach the device', async () => {
  await startGateway();
  const { device } = await register();
  await told();
  for (const [msgType, data] of [
    ['read', {}],
    ['read', { path: 'x' }],
    ['dance', { path: '/3/0' }],
    ['constructor', { path: '/3/0' }],
    ['write', { path: '/3/0', value: 1 }],
    ['write', { path: '/3/0/9', type: 'Integer', value: 'many' }],
    ['write', { path: '/3/0/9', type: 'Number', value: 1 }],
    ['write', { basePath: '/3/0', content: 'x' }],
    ['write', { basePath: '/3/0', content: [] }],
    ['execute', { path: '/3/0' }],
    ['delete', { path: '/3' }],
    ['write-attr', { path: '/3/0/9', pmin: '1&ep=x' }],
  ] as const) {
    await command(msgType, data, msgType);
    expect(await heard()).toMatchObject({ reqID: msgType, data: { code: '4.00', codeMsg: 'bad_request' } });
  }
  for (const payload of ['', 'x', '[]', 'null', '{}', '{"msgType":1,"data":{}}', '{"msgType":"read"}'])
    await server.publish('lwm2m/pump/dn', payload);
  await command('read', { path: '/3/0/0' });
  device.answer(await device.asked('/3/0/0'), { code: '2.05', payload: 'still there' });
  expect(await heard()).toMatchObject({ data: { code: '2.05' } });
  expect(device.received).toEqual([]);
});

test('what is observed is told by MQTT until that is cancelled', async () => {
  await startGateway();
  const { device } = await register();
  await told();
  await command('observe', { path: '/3/0/9' }, 'w');
  const asked = await device.asked('/3/0/9');
  expect(numberOf(asked, 'Observe')).toBe(0);
  device.answer(asked, { code: '2.05', payload: '90', options: [['Observe', 1]] });
  expect(await heard()).toMatchObject({
    reqID: 'w',
    msgType: 'observe',
    data: { content: [{ path: '/3/0/9', value: 90 }] },
  });
  device.notify(asked.token, 2, { code: '2.05', payload: '89' });
  const { topic, body } = await told();
  expect(topic).toBe('lwm2m/pump/up/notify');
  expect(body).toEqual({
    reqID: 'w',
    msgType: 'notify',
    seqNum: 2,
    data: { reqPath: '/3/0/9', code: '2.05', codeMsg: 'content', content: [{ path: '/3/0/9', value: 89 }] },
  });
  await command('cancel-observe', { path: '/3/0/9' });
  const cancel = await device.asked('/3/0/9');
  expect(numberOf(cancel, 'Observe')).toBe(1);
  expect(cancel.token).toEqual(asked.token);
  device.answer(cancel, { code: '2.05', payload: '88' });
  expect(await heard()).toMatchObject({ msgType: 'cancel-observe' });
  device.received.length = 0;
  device.notify(asked.token, 3, { code: '2.05', payload: '87' });
  await device.next('a reset', ({ reset }) => reset);
  await server.expectNothing();
});

test('all that a device has is observed where that is wished, except its keys', async () => {
  await startGateway({ auto_observe: true });
  const { device } = await register('ep=pump&lt=300&lwm2m=1.0', '</0/0>,</1/0>,</3/0>');
  for (const path of ['/1/0', '/3/0']) {
    const asked = await device.asked(path);
    expect(numberOf(asked, 'Observe')).toBe(0);
    device.answer(asked, { code: '4.05' });
  }
  expect(device.received.filter((packet) => uriOf(packet).startsWith('/0'))).toEqual([]);
});

test('a device in queue mode gets its commands when it is awake', async () => {
  await startGateway({ qmode_time_window: '20s' });
  const { device, location } = await register('ep=pump&lt=3600&lwm2m=1.0&b=UQ');
  await told();
  await command('read', { path: '/3/0/0' }, 'awake');
  device.answer(await device.asked('/3/0/0'), { code: '2.05', payload: 'a' });
  expect(await heard()).toMatchObject({ reqID: 'awake' });
  pass(25);
  await command('read', { path: '/3/0/1' }, 'asleep');
  await command('read', { path: '/3/0/2' }, 'too');
  await server.ping();
  const token = Buffer.from('mine');
  device.put({ method: 'POST', uri: location, token });
  expect((await device.next('anything', () => true)).token).toEqual(token); // nothing came before it was awake
  const first = await device.asked('/3/0/1');
  device.answer(first, { code: '2.05', payload: 'b' });
  expect(await heard()).toMatchObject({ reqID: 'asleep' });
  device.answer(await device.asked('/3/0/2'), { code: '2.05', payload: 'c' });
  expect(await heard()).toMatchObject({ reqID: 'too' });
});

test('commands for a device that sleeps for long are bounded; those too many are answered', async () => {
  await startGateway({ qmode_time_window: '1s' });
  await register('ep=pump&lt=3600&lwm2m=1.0&b=UQ');
  await told();
  pass(5);
  for (let i = 0; i < 101; i++) await command('read', { path: '/3/0/0' }, i);
  expect(await heard()).toEqual({
    reqID: 100,
    msgType: 'read',
    data: { reqPath: '/3/0/0', code: '5.03', codeMsg: 'service_unavailable' },
  });
});

test('a device that does not answer is told of', async () => {
  await startGateway();
  const { device } = await register();
  await told();
  await command('read', { path: '/3/0/0' });
  const asked = await device.asked('/3/0/0');
  pass(3.2);
  const again = await device.asked('/3/0/0');
  expect(again.messageId).toBe(asked.messageId);
  pass(100);
  expect(await heard()).toEqual({
    reqID: 1,
    msgType: 'read',
    data: { reqPath: '/3/0/0', code: '5.04', codeMsg: 'reply_not_received' },
  });
  expect(await clients()).toEqual(['pump']); // its lifetime is not over
});

test('a device comes from another address with its update, and its observations go on', async () => {
  await startGateway();
  const { device, location } = await register();
  await told();
  await command('observe', { path: '/3/0/9' });
  const asked = await device.asked('/3/0/9');
  device.answer(asked, { code: '2.05', payload: '1', options: [['Observe', 1]] });
  await heard();
  const moved = await openDevice();
  expect((await moved.ask({ method: 'POST', uri: location })).code).toBe('2.04');
  const { body } = await broker.inject<{ port: number }>('GET', '/gateways/lwm2m/clients/pump');
  expect(body.port).toBe(moved.port);
  moved.notify(asked.token, 2, { code: '2.05', payload: '2' });
  expect(await heard()).toMatchObject({ msgType: 'notify', data: { content: [{ value: 2 }] } });
  await command('read', { path: '/3/0/0' });
  moved.answer(await moved.asked('/3/0/0'), { code: '2.05', payload: 'x' });
  expect(await heard()).toMatchObject({ msgType: 'read' });
});

test('who registers under a name that is taken takes its place', async () => {
  await startGateway();
  const first = await register();
  const second = await register();
  expect(await clients()).toEqual(['pump']);
  expect((await first.device.ask({ method: 'POST', uri: first.location })).code).toBe('4.04');
  expect((await second.device.ask({ method: 'POST', uri: second.location })).code).toBe('2.04');
});

test('a device that is kicked out has to register again', async () => {
  await startGateway();
  const { device, location } = await register();
  expect((await broker.inject('DELETE', '/gateways/lwm2m/clients/pump')).status).toBe(204);
  expect((await device.ask({ method: 'POST', uri: location })).code).toBe('4.04');
});

test('objects below an alternate path are asked for there, and told of without it', async () => {
  await startGateway();
  const { device } = await register('ep=pump&lt=300&lwm2m=1.0', '</lwm2m>;rt="oma.lwm2m",</lwm2m/3/0>');
  expect(await told()).toMatchObject({ body: { data: { alternatePath: '/lwm2m', objectList: ['/3/0'] } } });
  await command('read', { path: '/3/0/0' });
  device.answer(await device.asked('/lwm2m/3/0/0'), { code: '2.05', payload: 'x' });
  expect(await heard()).toMatchObject({
    data: { reqPath: '/3/0/0', content: [{ path: '/3/0/0', value: 'x' }] },
  });
});

test('objects that the operator has described are read by their types', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-lwm2m-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  const item = '<Item ID="1"><Name>Pressure</Name><Operations>R</Operations><Type>Float</Type></Item>';
  const object = `<Object><Name>Pump</Name><ObjectID>26241</ObjectID><Resources>${item}</Resources></Object>`;
  writeFileSync(path.join(folder, 'pump.xml'), `<?xml version="1.0"?><LWM2M>${object}</LWM2M>`);
  await startGateway({ xml_dir: folder });
  const { device } = await register();
  await told();
  await command('read', { path: '/26241/0' });
  const payload = Buffer.from('e4000141ac0000', 'hex'); // resource 1 with an id of two bytes: 21.5 in four
  device.answer(await device.asked('/26241/0'), {
    code: '2.05',
    payload,
    options: [['Content-Format', TLV]],
  });
  expect(await heard()).toMatchObject({ data: { content: [{ path: '/26241/0/1', value: 21.5 }] } });
  const { body } = await broker.inject<object>('GET', '/gateways/lwm2m/clients/pump/lookup', {
    query: { path: '/26241/0', action: 'read' },
  });
  expect(body).toMatchObject({ content: [{ name: 'Pressure', dataType: 'Float', operations: 'R' }] });
});

test('a large answer and a large value go in blocks', async () => {
  await startGateway();
  const { device } = await register();
  await told();
  const firmware = Buffer.alloc(3000, 'f');
  await command('write', { path: '/5/0/0', type: 'Opaque', value: firmware.toString('base64') });
  const parts: Buffer[] = [];
  for (let more = true; more; ) {
    const asked = await device.asked('/5/0/0');
    const block = numberOf(asked, 'Block1')!;
    parts.push(asked.payload);
    more = (block & 8) !== 0;
    device.answer(asked, { code: more ? '2.31' : '2.04', options: [['Block1', optionOf(asked, 'Block1')!]] });
  }
  expect(Buffer.concat(parts).subarray(-3000)).toEqual(firmware);
  expect(await heard()).toMatchObject({ data: { code: '2.04' } });

  await command('read', { path: '/3/0/0' });
  const name = 'n'.repeat(70);
  for (let num = 0; num < 2; num++) {
    const asked = await device.asked('/3/0/0');
    const options = [['Block2', num * 16 + (num === 0 ? 8 : 0) + 2] as const];
    device.answer(asked, { code: '2.05', payload: name.slice(num * 64, num * 64 + 64), options });
  }
  expect(await heard()).toMatchObject({ data: { content: [{ path: '/3/0/0', value: name }] } });
});

test('operators read, write and observe by the API, and look the answers up', async () => {
  await startGateway();
  const { device } = await register();
  await told();
  const api = (method: string, verb: string, query: Record<string, string>, clientid = 'pump') =>
    broker.inject<Record<string, unknown>>(method, `/gateways/lwm2m/clients/${clientid}/${verb}`, { query });

  const path = '/3/0/9';
  expect((await api('GET', 'lookup', { path, action: 'read' })).body).toEqual({
    clientid: 'pump',
    path,
    action: 'read',
    codeMsg: 'reply_not_received',
  });
  expect((await api('POST', 'read', { path })).status).toBe(204);
  device.answer(await device.asked(path), { code: '2.05', payload: '55' });
  expect(await heard()).toMatchObject({ msgType: 'read', data: { content: [{ path, value: 55 }] } });
  expect(await api('GET', 'lookup', { path, action: 'read' })).toMatchObject({
    status: 200,
    body: {
      clientid: 'pump',
      path,
      action: 'read',
      code: '2.05',
      codeMsg: 'content',
      content: [{ path, name: 'Battery Level', operations: 'R', dataType: 'Integer', value: 55 }],
    },
  });

  expect((await api('POST', 'write', { path: '/3/0/14', type: 'String', value: '+01:00' })).status).toBe(204);
  const written = await device.asked('/3/0/14');
  expect(written.payload.toString('hex')).toBe('c60e2b30313a3030');
  device.answer(written, { code: '2.04' });
  expect(await heard()).toMatchObject({ msgType: 'write', data: { code: '2.04' } });

  expect((await api('POST', 'observe', { path, enable: 'true' })).status).toBe(204);
  const asked = await device.asked(path);
  device.answer(asked, { code: '2.05', payload: '54', options: [['Observe', 1]] });
  expect(await heard()).toMatchObject({ msgType: 'observe' });
  device.notify(asked.token, 2, { code: '2.05', payload: '53' });
  expect(await heard()).toMatchObject({ msgType: 'notify' });
  expect((await api('GET', 'lookup', { path, action: 'observe' })).body).toMatchObject({
    content: [{ value: 53 }],
  });
  expect((await api('POST', 'observe', { path, enable: 'false' })).status).toBe(204);
  device.answer(await device.asked(path), { code: '2.05', payload: '53' });
  expect(await heard()).toMatchObject({ msgType: 'cancel-observe' });

  for (const [method, verb, query] of [
    ['POST', 'read', { path }],
    ['POST', 'observe', { path, enable: 'true' }],
    ['POST', 'write', { path, type: 'Integer', value: '1' }],
    ['GET', 'lookup', { path, action: 'read' }],
  ] as const) {
    const nobody = await api(method, verb, query, 'nobody');
    expect(nobody).toMatchObject({ status: 404, body: { code: 'CLIENT_NOT_FOUND' } });
  }
  for (const [verb, query] of [
    ['read', { path: 'x' }],
    ['read', { path: '/3/0/99999' }],
    ['write', { path, type: 'Integer', value: 'x' }],
    ['write', { path, type: 'Number', value: '1' }],
    ['observe', { path, enable: 'perhaps' }],
  ] as const)
    expect((await api('POST', verb, query)).status, `${verb} ${JSON.stringify(query)}`).toBe(400);
});
