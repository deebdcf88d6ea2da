import mqtt, { type MqttClient } from 'mqtt';
import { afterEach, beforeEach, vi } from 'vitest';
import { SnDevice } from './sn-device.ts';
import { startTestBroker, type TestBroker } from './start-test-broker.ts';
import { startUdpGateway } from './udp-gateway.ts';

/** A gateway of MQTT-SN and devices of it, for the tests of those; time goes on when a test winds it. */

export const CONNECT = 0x04;
export const CONNACK = 0x05;
export const WILLTOPICREQ = 0x06;
export const WILLTOPIC = 0x07;
export const WILLMSGREQ = 0x08;
export const WILLMSG = 0x09;
export const REGISTER = 0x0a;
export const REGACK = 0x0b;
export const PUBLISH = 0x0c;
export const PUBACK = 0x0d;
export const PUBCOMP = 0x0e;
export const PUBREC = 0x0f;
export const PUBREL = 0x10;
export const SUBSCRIBE = 0x12;
export const SUBACK = 0x13;
export const UNSUBSCRIBE = 0x14;
export const UNSUBACK = 0x15;
export const PINGREQ = 0x16;
export const PINGRESP = 0x17;
export const DISCONNECT = 0x18;

export const FIRST = { priority: 10_000 }; // before anybody else has an opinion

export let broker: TestBroker;
export let port: number;
export const ends: (() => unknown)[] = [];

/** Called once by each test file: every test of the file has a broker of its own. */
export function setUpSnTests(): void {
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    broker = await startTestBroker({ tcp: 0 });
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    await broker.close();
    vi.useRealTimers();
  });
}

export async function startGateway(config: object = {}, listener: object = {}): Promise<void> {
  port = await startUdpGateway(broker, 'mqttsn', { gateway_id: 7, ...config }, listener);
}

export async function openDevice(): Promise<SnDevice> {
  const device = await SnDevice.open(port);
  ends.push(() => device.close());
  return device;
}

export async function connected(clientid: string, options: { clean?: boolean; keepalive?: number } = {}) {
  const device = await openDevice();
  await device.connect(clientid, options);
  return device;
}

/** CONNECT with a will: its own client id, to the topic `gone`. */
export async function connectWithWill(
  device: SnDevice,
  clientid: string,
  { clean = true, keepalive = 0 }: { clean?: boolean; keepalive?: number } = {},
): Promise<void> {
  device.send(CONNECT, clean ? 0x0c : 0x08, 1, [keepalive], clientid);
  await device.expect(WILLTOPICREQ);
  device.send(WILLTOPIC, 0, 'gone');
  await device.expect(WILLMSGREQ);
  device.send(WILLMSG, clientid);
  await device.expect(CONNACK, 0);
}

/** Somebody else's MQTT client, with what it has received. */
export async function mqttClient(): Promise<MqttClient & { next(): Promise<string> }> {
  const listener = broker.core.listeners.find(({ id }) => id === 'tcp:default')!;
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${listener.port}`, {
    protocolVersion: 5,
    keepalive: 0,
  });
  ends.push(() => client.endAsync(true));
  const came: string[] = [];
  const waiting: (() => void)[] = [];
  client.on('message', (topic, payload, { qos, retain }) => {
    came.push(`${topic} ${payload} ${qos}${retain ? ' retained' : ''}`);
    for (const wake of waiting.splice(0)) wake();
  });
  const next = async () => {
    while (came.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    return came.shift()!;
  };
  return Object.assign(client, { next });
}

const TICKS_MS = 200; // a timer is a tick late at most, and the clock may be as well

/** So much later, whatever is due then has happened. */
export function wind(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000 + TICKS_MS);
  broker.core.clock.refresh();
  broker.core.timers.turn();
}

export const clientOf = (clientid: string) =>
  broker.inject<{ connected: boolean }>('GET', `/gateways/mqttsn/clients/${clientid}`);
