import { expect, test } from 'vitest';
import { snMessage } from '../../../testing/sn-device.ts';
import {
  broker,
  CONNACK,
  CONNECT,
  connected,
  DISCONNECT,
  FIRST,
  mqttClient,
  openDevice,
  PINGREQ,
  PINGRESP,
  PUBACK,
  PUBLISH,
  SUBACK,
  SUBSCRIBE,
  setUpSnTests,
  startGateway,
} from '../../../testing/sn-gateway.ts';

setUpSnTests();

test('behind a mountpoint devices see their own topics only', async () => {
  await startGateway({ mountpoint: 'sn/${clientid}/' });
  const other = await mqttClient();
  await other.subscribeAsync('sn/#');
  const device = await connected('sensor');
  const id = await device.register('up');
  device.send(PUBLISH, 0, [id], [0], 'hello');
  expect(await other.next()).toBe('sn/sensor/up hello 0');
  const down = await device.subscribe('down');
  await other.publishAsync('down', 'of somebody else');
  await other.publishAsync('sn/sensor/down', 'for me');
  await device.expect(PUBLISH, 0, [down], [0], 'for me');
});

test('devices behind a forwarder are told apart', async () => {
  await startGateway();
  const forwarder = await openDevice();
  const from = (node: number, message: Buffer) => Buffer.concat([Buffer.of(5, 0xfe, 1, 0xaa, node), message]);
  const expectFor = async (node: number, type: number, ...parts: Parameters<typeof snMessage>[1][]) => {
    const wanted = from(node, snMessage(type, ...parts)).toString('hex');
    expect((await forwarder.next()).toString('hex')).toBe(wanted);
  };
  for (const node of [1, 2]) {
    forwarder.sendRaw(from(node, snMessage(CONNECT, 0x04, 1, [0], `node${node}`)));
    await expectFor(node, CONNACK, 0);
  }
  forwarder.sendRaw(from(1, snMessage(SUBSCRIBE, 0x02, [1], 'ab')));
  await expectFor(1, SUBACK, 0, [0], [1], 0);
  forwarder.sendRaw(from(2, snMessage(PUBLISH, 0x02, 'ab', [0], 'hi')));
  await expectFor(1, PUBLISH, 0x02, 'ab', [0], 'hi');
  // One that comes as another node is the same device
  forwarder.sendRaw(from(3, snMessage(CONNECT, 0x04, 1, [0], 'node2')));
  await expectFor(3, CONNACK, 0);
  forwarder.sendRaw(from(2, snMessage(PINGREQ)));
  await expectFor(2, DISCONNECT);
  forwarder.sendRaw(from(3, snMessage(PINGREQ)));
  await expectFor(3, PINGRESP);
});

test('who asks for more than is worked off finds congestion', async () => {
  await startGateway();
  let release: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  broker.core.hooks.on('client.authorize', () => gate.then(() => 'allow' as const), FIRST);
  const device = await connected('sensor');
  for (let i = 1; i <= 65; i++) device.send(PUBLISH, 0x22, 'ab', [i], 'x');
  await device.expect(PUBACK, 'ab', [65], 1);
  release!();
  for (let i = 1; i <= 64; i++) await device.expect(PUBACK, 'ab', [i], 0);
});

test('hostile datagrams change nothing for anybody', async () => {
  await startGateway();
  const good = await connected('good');
  const id = await good.subscribe('down');
  const bad = await openDevice();
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    return seed;
  };
  for (let round = 0; round < 300; round++) {
    const length = random() % 40;
    const datagram = Buffer.from(Array.from({ length }, () => random() & 0xff));
    if (round % 3 === 0 && length > 1) datagram[0] = length; // a length that fits
    if (round % 6 === 0 && length > 1) datagram[1] = random() % 0x20; // and a type
    bad.sendRaw(datagram);
    if (round % 50 === 0) {
      bad.send(0x01, 0); // wait until it has been read
      while ((await bad.next())[1] !== 0x02);
    }
  }
  bad.sendRaw(Buffer.alloc(65_000, 0xff));
  for (let round = 0; round < 300; round++) bad.send(CONNECT, 0x0c, 1, [0], `x${round}`); // never goes on
  await broker.core.publish({ topic: 'down', payload: 'still here' });
  await good.expect(PUBLISH, 0, [id], [0], 'still here');
});
