import { createHmac } from 'node:crypto';
import { type AuthPacket, PacketType, type Properties } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';

const METHOD = 'CHALLENGE';
const bytes = (text: string) => Buffer.from(text);
const sign = (challenge: string, secret: string) => createHmac('sha256', secret).update(challenge).digest();
const text = (data: Uint8Array | undefined) => Buffer.from(data ?? []).toString();

/** A broker that knows one method: it gives a number, and wants it back signed with the client's secret. */
function startChallenging(secrets: Record<string, string>, settings = {}): TestCore {
  const broker = startTestCore({ settings });
  let challenges = 0;
  broker.core.hooks.on('client.enhanced_authenticate', async (who, { method, data, state, again }) => {
    if (method !== METHOD) return undefined;
    if (state === undefined) {
      const challenge = `${++challenges}${again ? ' again' : ''}`;
      return { result: 'continue', data: bytes(challenge), state: challenge };
    }
    const secret = secrets[who.clientid];
    if (secret === undefined || !data || !sign(state as string, secret).equals(data))
      return { result: 'failure', reasonCode: ReasonCode.NotAuthorized };
    who.attributes.proven = state as string;
    return { result: 'success', data: bytes(`welcome ${who.clientid}`) };
  });
  return broker;
}

const asking = (more: Properties = {}) => ({ properties: { authenticationMethod: METHOD, ...more } });

function auth(client: TestClient, reasonCode: number, data?: Uint8Array, method = METHOD): void {
  client.send({
    type: PacketType.AUTH,
    reasonCode,
    properties: { authenticationMethod: method, ...(data && { authenticationData: data }) },
  });
}

const respond = (client: TestClient, challenge: AuthPacket, secret: string) =>
  auth(
    client,
    ReasonCode.ContinueAuthentication,
    sign(text(challenge.properties.authenticationData), secret),
  );

async function connected(broker: TestCore, clientid: string, secret: string): Promise<TestClient> {
  const { client } = broker.dial(clientid, asking());
  client.sendConnect();
  respond(client, await client.expect(PacketType.AUTH), secret);
  client.connack = await client.expect(PacketType.CONNACK);
  expect(client.connack.reasonCode).toBe(0);
  return client;
}

