import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Clock, TICK_MS, TimerWheel } from '../../../core/timer-wheel.ts';
import type { Link } from '../protocol.ts';
import { blockOf, blockOption } from './block.ts';
import { Budget } from './budget.ts';
import { resourceOf } from './downloads.ts';
import {
  type CoapMessage,
  Code,
  decode,
  emptyMessage,
  encode,
  NO_BYTES,
  textOption,
  uintOf,
  uintOption,
} from './message.ts';
import { CoapPeer, type CoapRequest, type CoapResponse, type Notification, pathOptions } from './peer.ts';
import { NoAnswer } from './questions.ts';

const BODY_MAX = 10_000;
const BUDGET = 100_000;

/** A peer whose datagrams the test writes and reads, and a clock that stands still until told. */
function scene(
  onRequest: (request: CoapRequest) => CoapResponse | Promise<CoapResponse> = () => ({ code: Code.Changed }),
  refusal: CoapResponse | null = null,
) {
  let now = 1_000_000;
  const clock = new Clock(() => now);
  const timers = new TimerWheel(clock, (cause) => {
    throw cause;
  });
  const budget = new Budget(BUDGET);
  const sent: CoapMessage[] = [];
  const requests: CoapRequest[] = [];
  const events = { lost: 0, sentBytes: 0 };
  const link: Link = {
    transport: 'udp',
    listener: 'coap:udp:default',
    address: '127.0.0.1',
    port: 40_000,
    certCommonName: null,
    certSubject: null,
    bufferedBytes: 0,
    send: (bytes) => {
      const message = decode(Buffer.from(bytes));
      if ('malformed' in message) throw new Error(message.malformed);
      sent.push(message);
    },
    end: () => undefined,
    destroy: () => undefined,
  };
  const peer = new CoapPeer(
    link,
    {
      onRequest: (request) => {
        requests.push(request);
        return onRequest(request);
      },
      onUpload: () => refusal,
      onLost: () => {
        events.lost++;
      },
      onSent: (bytes) => {
        events.sentBytes += bytes;
      },
    },
    { timers, clock, budget, bodyBytesMax: BODY_MAX, uploadBytesMax: BODY_MAX },
  );
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    peer,
    sent,
    requests,
    events,
    budget,
    settle,
    /** A message of the device, and what it was answered. */
    async say(given: Partial<CoapMessage>): Promise<CoapMessage[]> {
      const before = sent.length;
      peer.receive(encode({ ...emptyMessage('CON', 1), code: Code.Get, ...given }));
      await settle();
      return sent.slice(before);
    },
    pass(ms: number) {
      for (const until = now + ms; now < until; ) {
        now = Math.min(now + TICK_MS, until);
        clock.refresh();
        timers.turn();
      }
    },
    /** Nothing waits any more: all that was taken is given back. */
    isAllGivenBack: () => budget.take(BUDGET),
  };
}

const token = Buffer.from('abcd', 'hex');
const path = pathOptions('ps/a');

const notification = (given: Partial<Notification> = {}): Notification => ({
  token,
  confirmable: true,
  payload: Buffer.from('x'),
  resource: resourceOf({ options: path }),
  szx: 6,
  wanted: () => true,
  onSent: () => undefined,
  onAcked: () => undefined,
  onFailed: () => undefined,
  ...given,
});

test('a confirmable request is answered together with its acknowledgement', async () => {
  const { say, events } = scene();
  const [answer] = await say({ messageId: 7, token, options: path });
  expect(answer).toMatchObject({ type: 'ACK', code: '2.04', messageId: 7, token });
  expect(events.sentBytes).toBe(encode(answer!).length);
});

test('a request that is not confirmable is answered by one that is not', async () => {
  const { say } = scene();
  const [answer] = await say({ type: 'NON', token, options: path });
  expect(answer).toMatchObject({ type: 'NON', code: '2.04', token });
});

test('what comes twice is done once and answered alike', async () => {
  const { say, requests, pass } = scene();
  const first = await say({ messageId: 7, token, code: Code.Post });
  const again = await say({ messageId: 7, token, code: Code.Post });
  expect(again).toEqual(first);
  expect(requests).toHaveLength(1);

  await say({ type: 'NON', messageId: 8, token, code: Code.Post });
  expect(await say({ type: 'NON', messageId: 8, token, code: Code.Post })).toEqual([]);
  expect(requests).toHaveLength(2);

  pass(250_000); // EXCHANGE_LIFETIME: the number may be another message's now
  await say({ messageId: 7, token, code: Code.Post });
  expect(requests).toHaveLength(3);
});

