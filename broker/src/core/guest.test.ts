import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogBook } from '../testing/log-book.ts';
import { startTestCore, type TestCore } from '../testing/start-test-core.ts';
import type { Guest, GuestDelivery, GuestIntroduction, GuestPeer } from './guest.ts';
import type { GuestBook } from './guest-book.ts';

let fixture: TestCore;
let book: GuestBook;
const LISTENER = 'test:tcp:default';

beforeEach(() => {
  fixture = startTestCore();
  book = fixture.core.openGuestBook('test');
});
afterEach(async () => {
  book.close();
  await fixture.close();
});

interface Peer extends GuestPeer {
  closed: boolean;
  bufferedBytes: number;
  held: boolean;
}
function peerAt(port = 1): Peer {
  const peer = {
    listener: LISTENER,
    address: '192.0.2.7',
    port,
    certCommonName: null,
    certSubject: null,
    bufferedBytes: 0,
    closed: false,
    held: false,
    pause: () => {
      peer.held = true;
    },
    resume: () => {
      peer.held = false;
    },
  };
  return peer;
}

async function come(clientid: string, more: Partial<GuestIntroduction> = {}, peer = peerAt()) {
  const got: GuestDelivery[] = [];
  const gone: string[] = [];
  const answer = await book.connect(peer, {
    clientid,
    username: null,
    password: null,
    keepalive: 0,
    protocolName: 'TEST',
    protocolVersion: '1',
    receive: (delivery) => void got.push(delivery),
    onGone: (why) => void gone.push(why),
    ...more,
  });
  return { answer, guest: answer as Guest, got, gone, peer };
}
const textsOf = (got: GuestDelivery[]) => got.map(({ topic, payload }) => `${topic} ${Buffer.from(payload)}`);
const text = (topic: string, payload: string, qos: 0 | 1 | 2 = 0, retain = false) => ({
  topic,
  payload: Buffer.from(payload),
  qos,
  retain,
});

