import type { PluginClient, PluginMessage, PluginMessageProperties } from '@mqdeck/contract/plugin-api';
import type { PluginHook } from '@mqdeck/contract/plugins';
import { PacketType } from '@mqdeck/mqtt/packets';
import { decodeProperties, encodeProperties } from '@mqdeck/mqtt/properties';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { filterMatches } from '@mqdeck/mqtt/topics';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import type { ClientInfo, PublishResult } from '../../core/hooks.ts';
import type { Message, MessageChange } from '../../core/message.ts';
import {
  type PublishAnswer,
  readAuthenticate,
  readAuthorize,
  readConnect,
  readPublish,
  readSubscribe,
} from './answers.ts';
import type { HookName, Trail } from './protocol.ts';

/** After what takes a message away or gives it another topic, before the rules; of who may enter, before the authenticators. */
const PRIORITY = 60;
const OPTIONS = { priority: PRIORITY, owner: 'plugins' };
const NOBODY: Trail = [];

/** A plugin as the hooks see it. */
export interface Joined {
  readonly id: string;
  /** What stands in the trail of a message that it had a part in. */
  readonly mark: string;
  readonly hooks: readonly PluginHook[];
  /** Rejects when there is no answer; `read` throws when it cannot be used, which is none either. */
  ask<T>(hook: HookName, told: readonly unknown[], trail: Trail, read: (answer: unknown) => T): Promise<T>;
  tell(hook: HookName, told: readonly unknown[], trail: Trail): void;
}

/** One hook of one plugin. */
interface Place {
  readonly plugin: Joined;
  readonly topics: readonly string[];
  readonly denies: boolean;
}

const ALL_TOPICS = ['#'];

/** Lets the plugins join the hooks that they name, in their order. The answer ends it. */
export function joinHooks(core: Core, plugins: readonly Joined[]): () => void {
  const { hooks } = core;
  const placesAt = (name: HookName, observing = false): Place[] =>
    plugins.flatMap((plugin) =>
      plugin.hooks
        .filter((hook) => hook.name === name && (hook.observe === true) === observing)
        .map(({ topics = ALL_TOPICS, failed_action }) => ({
          plugin,
          topics,
          denies: failed_action === 'deny',
        })),
    );
  const off: (() => void)[] = [];
  /** Joins nothing where nobody listens. */
  const at = (name: HookName, join: (places: readonly Place[]) => () => void) => {
    const places = placesAt(name);
    if (places.length > 0) off.push(join(places));
  };

  at('client.connect', (places) => hooks.on('client.connect', (who) => connect(places, who), OPTIONS));
  at('client.authenticate', (places) =>
    hooks.on(
      'client.authenticate',
      async (who, { password }) => {
        const told = [presentWho(who), password && new Uint8Array(password)];
        for (const place of places) {
          const answer = await asked(place, 'client.authenticate', told, NOBODY, readAuthenticate);
          if (answer === FAILED)
            return { allow: false, reasonCode: ReasonCode.ServerUnavailable, why: noAnswer(place) };
          if (answer?.allow === false)
            return { allow: false, reasonCode: ReasonCode.NotAuthorized, why: answer.why ?? said(place) };
          if (answer) {
            if (answer.superuser) who.isSuperuser = true;
            return { allow: true };
          }
        }
        return undefined;
      },
      OPTIONS,
    ),
  );
  at('client.authorize', (places) =>
    hooks.on(
      'client.authorize',
      async (who, request) => {
        for (const place of places) {
          const told = [presentWho(who), request];
          const answer = await asked(place, 'client.authorize', told, NOBODY, readAuthorize);
          const source = place.plugin.mark;
          if (answer === FAILED) return { access: 'deny', matched: false, keepMs: 0, source };
          if (answer) return { access: answer, matched: true, keepMs: Number.POSITIVE_INFINITY, source };
        }
        return undefined;
      },
      OPTIONS,
    ),
  );
  at('client.subscribe', (places) =>
    hooks.on('client.subscribe', (who, requests) => subscribe(places, who, requests), OPTIONS),
  );

  const deciding = placesAt('message.publish');
  const observing = placesAt('message.publish', true);
  if (deciding.length + observing.length > 0)
    off.push(
      hooks.on('message.publish', (message) => publish({ deciding, observing }, core, message), OPTIONS),
    );

  at('client.connected', (places) =>
    hooks.on('client.connected', (client) => tell(places, 'client.connected', [presentWho(client.who)])),
  );
  at('client.disconnected', (places) =>
    hooks.on('client.disconnected', (client, reason) =>
      tell(places, 'client.disconnected', [presentWho(client.who), reason]),
    ),
  );
  at('session.subscribed', (places) =>
    hooks.on('session.subscribed', (client, filter, { qos }) =>
      tell(places, 'session.subscribed', [presentWho(client.who), filter, qos]),
    ),
  );
  at('session.unsubscribed', (places) =>
    hooks.on('session.unsubscribed', (client, filter) =>
      tell(places, 'session.unsubscribed', [presentWho(client.who), filter]),
    ),
  );
  at('message.delivered', (places) =>
    hooks.on('message.delivered', (client, message, qos) =>
      tellOf(places, 'message.delivered', client, message, qos),
    ),
  );
  at('message.acked', (places) =>
    hooks.on('message.acked', (client, message) => tellOf(places, 'message.acked', client, message)),
  );
  at('message.dropped', (places) =>
    hooks.on('message.dropped', (client, message, reason) =>
      tellOf(places, 'message.dropped', client, message, reason),
    ),
  );
  return () => {
    for (const end of off.splice(0)) end();
  };
}

// --- those who wait

const FAILED = Symbol('failed');
const noAnswer = ({ plugin }: Place): string => `the plugin ${plugin.id} did not answer`;
const said = ({ plugin }: Place): string => `the plugin ${plugin.id} refused it`;