test('an answer that takes its time comes on its own, until it is acknowledged', async () => {
  let answer: (response: CoapResponse) => void = () => undefined;
  const { say, sent, settle, pass } = scene(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  expect(await say({ messageId: 7, token })).toEqual([]);
  pass(1200);
  expect(sent).toEqual([emptyMessage('ACK', 7)]);
  expect(await say({ messageId: 7, token })).toEqual([emptyMessage('ACK', 7)]);
  answer({ code: Code.Content, payload: Buffer.from('late') });
  await settle();
  const separate = sent.at(-1)!;
  expect(separate).toMatchObject({ type: 'CON', code: '2.05', token, payload: Buffer.from('late') });
  pass(3100);
  expect(sent.at(-1)).toEqual(separate); // again
  const count = sent.length;
  await say(emptyMessage('ACK', separate.messageId));
  pass(100_000);
  expect(sent).toHaveLength(count);
});

test('what is not acknowledged is sent five times with growing pauses, then the peer is lost', () => {
  const { peer, sent, events, pass } = scene();
  const failed: string[] = [];
  peer.notify(notification({ onFailed: (why) => failed.push(why) }));
  const times = [sent.length];
  for (const seconds of [3.1, 6.1, 12.1, 24.1]) {
    pass(seconds * 1000);
    times.push(sent.length);
  }
  expect(times).toEqual([1, 2, 3, 4, 5]);
  expect(events.lost).toBe(0);
  pass(48_100);
  expect(sent).toHaveLength(5);
  expect(events.lost).toBe(1);
  expect(failed).toEqual(['lost']);
});

test('one confirmable message at a time is on its way, in order', async () => {
  const { peer, sent, say } = scene();
  const told: string[] = [];
  for (const text of ['1', '2', '3'])
    peer.notify(
      notification({ payload: Buffer.from(text), confirmable: text !== '2', onAcked: () => told.push(text) }),
    );
  expect(sent.map(({ payload }) => String(payload))).toEqual(['1']);
  await say(emptyMessage('ACK', sent[0]!.messageId));
  expect(sent.map(({ payload, type }) => `${type} ${payload}`)).toEqual(['CON 1', 'NON 2', 'CON 3']);
  const numbers = sent.map((one) => uintOf(one, 'Observe')!);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(new Set(numbers).size).toBe(3);
  await say(emptyMessage('ACK', sent[2]!.messageId));
  expect(told).toEqual(['1', '3']);
});

test('who refuses a notification is told no more, confirmable or not', async () => {
  const { peer, sent, say } = scene();
  const failed: string[] = [];
  peer.notify(notification({ confirmable: false, onFailed: (why) => failed.push(`non ${why}`) }));
  await say(emptyMessage('RST', sent[0]!.messageId));
  peer.notify(notification({ onFailed: (why) => failed.push(`con ${why}`) }));
  await say(emptyMessage('RST', sent[1]!.messageId));
  expect(failed).toEqual(['non reset', 'con reset']);
});

test('somebody who never says anything is asked whether he is there', () => {
  const { peer, sent } = scene();
  for (let i = 0; i < 40; i++) peer.notify(notification({ confirmable: false }));
  expect(sent.slice(0, 32).every(({ type }) => type === 'NON')).toBe(true);
  expect(sent.slice(32).map(({ type }) => type)).toEqual(['CON']);
});

test('what waits for a peer is bounded, and counted back when it goes', () => {
  const { peer, isAllGivenBack } = scene();
  let taken = 0;
  while (peer.notify(notification({ payload: Buffer.alloc(900) })) && taken < 10_000) taken++;
  expect(taken).toBeGreaterThan(50);
  expect(taken).toBeLessThan(BUDGET / 900 + 2);
  peer.close();
  expect(isAllGivenBack()).toBe(true);
});

test('a body in blocks is put together, and handed on once', async () => {
  const { say, requests } = scene();
  const body = Buffer.from(`${'0123456789abcdef'.repeat(3)}end`);
  for (let num = 0; num < 4; num++) {
    const more = num < 3;
    const [answer] = await say({
      code: Code.Put,
      messageId: 100 + num,
      token: Buffer.from([num]),
      options: [...path, blockOption('Block1', { num, more, szx: 0 })],
      payload: body.subarray(num * 16, num * 16 + 16),
    });
    expect(answer?.code).toBe(more ? Code.Continue : Code.Changed);
    expect(blockOf(answer!, 'Block1')).toEqual({ num, more, szx: 0 });
  }
  expect(requests.map(({ payload }) => String(payload))).toEqual([String(body)]);
});

test('a block too early, too many, or of the wrong size is refused, and nothing of it kept', async () => {
  const { say, peer, requests, isAllGivenBack } = scene();
  let messageId = 0;
  const put = async (num: number, more: boolean, payload: Buffer, options = path) => {
    const block = blockOption('Block1', { num, more, szx: 6 });
    const [answer] = await say({
      code: Code.Put,
      messageId: ++messageId,
      options: [...options, block],
      payload,
    });
    return answer!;
  };
  const full = Buffer.alloc(1024);
  expect((await put(1, true, full)).code).toBe('4.08');
  expect((await put(0, true, full)).code).toBe('2.31');
  expect((await put(2, true, full)).code).toBe('4.08');
  expect((await put(1, false, full)).code).toBe('4.08'); // begun anew, it would have been
  expect((await put(0, true, full.subarray(1))).code).toBe('4.00');
  for (let num = 0; num < 9; num++) expect((await put(num, true, full)).code).toBe('2.31');
  const tooLarge = await put(9, true, full);
  expect(tooLarge.code).toBe('4.13');
  expect(uintOf(tooLarge, 'Size1')).toBe(BODY_MAX);
  expect((await put(0, true, full, [...path, uintOption('Size1', BODY_MAX + 1)])).code).toBe('4.13');
  for (let i = 0; i < 20; i++) await put(0, true, full, pathOptions(`ps/${i}`)); // begun, never ended
  expect(requests).toEqual([]);
  peer.close();
  expect(isAllGivenBack()).toBe(true);
});

test('who may not send a body hears so with its first block', async () => {
  const { say, requests, budget } = scene(undefined, { code: Code.Unauthorized });
  const block = (num: number) => [...path, blockOption('Block1', { num, more: true, szx: 0 })];
  const payload = Buffer.alloc(16);
  expect((await say({ code: Code.Put, messageId: 1, options: block(0), payload }))[0]?.code).toBe('4.01');
  expect((await say({ code: Code.Put, messageId: 2, options: block(1), payload }))[0]?.code).toBe('4.08');
  expect(requests).toEqual([]);
  expect(budget.take(BUDGET - 100)).toBe(true); // but for the answers
});

test('a large answer goes in blocks of the size that is asked for', async () => {
  const body = Buffer.alloc(3000, 'b');
  const { say, peer, requests, isAllGivenBack } = scene(() => ({ code: Code.Content, payload: body }));
  const [first] = await say({
    messageId: 1,
    token,
    options: [...path, blockOption('Block2', { num: 0, more: false, szx: 5 })],
  });
  expect(uintOf(first!, 'Size2')).toBe(3000);
  expect(blockOf(first!, 'Block2')).toEqual({ num: 0, more: true, szx: 5 });
  const parts = [first!.payload];
  for (let num = 1; num < 6; num++) {
    const [next] = await say({
      messageId: 1 + num,
      options: [...path, blockOption('Block2', { num, more: false, szx: 5 })],
    });
    expect(blockOf(next!, 'Block2')).toEqual({ num, more: num < 5, szx: 5 });
    parts.push(next!.payload);
  }
  expect(Buffer.concat(parts)).toEqual(body);
  expect(requests).toHaveLength(1);
  const [none] = await say({
    messageId: 9,
    options: [...path, blockOption('Block2', { num: 6, more: false, szx: 5 })],
  });
  expect(none?.code).toBe('4.08');
  peer.close();
  expect(isAllGivenBack()).toBe(true);
});

test('what follows a large notification waits until that is fetched, or until nobody asks for more', async () => {
  const { peer, sent, say, pass } = scene();
  peer.notify(notification({ confirmable: false, payload: Buffer.alloc(2000, 'l') }));
  peer.notify(notification({ confirmable: false, payload: Buffer.from('next') }));
  expect(sent).toHaveLength(1);
  await say({ messageId: 1, options: [...path, blockOption('Block2', { num: 1, more: false, szx: 6 })] });
  expect(sent.map(({ payload }) => payload.length)).toEqual([1024, 976, 4]);

  peer.notify(notification({ confirmable: false, payload: Buffer.alloc(2000, 'm') }));
  peer.notify(notification({ confirmable: false, payload: Buffer.from('after') }));
  expect(sent).toHaveLength(4);
  pass(10_200);
  expect(String(sent.at(-1)!.payload)).toBe('after');
});

test('an option that must be understood and is not is refused by name', async () => {
  const { say, requests } = scene();
  const strange = { name: '65001', value: NO_BYTES };
  expect((await say({ messageId: 1, options: [strange] }))[0]).toMatchObject({ type: 'ACK', code: '4.02' });
  expect((await say({ messageId: 2, type: 'NON', options: [strange] }))[0]?.type).toBe('RST');
  expect((await say({ messageId: 3, options: [textOption('Proxy-Uri', 'coap://x')] }))[0]?.code).toBe('5.05');
  expect(requests).toEqual([]);
});

test('noise is answered as the specification says: confirmable by a reset, else not at all', () => {
  const { peer, sent, requests } = scene();
  for (const hex of ['', '00', 'ffffffff', '80010001', '50010001ff', '49010001'])
    peer.receive(Buffer.from(hex, 'hex'));
  expect(sent).toEqual([emptyMessage('RST', 1)]);
  peer.receive(encode(emptyMessage('CON', 77))); // a ping
  expect(sent.at(-1)).toEqual(emptyMessage('RST', 77));
  peer.receive(encode(emptyMessage('ACK', 5)));
  peer.receive(encode(emptyMessage('RST', 6)));
  peer.receive(encode({ ...emptyMessage('CON', 78), code: Code.Content, token }));
  expect(sent.at(-1)).toEqual(emptyMessage('RST', 78)); // an answer that nobody waits for
  expect(requests).toEqual([]);
});

test('a request that fails here is answered by 5.00, and tells nothing', async () => {
  const { say } = scene(() => {
    throw new Error('secret');
  });
  const [answer] = await say({ messageId: 1 });
  expect(answer?.code).toBe('5.00');
  expect(String(answer?.payload)).not.toContain('secret');
});

test('more requests at once than the protocol allows are refused', async () => {
  const { say, requests } = scene(() => new Promise(() => undefined));
  for (let messageId = 0; messageId < 16; messageId++) await say({ messageId, code: Code.Post });
  const [refused] = await say({ messageId: 99, code: Code.Post });
  expect(refused?.code).toBe('5.03');
  expect(requests).toHaveLength(16);
});

test('whatever well-formed messages come, in whatever order, are answered by well-formed ones', async () => {
  const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((list) => Buffer.from(list));
  const option = fc.record({
    name: fc.constantFrom(
      'Uri-Path',
      'Uri-Query',
      'Observe',
      'Block1',
      'Block2',
      'Size1',
      'ETag',
      'Accept',
      '65000',
      '65001',
    ),
    value: bytes(5),
  });
  const message: fc.Arbitrary<CoapMessage> = fc.record({
    type: fc.constantFrom('CON', 'NON', 'ACK', 'RST'),
    code: fc.constantFrom('0.01', '0.02', '0.03', '0.04', '0.05', '2.05', '2.31', '4.08'),
    messageId: fc.nat(20),
    token: bytes(2),
    options: fc.array(option, { maxLength: 4 }),
    payload: bytes(40),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 30 }), async (messages) => {
      const { peer, settle, pass, isAllGivenBack } = scene(({ payload }) => ({
        code: Code.Content,
        payload,
      }));
      const asking = peer.questions.ask(question, 1000).catch((cause: unknown) => cause);
      for (const one of messages) peer.receive(encode(one)); // a message that is none of CoAP fails in `send`
      await settle();
      pass(2000);
      await asking;
      peer.close();
      await settle();
      expect(isAllGivenBack()).toBe(true);
    }),
  );
});

