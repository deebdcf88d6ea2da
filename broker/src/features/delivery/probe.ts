import type { DeliveryProbe, ProbeAnswer } from '@mqdeck/contract/delivery';
import type { HookTypes } from '../../core/hooks.ts';
import type { Message } from '../../core/message.ts';
import { mountedTopic } from '../../core/mountpoint.ts';
import { clientOf, type DeliveryParts } from './explain.ts';

type Event = ProbeAnswer['events'][number];
type Facts = Event['facts'];

const FIRST = 10_000; // before whoever changes the message …
const LAST = -10_000; // … and behind them
/** Nothing more is heard of a message for so long: it has come as far as it will. */
const QUIET_MS = 1000;

/**
 * Follows one message. Joins the hooks for as long as that takes, and leaves them whatever happens; a broker that follows
 * nothing pays nothing.
 */
export async function followMessage(
  { core, access }: DeliveryParts,
  probe: DeliveryProbe,
): Promise<ProbeAnswer> {
  const { publisher, subscriber, topic, qos, retain, payload, seconds } = probe;
  const events: Event[] = [];
  const note = (event: Event['event'], facts: Facts = {}) =>
    events.push({ event, at: core.clock.refresh(), facts });
  const client = clientOf(core, publisher);

  if (payload !== undefined) {
    const asked = await access({
      clientid: publisher,
      connected: client?.connected === true,
      action: 'publish',
      topic,
      qos,
      retain,
    });
    if (asked?.verdict === 'refused') {
      const source = asked.authorization?.steps.at(-1)?.source ?? asked.reason;
      note('denied', { source });
      return { outcome: 'denied', events };
    }
  }

  let followed: Message | null = null;
  let reaches = false; // the subscriber
  let over: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    over = resolve;
  });
  const isIt = (message: Message) => message === followed;
  let quiet: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(quiet);
    quiet = setTimeout(over, QUIET_MS);
  };
  const off: (() => void)[] = [];
  const on = <Name extends keyof HookTypes>(name: Name, run: HookTypes[Name], priority = 0) =>
    off.push(core.hooks.on(name, run, { priority, owner: 'delivery' }));
  const begin = (message: Message, event: 'received' | 'sent') => {
    followed = message;
    note(event, {
      topic: message.topic,
      qos: message.qos,
      retain: message.retain,
      bytes: message.payloadBytes,
    });
    wait();
  };

  if (payload === undefined)
    on('message.received', (message) => {
      if (followed === null && message.from === publisher && message.topic === topic)
        begin(message, 'received');
    });
  else
    on(
      'message.publish',
      (message) => {
        if (followed === null && message.from === publisher && message.payload === bytes)
          begin(message, 'sent');
        return undefined;
      },
      FIRST,
    );
  on(
    'message.publish',
    (message) => {
      if (isIt(message)) note('routed', { topic: message.topic });
      return undefined;
    },
    LAST,
  );
  on('client.denied', (who, action, denied) => {
    if (who.clientid !== publisher || action !== 'publish' || denied !== topic) return;
    note('denied');
    over();
  });
  on('message.stopped', (who, at, message, _code, reason) => {
    const ours = message === null ? who?.clientid === publisher && at === topic : isIt(message);
    if (!ours) return;
    note('stopped', { reason });
    over();
  });
  on('message.queued', (to, message) => {
    if (to.clientid !== subscriber || !isIt(message)) return;
    reaches = true;
    note('queued', { queued: to.facts().mqueue_len });
    wait();
  });
  on('message.delivered', (to, message, at) => {
    if (to.clientid !== subscriber || !isIt(message)) return;
    reaches = true;
    note('delivered', { qos: at });
    if (at === 0) over();
    else wait();
  });
  on('message.acked', (to, message) => {
    if (to.clientid !== subscriber || !isIt(message)) return;
    note('acked');
    over();
  });
  on('message.dropped', (to, message, reason) => {
    if (!isIt(message) || (to !== null && to.clientid !== subscriber)) return;
    note('dropped', { reason });
    over();
  });

  const bytes = Buffer.from(payload ?? '');
  const late = setTimeout(over, seconds * 1000);
  try {
    if (payload !== undefined) {
      const mountpoint = client?.who.mountpoint ?? null;
      const published = await core.publish({
        topic: mountpoint === null ? topic : mountedTopic(mountpoint, topic),
        payload: bytes,
        qos,
        retain,
        clientid: publisher,
        username: client?.username ?? null,
      });
      note('routed', { receivers: published.receivers });
    }
    await end;
  } finally {
    clearTimeout(late);
    clearTimeout(quiet);
    for (const leave of off) leave();
  }
  return {
    outcome: outcomeOf(events, reaches),
    ...(followed !== null && { message_id: (followed as Message).id }),
    events,
  };
}

function outcomeOf(events: readonly Event[], reaches: boolean): ProbeAnswer['outcome'] {
  const happened = (event: Event['event']) => events.some((one) => one.event === event);
  for (const event of ['acked', 'delivered', 'dropped', 'queued', 'stopped', 'denied'] as const)
    if (happened(event)) return event;
  return happened('received') || happened('sent') ? (reaches ? 'queued' : 'not_routed') : 'not_seen';
}