describe('CONNECT with an authentication method', () => {
  test('whoever wants hears how it ended', async () => {
    const broker = startChallenging({ a: 'secret' });
    const heard: unknown[] = [];
    broker.core.hooks.on('client.authenticate_complete', ({ clientid }, reasonCode, anonymous) =>
      heard.push([clientid, reasonCode, anonymous]),
    );
    await connected(broker, 'a', 'secret');
    const { client } = broker.dial('b', asking());
    client.sendConnect();
    respond(client, await client.expect(PacketType.AUTH), 'guess');
    await client.expect(PacketType.CONNACK);
    expect(heard).toEqual([
      ['a', ReasonCode.Success, false],
      ['b', ReasonCode.NotAuthorized, false],
    ]);
  });

  test('goes on with AUTH until the client is known [MQTT-4.12.0-2] [MQTT-4.12.0-5]', async () => {
    const broker = startChallenging({ a: 'secret' });
    let asked = 0;
    broker.core.hooks.on('client.authenticate', () => {
      asked++;
      return { allow: false, reasonCode: ReasonCode.BadUserNameOrPassword };
    });
    const { client } = broker.dial('a', asking());
    client.sendConnect();
    const challenge = await client.expect(PacketType.AUTH);
    expect(challenge).toMatchObject({
      reasonCode: ReasonCode.ContinueAuthentication,
      properties: { authenticationMethod: METHOD },
    });
    expect(broker.core.registry.find('a')).toBeUndefined();
    respond(client, challenge, 'secret');
    const connack = await client.expect(PacketType.CONNACK);
    expect(connack.reasonCode).toBe(0);
    expect(connack.properties.authenticationMethod).toBe(METHOD);
    expect(text(connack.properties.authenticationData)).toBe('welcome a');
    expect(broker.core.registry.find('a')?.who.attributes).toEqual({ proven: '1' });
    expect(asked).toBe(0);
    const { counters } = broker.core;
    expect(
      (
        [
          'client.authenticate',
          'authentication.success',
          'packets.auth.sent',
          'packets.auth.received',
        ] as const
      ).map((name) => counters.get(name)),
    ).toEqual([1, 1, 1, 1]);
    await client.subscribe('t');
    await client.publish('t', 'x');
    await client.expectMessage('x');
  });

  test('is refused when the answer is wrong, and the connection ends [MQTT-4.12.0-4]', async () => {
    const broker = startChallenging({ a: 'secret' });
    const { client } = broker.dial('a', asking());
    client.sendConnect();
    respond(client, await client.expect(PacketType.AUTH), 'guess');
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.NotAuthorized);
    await client.expectEnd();
    expect(broker.core.registry.size).toBe(0);
    expect(broker.core.counters.get('authentication.failure')).toBe(1);
  });

  test('is refused when nobody knows the method [MQTT-4.12.0-1]', async () => {
    const broker = startChallenging({ a: 'secret' });
    const { client } = broker.dial('a', asking({ authenticationMethod: 'OTHER' }));
    expect((await client.connect()).reasonCode).toBe(ReasonCode.BadAuthenticationMethod);
    await client.expectEnd();
  });

  test('is refused when a handler fails to decide', async () => {
    const broker = startTestCore();
    broker.core.hooks.on('client.enhanced_authenticate', () => {
      throw new Error('no database');
    });
    const { client } = broker.dial('a', asking());
    expect((await client.connect()).reasonCode).toBe(ReasonCode.NotAuthorized);
  });

  test.each([
    [
      'another packet',
      (client: TestClient) => client.send({ type: PacketType.PINGREQ }),
      ReasonCode.ProtocolError,
    ],
    [
      'another method',
      (client: TestClient) => auth(client, ReasonCode.ContinueAuthentication, bytes('x'), 'OTHER'),
      ReasonCode.BadAuthenticationMethod,
    ],
    [
      'a re-authentication',
      (client: TestClient) => auth(client, ReasonCode.ReAuthenticate),
      ReasonCode.ProtocolError,
    ],
    [
      'AUTH without a method',
      (client: TestClient) => client.sendRaw([0xf0, 2, 0x18, 0]),
      ReasonCode.ProtocolError,
    ],
    ['a second CONNECT', (client: TestClient) => client.sendConnect(), ReasonCode.ProtocolError],
  ] as const)('ends at %s [MQTT-3.1.2-30] [MQTT-4.12.0-3]', async (_what, send, reasonCode) => {
    const broker = startChallenging({ a: 'secret' });
    const { client } = broker.dial('a', asking());
    client.sendConnect();
    await client.expect(PacketType.AUTH);
    send(client);
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(reasonCode);
    await client.expectEnd();
    expect(broker.core.registry.size).toBe(0);
  });

  test('may be given up with DISCONNECT, or by leaving', async () => {
    const broker = startChallenging({ a: 'secret' });
    const { client } = broker.dial('a', asking());
    client.sendConnect();
    await client.expect(PacketType.AUTH);
    await client.disconnect();
    expect(client.packets).toEqual([]);
    const other = broker.dial('a', asking()).client;
    other.sendConnect();
    await other.expect(PacketType.AUTH);
    other.close();
    broker.pass(60_000);
    expect(broker.core.registry.size).toBe(0);
  });

  test('has the time of an idle connection only, and does not go on for ever', async () => {
    const broker = startChallenging({ a: 'secret' }, { idleTimeoutMs: 5000 });
    const { client } = broker.dial('a', asking());
    client.sendConnect();
    await client.expect(PacketType.AUTH);
    broker.pass(6000);
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.NotAuthorized);

    const endless = startTestCore();
    endless.core.hooks.on('client.enhanced_authenticate', () => ({
      result: 'continue',
      data: null,
      state: null,
    }));
    const { client: patient } = endless.dial('a', asking());
    patient.sendConnect();
    let steps = 0;
    for (; !patient.packets.some(({ type }) => type === PacketType.CONNACK) && steps < 100; steps++) {
      await patient.expect(PacketType.AUTH);
      auth(patient, ReasonCode.ContinueAuthentication);
      await expect.poll(() => patient.packets.length).toBeGreaterThan(0);
    }
    expect((await patient.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.NotAuthorized);
    expect(steps).toBe(16);
  });

  test('keeps what the client sent too early in order behind the exchange', async () => {
    const broker = startTestCore();
    broker.core.hooks.on('client.enhanced_authenticate', async (_who, { state }) =>
      state === undefined ? { result: 'continue', data: null, state: 1 } : { result: 'success', data: null },
    );
    const { client } = broker.dial('a', asking());
    client.sendConnect();
    auth(client, ReasonCode.ContinueAuthentication); // not waiting for our AUTH
    client.send({ type: PacketType.PINGREQ });
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(0);
    await client.expect(PacketType.PINGRESP);
  });
});