// --- we ask

const question = { code: Code.Get, options: pathOptions('3/0/1'), payload: NO_BYTES };

test('a question is answered with its acknowledgement, or on its own', async () => {
  const { peer, sent, say } = scene();
  const first = peer.questions.ask(question, 5000);
  const asked = sent[0]!;
  expect(asked).toMatchObject({ type: 'CON', code: '0.01', options: question.options });
  await say({
    type: 'ACK',
    code: Code.Content,
    messageId: asked.messageId,
    token: asked.token,
    payload: Buffer.from('1'),
  });
  expect(String((await first).payload)).toBe('1');

  const second = peer.questions.ask(question, 60_000);
  const again = sent[1]!;
  expect(again.token).not.toEqual(asked.token);
  await say(emptyMessage('ACK', again.messageId));
  const [acknowledged] = await say({
    code: Code.Content,
    messageId: 900,
    token: again.token,
    payload: Buffer.from('2'),
  });
  expect(acknowledged).toEqual(emptyMessage('ACK', 900));
  expect(String((await second).payload)).toBe('2');
  expect(await say({ code: Code.Content, messageId: 900, token: again.token })).toEqual([
    emptyMessage('ACK', 900),
  ]);
});

test('a question without an answer ends: in time, by a reset, by silence, with the peer', async () => {
  const { peer, sent, say, pass } = scene();
  const why = (asking: Promise<unknown>) =>
    asking.then(
      () => 'answered',
      (cause: unknown) => (cause instanceof NoAnswer ? cause.why : cause),
    );
  const late = why(peer.questions.ask(question, 1000));
  pass(1200);
  expect(await late).toBe('timeout');
  await say(emptyMessage('ACK', sent[0]!.messageId));
  const refused = why(peer.questions.ask(question, 90_000));
  await say(emptyMessage('RST', sent.at(-1)!.messageId));
  expect(await refused).toBe('reset');
  const unheard = why(peer.questions.ask(question, 200_000));
  pass(100_000);
  expect(await unheard).toBe('lost');
  const open = why(peer.questions.ask(question, 90_000));
  peer.close();
  expect(await open).toBe('closed');
  expect(await why(peer.questions.ask(question, 90_000))).toBe('closed');
});