describe('a guest', () => {
  test('hears and is heard, in the turn a message is published in, and is in no list of MQTT', async () => {
    const { guest, got } = await come('lamp');
    const screen = await fixture.client('screen');
    await screen.subscribe('up/#', { qos: 1 });
    expect(await guest.subscribe('down/+', { qos: 1 })).toBe(1);
    fixture.core.publish({ topic: 'down/1', payload: 'on', qos: 2 });
    expect(textsOf(got)).toEqual(['down/1 on']);
    expect(got[0]).toMatchObject({ qos: 1, retain: false, filter: 'down/+' });
    expect(await guest.publish(text('up/1', 'hi', 1))).toBe(ReasonCode.Success);
    await screen.expectMessage('hi');
    expect(fixture.core.registry.find('lamp')).toBeUndefined();
    expect([...fixture.core.guests()]).toEqual([guest]);
    expect(fixture.core.findGuest('lamp')).toBe(guest);
    expect(fixture.core.findGuest('screen')).toBeUndefined();
    expect(guest.unsubscribe('down/+')).toBe(true);
    expect(guest.unsubscribe('down/+')).toBe(false);
    fixture.core.publish({ topic: 'down/1', payload: 'off' });
    expect(got).toHaveLength(1);
  });

  test('does not hear itself when it says so, also where an MQTT client has its name', async () => {
    const { guest, got } = await come('lamp');
    await guest.subscribe('t', { noLocal: true });
    await guest.publish(text('t', 'own'));
    const twin = await fixture.client('lamp');
    await twin.publish('t', 'other', { qos: 1 });
    expect(textsOf(got)).toEqual(['t other']);
  });

  test('shares with clients of MQTT', async () => {
    const { guest, got } = await come('lamp');
    const screen = await fixture.client('screen');
    await guest.subscribe('$share/g/work');
    await screen.subscribe('$share/g/work');
    for (const payload of ['1', '2', '3', '4'])
      fixture.core.publish({ topic: 'work', payload, clientid: 'p' });
    expect(got).toHaveLength(2);
    await screen.expectMessages(2);
    guest.leave('normal', false);
    for (const payload of ['5', '6']) fixture.core.publish({ topic: 'work', payload });
    expect(await screen.expectMessages(2)).toEqual(['5', '6']);
  });

  test('lives behind its mountpoint, which is filled with what it says', async () => {
    fixture.core.entrance(LISTENER).mountpoint = 'site/${endpoint_name}/';
    const { guest, got } = await come('lamp', { extra: { endpoint_name: 'e7', lifetime: 60 } });
    const screen = await fixture.client('screen');
    await screen.subscribe('site/#');
    await guest.subscribe('#');
    await guest.publish(text('up', 'x'));
    expect((await screen.expectMessage('x')).topic).toBe('site/e7/up');
    fixture.core.publish({ topic: 'elsewhere', payload: 'y' });
    expect(textsOf(got)).toEqual(['up x']);
    const { answer } = await come('liar', { extra: { endpoint_name: '+' } });
    expect(answer).toMatchObject({ refused: ReasonCode.BadUserNameOrPassword });
  });

  test('publishes its will when it is sent away, not when it says good-bye; it may not if it may not publish', async () => {
    const screen = await fixture.client('screen');
    await screen.subscribe('wills/#');
    const will = text('wills/a', 'a is gone');
    const { guest, gone } = await come('a', { will });
    guest.close();
    await screen.expectMessage('a is gone');
    expect(gone).toEqual(['kicked']);
    (await come('b', { will: text('wills/b', 'b') })).guest.leave('normal', false);
    fixture.core.hooks.on('client.authorize', () => 'deny');
    (await come('c', { will: text('wills/c', 'c') })).guest.leave('lost', true);
    await screen.expectNothing();
  });

  test('is there once under its name: who comes again over the same way is not told to go', async () => {
    const first = await come('lamp');
    const second = await come('lamp', {}, peerAt(2));
    expect(first.gone).toEqual(['takenover']);
    expect(first.guest.connected).toBe(false);
    const third = await come('lamp', {}, second.peer);
    expect(second.gone).toEqual([]);
    expect(second.guest.connected).toBe(false);
    expect(book.guests.get('lamp')).toBe(third.guest);
    // Both requests are the same one, repeated while it is being decided
    const peer = peerAt(3);
    const [one, two] = await Promise.all([come('new', {}, peer), come('new', {}, peer)]);
    expect(one.guest).toBe(two.guest);
  });

  test('that did not wait for the decision is not let in', async () => {
    let decide = (_: { allow: true }): void => undefined;
    fixture.core.hooks.on('client.authenticate', () => new Promise((resolve) => (decide = resolve)));
    const peer = peerAt();
    const coming = come('lamp', {}, peer);
    await new Promise((resolve) => setImmediate(resolve));
    peer.closed = true;
    decide({ allow: true });
    expect((await coming).answer).toMatchObject({ why: 'the connection has ended' });
    expect(book.guests.size).toBe(0);
  });

  test('goes when its authentication ends, and when its gateway does', async () => {
    const { core } = fixture;
    const off = core.hooks.on('client.authenticate', (who) => {
      who.authExpiresAt = core.clock.now + 10_000;
      return { allow: true };
    });
    const { gone } = await come('lamp');
    fixture.pass(9000);
    expect(gone).toEqual([]);
    fixture.pass(2000);
    expect(gone).toEqual(['expired']);
    off();
    const other = await come('other');
    book.close();
    expect(other.gone).toEqual(['stopped']);
    expect((await come('late')).answer).toMatchObject({ refused: ReasonCode.UnspecifiedError });
  });

  test('is refused by whoever refuses clients; nothing is open because somebody failed', async () => {
    const { core } = fixture;
    const heard: unknown[] = [];
    core.hooks.on('client.connack', (who, code) => heard.push([who.clientid, code]));
    const off = core.hooks.on('client.authenticate', () => ({
      allow: false,
      reasonCode: ReasonCode.NotAuthorized,
      why: 'x',
    }));
    expect((await come('a')).answer).toEqual({ refused: ReasonCode.NotAuthorized, why: 'x' });
    off();
    core.hooks.on('client.connect', () => {
      throw new Error('broken');
    });
    expect((await come('b')).answer).toMatchObject({ refused: ReasonCode.UnspecifiedError });
    expect((await come('c\0')).answer).toMatchObject({ refused: ReasonCode.ClientIdentifierNotValid });
    expect(heard).toEqual([
      ['a', ReasonCode.NotAuthorized],
      ['b', ReasonCode.UnspecifiedError],
      ['c\0', ReasonCode.ClientIdentifierNotValid],
    ]);
  });

  test('that is refused is told of in the log; many at once are one line', async () => {
    const log = new LogBook();
    await fixture.close();
    fixture = startTestCore({ log });
    book = fixture.core.openGuestBook('test');
    fixture.core.hooks.on('client.authenticate', () => ({
      allow: false,
      reasonCode: ReasonCode.BadUserNameOrPassword,
      why: 'no such user',
    }));
    for (const clientid of ['a', 'b', 'c']) await come(clientid, { username: 'u' });
    fixture.pass(2000);
    await come('d');
    const told = log.lines.filter(({ level }) => level === 'info').map(({ facts }) => facts);
    expect(told).toMatchObject([
      {
        clientid: 'a',
        username: 'u',
        address: '192.0.2.7',
        listener: LISTENER,
        reason: 'BadUserNameOrPassword',
        why: 'no such user',
        others: 0,
      },
      { clientid: 'd', username: null, others: 2 },
    ]);
  });

  test.each([
    ['a topic with a wildcard', text('a/#', 'x'), ReasonCode.TopicNameInvalid],
    ['a topic that is empty', text('', 'x'), ReasonCode.TopicNameInvalid],
    ['a payload beyond the limit', text('a', 'x'.repeat(2000)), ReasonCode.PacketTooLarge],
    ['more QoS than there is', text('a', 'x', 2), ReasonCode.QoSNotSupported],
    ['a retained message where there are none', text('a', 'x', 0, true), ReasonCode.RetainNotSupported],
  ])('does not publish %s', async (_, message, reasonCode) => {
    Object.assign(fixture.core.settings, { maxPacketBytes: 1000, maxQosAllowed: 1, retainAvailable: false });
    const { guest } = await come('lamp');
    expect(await guest.publish(message)).toBe(reasonCode);
    expect(await guest.publish(text('a', 'x', 1))).toBe(ReasonCode.Success);
  });

  test('is asked about in order, and its way in is held while many wait', async () => {
    const { core } = fixture;
    const waiting: (() => void)[] = [];
    core.hooks.on('client.authorize', () => new Promise((resolve) => waiting.push(() => resolve('allow'))));
    const screen = await fixture.client('screen');
    const subscribed = screen.subscribe('t');
    await expect.poll(() => waiting.length).toBe(1);
    waiting.shift()!();
    await subscribed;
    const { guest, peer } = await come('lamp');
    const all = Array.from({ length: 100 }, (_, i) => guest.publish(text('t', String(i))));
    expect(peer.held).toBe(true);
    for (let i = 0; i < 100; i++) {
      await expect.poll(() => waiting.length, { interval: 1 }).toBe(1);
      waiting.shift()!();
    }
    await Promise.all(all);
    expect(peer.held).toBe(false);
    expect(await screen.expectMessages(100)).toEqual(Array.from({ length: 100 }, (_, i) => String(i)));
  });

  test('whose protocol throws loses that message only; the publisher and the others do not notice', async () => {
    const broken = await come('broken', {
      receive: () => {
        throw new Error('inside');
      },
    });
    const { got, guest } = await come('lamp');
    await broken.guest.subscribe('t');
    await guest.subscribe('t');
    const screen = await fixture.client('screen');
    expect(await screen.publish('t', 'x', { qos: 1 })).toBe(0);
    expect(textsOf(got)).toEqual(['t x']);
    expect(broken.guest.connected).toBe(true);
    expect(broken.guest.facts()['send_msg.dropped']).toBe(1);
  });

  test('waits for the network with what nobody hurries to send', async () => {
    const { guest, peer } = await come('lamp');
    peer.bufferedBytes = 10 * 1024 * 1024;
    let ready = 0;
    guest.onceReady(() => ready++);
    expect(guest.ready).toBe(false);
    peer.bufferedBytes = 0;
    guest.drained();
    expect(ready).toBe(1);
  });
});