/** The answer of a plugin; FAILED where it has none and refusing is what shall be done then. */
async function asked<T>(
  { plugin, denies }: Place,
  hook: HookName,
  told: readonly unknown[],
  trail: Trail,
  read: (answer: unknown) => T | undefined,
): Promise<T | undefined | typeof FAILED> {
  try {
    return await plugin.ask(hook, told, trail, read);
  } catch {
    return denies ? FAILED : undefined; // the plugin has told its operator
  }
}

async function connect(places: readonly Place[], who: ClientInfo): Promise<void> {
  for (const place of places) {
    const answer = await asked(place, 'client.connect', [presentWho(who)], NOBODY, readConnect);
    if (answer === FAILED) throw new MqttError(ReasonCode.ServerUnavailable, noAnswer(place));
    if (answer) throw new MqttError(ReasonCode.NotAuthorized, answer.refuse || said(place));
  }
}

async function subscribe(
  places: readonly Place[],
  who: ClientInfo,
  requests: readonly { filter: string }[],
): Promise<void> {
  for (const place of places) {
    const filters = requests.map(({ filter }) => filter);
    const read = (answer: unknown): string[] | undefined => {
      const given = readSubscribe(answer);
      if (given && given.length !== filters.length)
        throw new Error(`its answer cannot be used: ${filters.length} filters are wanted`);
      return given;
    };
    const answer = await asked(place, 'client.subscribe', [presentWho(who), filters], NOBODY, read);
    if (answer === FAILED) throw new MqttError(ReasonCode.ImplementationSpecificError, noAnswer(place));
    for (const [i, filter] of (answer ?? []).entries()) requests[i]!.filter = filter;
  }
}

interface Publishing {
  deciding: readonly Place[];
  observing: readonly Place[];
}

/** Only a message that a plugin decides on waits. */
function publish(places: Publishing, core: Core, message: Message): PublishResult | Promise<PublishResult> {
  const { deciding, observing } = places;
  const first = deciding.findIndex((place) => concerns(place, message));
  if (first !== -1) return decide(places, first, core, message);
  observe(observing, message);
  return undefined;
}

async function decide(
  { deciding, observing }: Publishing,
  first: number,
  core: Core,
  message: Message,
): Promise<PublishResult> {
  for (let i = first; i < deciding.length; i++) {
    const place = deciding[i]!;
    if (!concerns(place, message)) continue;
    const read = (answer: unknown): PublishAnswer | undefined => {
      const given = readPublish(answer);
      if (given && !('drop' in given) && !('refuse' in given)) checkChange(core, message, given);
      return given;
    };
    const answer = await asked(place, 'message.publish', [presentMessage(message)], message.trail, read);
    if (answer === FAILED)
      return { reasonCode: ReasonCode.ImplementationSpecificError, reason: noAnswer(place) };
    if (answer === undefined) continue;
    if ('drop' in answer) return { reasonCode: ReasonCode.Success, reason: '' };
    if ('refuse' in answer)
      return { reasonCode: ReasonCode.NotAuthorized, reason: answer.refuse || said(place) };
    message.change(answer);
    message.trail = [...message.trail, place.plugin.mark];
  }
  observe(observing, message);
  return undefined;
}

function observe(places: readonly Place[], message: Message): void {
  for (const place of places)
    if (concerns(place, message))
      place.plugin.tell('message.publish', [presentMessage(message)], message.trail);
}

function concerns({ plugin, topics }: Place, message: Message): boolean {
  for (let i = 0; i < topics.length; i++)
    if (filterMatches(topics[i]!, message.topic)) return !message.trail.includes(plugin.mark);
  return false;
}

/** What no client could have sent would never leave a queue. */
function checkChange(core: Core, message: Message, change: MessageChange): void {
  const encoded = encodeProperties(change.properties ?? message.properties);
  decodeProperties(encoded, 0, encoded.length, PacketType.PUBLISH);
  const topicBytes = Buffer.byteLength(change.topic ?? message.topic);
  const payloadBytes = change.payload?.length ?? message.payloadBytes;
  if (topicBytes > 65_535 || topicBytes + payloadBytes + encoded.length + 16 > core.settings.maxPacketBytes)
    throw new Error('its answer cannot be used: the message is larger than a packet may be');
}

// --- those who do not

function tell(places: readonly Place[], hook: HookName, told: readonly unknown[]): void {
  for (const { plugin } of places) plugin.tell(hook, told, NOBODY);
}

function tellOf(
  places: readonly Place[],
  hook: HookName,
  client: Client | null,
  message: Message,
  ...more: unknown[]
): void {
  for (const place of places)
    if (concerns(place, message))
      place.plugin.tell(
        hook,
        [client && presentWho(client.who), presentMessage(message), ...more],
        message.trail,
      );
}

const presentWho = ({
  clientid,
  username,
  address,
  port,
  listener,
  protocolVersion,
}: ClientInfo): PluginClient => ({ clientid, username, address, port, listener, protocolVersion });

/** With a payload of its own: that of the message is a part of what the network brought. */
function presentMessage(message: Message): PluginMessage {
  const { id, topic, payload, qos, retain, from, publisher, timestamp, properties } = message;
  return {
    id,
    topic,
    payload: new Uint8Array(payload),
    qos,
    retain,
    from,
    username: publisher?.username ?? null,
    timestamp,
    properties: presentProperties(properties),
  };
}

function presentProperties(properties: Message['properties']): PluginMessageProperties {
  const { correlationData, ...others } = properties;
  return correlationData === undefined
    ? (others as PluginMessageProperties)
    : { ...(others as PluginMessageProperties), correlationData: new Uint8Array(correlationData) };
}
