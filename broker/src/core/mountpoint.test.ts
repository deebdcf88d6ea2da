import { type DisconnectPacket, PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../testing/start-test-core.ts';
import type { ClientInfo } from './hooks.ts';

const INSIDE = { listener: 'tcp:inside' };

/** Clients of `tcp:inside` are behind the mountpoint, those of `tcp:default` see everything. */
function behind(mountpoint: string) {
  const broker = startTestCore();
  broker.core.entrance(INSIDE.listener).mountpoint = mountpoint;
  return broker;
}

describe('behind a mountpoint', () => {
  test.each([3, 4, 5] as const)(
    'a %s client publishes and subscribes as if there were none',
    async (version) => {
      const broker = behind('site/${clientid}/${username}/');
      const inside = await broker.client('a', { ...INSIDE, version, username: 'ada' });
      const outside = await broker.client('outside', { version });
      await outside.subscribe('#');
      await inside.subscribe('in/+', { qos: 2 });
      await inside.publish('out/1', 'x', { qos: 1 });
      expect((await outside.expectMessage('x')).topic).toBe('site/a/ada/out/1');
      for (const qos of [0, 1, 2] as const) {
        await outside.publish('site/a/ada/in/1', `${qos}`, { qos });
        expect(await inside.expectMessage(`${qos}`)).toMatchObject({ topic: 'in/1', qos });
      }
      await outside.publish('in/1', 'of others');
      await inside.expectNothing();
      expect(broker.core.registry.find('a')?.facts().mountpoint).toBe('site/a/ada/');
      expect(
        [...(broker.core.registry.find('a')?.subscriptions() ?? [])].map(({ filter }) => filter),
      ).toEqual(['site/a/ada/in/+']);
      await inside.unsubscribe('in/+');
      expect(broker.core.registry.find('a')?.subscriptionCount).toBe(0);
    },
  );

  test('shared and exclusive subscriptions, topic aliases and large batches keep to it', async () => {
    const broker = behind('mp/');
    for (const { settings } of [broker.core, broker.core.entrance(INSIDE.listener)])
      settings.exclusiveSubscription = true;
    const shared = await broker.client('a', INSIDE);
    const alone = await broker.client('b', { ...INSIDE, properties: { topicAliasMaximum: 5 } });
    const outside = await broker.client('outside');
    await shared.subscribe('$share/g/t/#');
    await alone.subscribe('$exclusive/only/this');
    expect([...broker.core.routes.subscribedFilters()].sort()).toEqual([
      '$exclusive/mp/only/this',
      '$share/g/mp/t/#',
    ]);
    expect(await shared.subscribe('$exclusive/only/this')).toEqual([ReasonCode.QuotaExceeded]);
    for (let i = 0; i < 3; i++) {
      await outside.publish('mp/t/long/enough', `${i}`);
      expect((await shared.expectMessage(`${i}`)).topic).toBe('t/long/enough');
      await outside.publish('mp/only/this', `${i}`);
    }
    const topics = [];
    for (let i = 0; i < 3; i++) topics.push((await alone.expectMessage(`${i}`)).topic);
    expect(topics).toEqual(['only/this', '', '']);
    await alone.publish('t/1', 'first', { properties: { topicAlias: 1 } });
    await alone.publish('', 'second', { properties: { topicAlias: 1 } });
    expect((await shared.expectMessage('first')).topic).toBe('t/1');
    expect((await shared.expectMessage('second')).topic).toBe('t/1');
  });

  test('permissions are asked for what the client writes; will and queue are behind it too', async () => {
    const broker = behind('mp/${clientid}/');
    const asked: string[] = [];
    broker.core.hooks.on('client.authorize', (who: ClientInfo, { topic }) => {
      if (who.clientid === 'a') asked.push(topic);
      return 'allow';
    });
    const outside = await broker.client('outside');
    await outside.subscribe('mp/a/will');
    const options = { ...INSIDE, cleanStart: false, properties: { sessionExpiryInterval: 60 } };
    const first = await broker.client('a', { ...options, will: { topic: 'will' } });
    await first.subscribe('t', { qos: 1 });
    await first.publish('p', '');
    first.close();
    expect((await outside.expectMessage()).topic).toBe('mp/a/will');
    await outside.publish('mp/a/t', 'waited', { qos: 1 });
    const back = await broker.client('a', options);
    expect((await back.expectMessage('waited')).topic).toBe('t');
    expect(asked).toEqual(['t', 'p', 'will']);
  });

  test('the level above it is not, although a filter for all matches it', async () => {
    const broker = behind('mp/');
    const inside = await broker.client('a', INSIDE);
    const outside = await broker.client('outside');
    await inside.subscribe('#');
    await outside.publish('mp', 'above');
    await outside.publish('mp/', 'nowhere');
    await outside.publish('mp/t', 'in it');
    expect((await inside.expectMessage('in it')).topic).toBe('t');
  });

  test.each(['+', '#', 'b/c', '$share', '$queue/x', 'a/../b'])(
    'a name %s, which would open the topics of others, is refused',
    async (name) => {
      const broker = behind('${clientid}/${username}/');
      const asId = broker.dial(name, { ...INSIDE, username: 'ada' });
      expect((await asId.client.connect()).reasonCode).toBe(ReasonCode.ClientIdentifierNotValid);
      const asUser = broker.dial('a', { ...INSIDE, username: name });
      expect((await asUser.client.connect()).reasonCode).toBe(ReasonCode.BadUserNameOrPassword);
      expect((await broker.dial('a', INSIDE).client.connect()).reasonCode).toBe(
        ReasonCode.BadUserNameOrPassword,
      );
      await broker.client(name, { username: name }); // elsewhere it is a name as any other
    },
  );

  test('operators subscribe for it as it would itself, and unsubscribe what is listed', async () => {
    const broker = behind('mp/');
    const inside = await broker.client('a', INSIDE);
    expect(broker.core.subscribe('a', [{ filter: 't' }, { filter: 'u' }])).toEqual([0, 0]);
    await inside.publish('t', 'x');
    expect((await inside.expectMessage('x')).topic).toBe('t');
    expect(broker.core.unsubscribe('a', ['mp/t', 'u', 'none'])).toEqual([0, 0, 17]);
  });

  test('a topic that becomes too long for any packet is refused', async () => {
    const broker = behind('mp/');
    const inside = await broker.client('a', INSIDE);
    inside.send({
      type: PacketType.PUBLISH,
      topic: 'x'.repeat(65_535),
      payload: new Uint8Array(0),
      qos: 0,
      retain: false,
      dup: false,
      packetId: 0,
      properties: {},
    });
    const { reasonCode } = (await inside.expect(PacketType.DISCONNECT)) as DisconnectPacket;
    expect(reasonCode).toBe(ReasonCode.TopicNameInvalid);
  });
});

describe('whether clients of a listener are asked who they are', () => {
  test('nobody is where that is off', async () => {
    const { core, client, dial } = startTestCore();
    core.hooks.on('client.authenticate', () => ({
      allow: false,
      reasonCode: ReasonCode.BadUserNameOrPassword,
    }));
    core.entrance(INSIDE.listener).authenticates = false;
    await client('a', INSIDE);
    expect((await dial('b').client.connect()).reasonCode).toBe(ReasonCode.BadUserNameOrPassword);
  });

  test('those without username are refused at once where that is wanted, and others are asked', async () => {
    const { core, client, dial } = startTestCore();
    const asked: (string | null)[] = [];
    core.hooks.on('client.authenticate', ({ username }) => {
      asked.push(username);
      return { allow: true };
    });
    core.entrance(INSIDE.listener).authenticates = 'quick_deny_anonymous';
    expect((await dial('a', INSIDE).client.connect()).reasonCode).toBe(ReasonCode.NotAuthorized);
    await client('a', { ...INSIDE, username: 'ada' });
    expect(asked).toEqual(['ada']);
  });
});