describe('AUTH of a connected client', () => {
  test('authenticates again while everything else goes on [MQTT-4.12.1-1]', async () => {
    const broker = startChallenging({ a: 'secret' });
    const client = await connected(broker, 'a', 'secret');
    await client.subscribe('t');
    auth(client, ReasonCode.ReAuthenticate);
    const challenge = await client.expect(PacketType.AUTH);
    expect(text(challenge.properties.authenticationData)).toBe('2 again');
    await client.publish('t', 'meanwhile', { qos: 1 });
    await client.expectMessage('meanwhile');
    respond(client, challenge, 'secret');
    const done = await client.expect(PacketType.AUTH);
    expect(done).toMatchObject({ reasonCode: 0, properties: { authenticationMethod: METHOD } });
    expect(text(done.properties.authenticationData)).toBe('welcome a');
    expect(broker.core.registry.find('a')?.who.attributes).toEqual({ proven: '2 again' });
    auth(client, ReasonCode.ReAuthenticate); // and once more
    respond(client, await client.expect(PacketType.AUTH), 'secret');
    expect((await client.expect(PacketType.AUTH)).reasonCode).toBe(0);
  });

  test('ends the connection when it fails [MQTT-4.12.1-2]', async () => {
    const broker = startChallenging({ a: 'secret' });
    const client = await connected(broker, 'a', 'secret');
    auth(client, ReasonCode.ReAuthenticate);
    respond(client, await client.expect(PacketType.AUTH), 'guess');
    await client.expectDisconnect(ReasonCode.NotAuthorized);
  });

  test('ends the connection when it takes too long', async () => {
    const broker = startChallenging({ a: 'secret' }, { idleTimeoutMs: 5000 });
    const client = await connected(broker, 'a', 'secret');
    broker.pass(60_000);
    auth(client, ReasonCode.ReAuthenticate);
    await client.expect(PacketType.AUTH);
    broker.pass(6000);
    await client.expectDisconnect(ReasonCode.NotAuthorized);
  });

  test.each([
    [
      'with another method [MQTT-4.12.1-1]',
      (client: TestClient) => auth(client, ReasonCode.ReAuthenticate, undefined, 'OTHER'),
      ReasonCode.BadAuthenticationMethod,
    ],
    [
      'going on with nothing',
      (client: TestClient) => auth(client, ReasonCode.ContinueAuthentication, bytes('x')),
      ReasonCode.ProtocolError,
    ],
    [
      'twice at once',
      (client: TestClient) => {
        auth(client, ReasonCode.ReAuthenticate);
        auth(client, ReasonCode.ReAuthenticate);
      },
      ReasonCode.ProtocolError,
    ],
    ['without anything', (client: TestClient) => client.sendRaw([0xf0, 0]), ReasonCode.ProtocolError],
  ] as const)('ends the connection when it comes %s', async (_what, send, reasonCode) => {
    const broker = startChallenging({ a: 'secret' });
    const client = await connected(broker, 'a', 'secret');
    send(client);
    await client.expectDisconnect(reasonCode);
  });

  test('ends the connection of a client that named no method [MQTT-4.12.0-6] [MQTT-4.12.0-7]', async () => {
    const broker = startChallenging({ a: 'secret' });
    const client = await broker.client('a');
    expect(client.connack?.properties.authenticationMethod).toBeUndefined();
    auth(client, ReasonCode.ReAuthenticate);
    await client.expectDisconnect(ReasonCode.ProtocolError);
  });

  test('can prolong what would have expired', async () => {
    const broker = startTestCore();
    broker.core.hooks.on('client.enhanced_authenticate', (who) => {
      who.authExpiresAt = broker.core.clock.now + 10_000;
      return { result: 'success', data: null };
    });
    const client = await broker.client('a', asking());
    broker.pass(8000);
    auth(client, ReasonCode.ReAuthenticate);
    expect((await client.expect(PacketType.AUTH)).reasonCode).toBe(0);
    broker.pass(8000);
    await client.ping();
    broker.pass(4000);
    await client.expectDisconnect(ReasonCode.NotAuthorized);
  });
});