test('a large question and a large answer go in blocks', async () => {
  const { peer, sent, say } = scene();
  const payload = Buffer.alloc(2500, 'q');
  const asking = peer.questions.ask({ code: Code.Put, options: pathOptions('5/0/0'), payload }, 60_000);
  const received: Buffer[] = [];
  for (let num = 0; num < 3; num++) {
    const { messageId, token: asked, payload: part, ...rest } = sent.at(-1)!;
    expect(blockOf({ ...rest, messageId, token: asked, payload: part }, 'Block1')).toEqual({
      num,
      more: num < 2,
      szx: 6,
    });
    received.push(part);
    const block = blockOption('Block1', { num, more: num < 2, szx: 6 });
    await say({
      type: 'ACK',
      code: num < 2 ? Code.Continue : Code.Changed,
      messageId,
      token: asked,
      options: [block],
    });
  }
  expect((await asking).code).toBe('2.04');
  expect(Buffer.concat(received)).toEqual(payload);

  const reading = peer.questions.ask(question, 60_000);
  const body = Buffer.alloc(40, 'a');
  for (let num = 0; num < 3; num++) {
    const { messageId, token: asked } = sent.at(-1)!;
    if (num > 0) expect(blockOf(sent.at(-1)!, 'Block2')).toEqual({ num, more: false, szx: 0 });
    const options = [blockOption('Block2', { num, more: num < 2, szx: 0 })];
    const part = body.subarray(num * 16, num * 16 + 16);
    await say({ type: 'ACK', code: Code.Content, messageId, token: asked, options, payload: part });
  }
  expect((await reading).payload).toEqual(body);
});

test('what is observed is heard in its order, and no more once it is forgotten', async () => {
  const { peer, sent, say } = scene();
  const heard: string[] = [];
  const observing = peer.questions.observe(question, 5000, ({ payload }) => heard.push(String(payload)));
  const asked = sent[0]!;
  expect(uintOf(asked, 'Observe')).toBe(0);
  await say({
    type: 'ACK',
    code: Code.Content,
    messageId: asked.messageId,
    token: asked.token,
    options: [uintOption('Observe', 5)],
    payload: Buffer.from('now'),
  });
  const { goesOn, answer, token: watched } = await observing;
  expect(goesOn).toBe(true);
  expect(String(answer.payload)).toBe('now');
  const tell = (messageId: number, sequence: number, text: string) =>
    say({
      code: Code.Content,
      messageId,
      token: watched,
      options: [uintOption('Observe', sequence)],
      payload: Buffer.from(text),
    });
  expect(await tell(1, 6, 'a')).toEqual([emptyMessage('ACK', 1)]);
  await tell(2, 8, 'c');
  await tell(3, 7, 'b'); // overtaken
  expect(heard).toEqual(['a', 'c']);
  const ending = peer.questions.unobserve(question, watched, 5000);
  const last = sent.at(-1)!;
  expect(uintOf(last, 'Observe')).toBe(1);
  expect(last.token).toEqual(watched);
  await say({ type: 'ACK', code: Code.Content, messageId: last.messageId, token: watched });
  await ending;
  expect(await tell(4, 9, 'd')).toEqual([emptyMessage('RST', 4)]);
  expect(heard).toEqual(['a', 'c']);
});

test('a device that does not let itself be observed has answered, and that is all', async () => {
  const { peer, sent, say } = scene();
  const observing = peer.questions.observe(question, 5000, () => undefined);
  const { messageId, token: asked } = sent[0]!;
  await say({ type: 'ACK', code: Code.Content, messageId, token: asked, payload: Buffer.from('once') });
  expect(await observing).toMatchObject({ goesOn: false });
});
