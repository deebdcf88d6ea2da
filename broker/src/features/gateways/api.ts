import { AuthenticatorConfig } from '@mqdeck/contract/authentication';
import {
  GATEWAY_NAMES,
  type GatewayConfigs,
  type GatewayDetail,
  type GatewayItem,
  type GatewayListener,
  type GatewayListenerConfig,
  type GatewayName,
  type GatewaySubscription,
  gatewayConfigs,
  type gateways,
  NewGatewayListener,
} from '@mqdeck/contract/gateways';
import { masked, NoSecret, unmasked } from '@mqdeck/contract/kit/secrets';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import * as z from 'zod/mini';
import type { Guest } from '../../core/guest.ts';
import { mountedFilter } from '../../core/mountpoint.ts';
import { fail } from '../../http/api-error.ts';
import { validationError } from '../../http/faults.ts';
import type { Handlers } from '../../http/handlers.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { listGuests, presentGuest } from './client-list.ts';
import { GatewayFault, type Gateways, type NewListener, parseListenerId, typeFault } from './gateways.ts';
import type { Entry, LiveGateway } from './live-gateway.ts';

type Fields = Record<string, unknown>;

export function gatewaysApi(all: Gateways, node: string): Handlers<typeof gateways> {
  const found = (name: string) => loaded(all, name);
  const guestOf = (params: { name: string; clientid: string }, missing = 'Client not found'): Guest =>
    found(params.name).guests.get(params.clientid) ?? fail('RESOURCE_NOT_FOUND', missing);

  return {
    list: ({ query: { status } }) =>
      GATEWAY_NAMES.map((name) => item(name, all.find(name), node)).filter(
        (one) => status === undefined || one.status === status,
      ),
    get: ({ params }) => {
      const name = nameOf(params.name);
      return detail(name, all.find(name));
    },
    update: async ({ params, body }) => {
      const name = nameOf(params.name);
      const live = all.find(name);
      const { listeners, config, authentication } = checkedGateway(name, body, live);
      await answered(all.put(name, config, listeners, authentication));
    },
    enable: async ({ params }) => {
      const { name } = found(params.name);
      await answered(all.enable(name, flagOf(params.enable)));
    },
    listeners: ({ params, query }) => {
      const live = found(params.name);
      return [...live.listeners.values()].map((entry) => {
        const address = query.addresses ? live.addressOf(entry) : null;
        return { ...listed(entry, node), ...(address !== null && { address }) };
      });
    },
    createListener: async ({ params, body }) => {
      const { name } = found(params.name);
      if (body.name === undefined) fail('BAD_REQUEST', 'name is required');
      if (body.bind === undefined) fail('BAD_REQUEST', 'bind is required');
      const listener = checkedListener(name, body, {}, '');
      await answered(all.createListener(name, listener));
      return echoed(`${name}:${listener.type}:${listener.name}`, body, listener.config);
    },
    listener: ({ params }) => {
      const entry = entryOf(found(params.name), params.id);
      return { ...shown(entry), running: entry.port.running, ...failureOf(entry) };
    },
    updateListener: async ({ params, body }) => {
      const { name, listeners } = found(params.name);
      const entry = listeners.get(params.id);
      if (!entry) return fail('BAD_REQUEST', `Listener ${params.id.slice(0, 256)} not found`);
      const listener = checkedListener(
        name,
        { ...body, type: body.type ?? entry.type, name: body.name ?? entry.name },
        entry.config,
        '',
      );
      if (listener.type !== entry.type || listener.name !== entry.name)
        fail('BAD_REQUEST', `The listener of this path is ${entry.id}, and the body is of another`);
      await answered(all.updateListener(name, entry.id, listener.config));
      return echoed(entry.id, { ...body, type: entry.type, name: entry.name }, listener.config);
    },
    removeListener: async ({ params }) => {
      const { name } = found(params.name);
      await answered(all.removeListener(name, params.id));
    },
    clients: ({ params, query }) => listGuests(found(params.name).guests, query, node),
    client: ({ params }) => presentGuest(guestOf(params)),
    kickOut: ({ params }) => guestOf(params).close(),
    subscriptions: ({ params }) => {
      const guest = guestOf(params, 'client process not found');
      return [...guest.guestSubscriptions.keys()].map((filter) => subscriptionOf(guest, filter)).reverse();
    },
    subscribe: ({ params, body: { topic, qos, nl, rap, rh, sub_props } }) => {
      const guest = guestOf(params, 'client process not found');
      if (topic === undefined) return fail('BAD_REQUEST', 'Miss topic property');
      if (!isValidFilter(topic))
        return fail(
          'BAD_REQUEST',
          `Nobody can subscribe to "${topic.slice(0, 200)}": it is not a topic filter`,
        );
      if (nameOf(params.name) === 'stomp') checkSubid(guest, topic, sub_props.subid);
      const options = { qos, noLocal: nl === 1, retainAsPublished: rap === 1, retainHandling: rh };
      const code = guest.subscribeFor(topic, options, { ...sub_props });
      if (code >= 0x80)
        fail(
          'BAD_REQUEST',
          `The subscription to "${topic.slice(0, 200)}" was refused: 0x${code.toString(16)}`,
        );
      return subscriptionOf(guest, topic);
    },
    unsubscribe: ({ params }) => {
      const guest = guestOf(params, 'client process not found');
      const { mountpoint } = guest.who;
      // As the device writes it, or as it is listed
      for (const filter of [...guest.guestSubscriptions.keys()])
        if (filter === params.topic || mountedFilter(mountpoint, filter) === params.topic)
          guest.unsubscribe(filter);
    },
  };
}

// --- what a request names

/** Also for whoever answers about a part of a gateway. */
export function loaded(all: Gateways, name: string): LiveGateway {
  return all.find(nameOf(name)) ?? fail('RESOURCE_NOT_FOUND', 'Gateway not loaded');
}

function nameOf(text: string): GatewayName {
  const name = GATEWAY_NAMES.find((one) => one === text);
  return name ?? refuse('name', 'not_a_enum_symbol', text);
}

export function entryOf(live: LiveGateway, id: string): Entry {
  const entry = live.listeners.get(id);
  if (entry) return entry;
  const what = parseListenerId(live.name, id) ? '' : `: ${id.slice(0, 256)}`;
  return fail('RESOURCE_NOT_FOUND', `Listener not found${what}`);
}

function flagOf(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return refuse('enable', 'Unable to parse boolean value', text);
}

const refuse = (path: string, reason: string, value?: string): never =>
  fail(
    'BAD_REQUEST',
    JSON.stringify({
      kind: 'validation_error',
      path,
      reason,
      ...(value !== undefined && { value: value.slice(0, 256) }),
    }),
  );

/** What the operator asked for cannot be. */
async function answered<T>(doing: Promise<T>): Promise<T> {
  try {
    return await doing;
  } catch (cause) {
    if (cause instanceof GatewayFault) fail('BAD_REQUEST', cause.message);
    throw cause;
  }
}

/** A MESSAGE of STOMP names the subscription that it is for, so each has a name of its own. */
function checkSubid(guest: Guest, topic: string, subid: string | undefined): void {
  if (subid === undefined || subid === '') fail('BAD_REQUEST', 'no_subid');
  for (const { filter, subProps } of guest.guestSubscriptions.values())
    if (filter !== topic && subProps.subid === subid)
      fail('BAD_REQUEST', `The device has a subscription ${String(subid).slice(0, 200)} already`);
}

// --- what a body says

/** Answers say it, and it is not set: taken without effect. */
const SHOWN = ['status', 'created_at', 'started_at', 'stopped_at', 'failure', 'node_status'];

function checkedGateway(
  name: GatewayName,
  body: Fields,
  live: LiveGateway | undefined,
): { config: GatewayConfigs[GatewayName]; listeners: NewListener[]; authentication?: AuthenticatorConfig } {
  const { name: told = name, listeners = [], authentication, ...given } = body;
  if (told !== name) refuse('root.name', `Expected: ${name}, got:${String(told).slice(0, 256)}`);
  const config = checked(
    gatewayConfigs[name],
    Object.fromEntries(Object.entries(given).filter(([key]) => !SHOWN.includes(key))),
    live?.config ?? {},
    'root.',
  ) as GatewayConfigs[GatewayName];
  if (!Array.isArray(listeners) || !listeners.every(isFields)) return refuse('root.listeners', 'bad_value');
  const checkedOnes = listeners.map((one, i) =>
    checkedListener(name, one, live ? undefined : {}, `listeners.${i + 1}.`),
  );
  const ids = checkedOnes.map(({ type, name: its }) => `${type}:${its}`);
  const twice = ids.find((id, i) => ids.indexOf(id) < i);
  if (twice !== undefined) refuse('root.listeners', `${twice} stands there twice`);
  return {
    config,
    listeners: checkedOnes,
    ...(isFields(authentication) &&
      !live && { authentication: checkedAuthenticator(authentication, 'root.') }),
  };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `stored` is what its secrets that read MASK are taken from; undefined: they stand for themselves, for nobody reads them. */
function checkedListener(
  gateway: GatewayName,
  body: Fields,
  stored: object | undefined,
  at: string,
): NewListener {
  const { authentication, ...given } = body;
  const {
    name,
    id: _1,
    running: _2,
    status: _3,
    node_status: _4,
    failure: _5,
    ...config
  } = checked(NewGatewayListener, given, stored, `root.${at}`) as z.output<typeof NewGatewayListener> &
    Fields;
  const fault = typeFault(gateway, config.type);
  if (fault !== null) refuse(`root.${at}type`, fault);
  return {
    type: config.type,
    name,
    config: config as GatewayListenerConfig,
    ...(isFields(authentication) && { authentication: checkedAuthenticator(authentication, `root.${at}`) }),
  };
}

function checkedAuthenticator(given: Fields, at: string): AuthenticatorConfig {
  const config = checked(AuthenticatorConfig, given, {}, `${at}authentication.`);
  if (config.mechanism === 'scram') refuse(`${at}authentication`, 'unsupported_mechanism');
  return config;
}

/** What was given as its schema has it, defaults and stored secrets filled in; or 400. */
function checked<S extends z.ZodMiniType>(
  schema: S,
  given: Fields,
  stored: object | undefined,
  at: string,
): z.output<S> {
  const result = z.safeParse(schema, given);
  if (!result.success) throw validationError('body', schema, given, result.error.issues);
  if (stored === undefined) return result.data;
  try {
    return unmasked(result.data, stored);
  } catch (cause) {
    if (!(cause instanceof NoSecret)) throw cause;
    return refuse(`${at}${cause.path}`, cause.message);
  }
}

// --- what answers show

const statusOf = (live: LiveGateway) => (live.running ? 'running' : 'stopped') satisfies string;

const momentsOf = ({ createdAt, startedAt, stoppedAt, running, failure }: LiveGateway) => ({
  created_at: createdAt,
  ...(running
    ? startedAt !== null && { started_at: rfc3339(startedAt) }
    : stoppedAt !== null && { stopped_at: rfc3339(stoppedAt) }),
  ...(failure !== null && { failure }),
});

function item(name: GatewayName, live: LiveGateway | undefined, node: string): GatewayItem {
  if (!live) return { name, status: 'unloaded' };
  const entries = [...live.listeners.values()];
  const figures = {
    status: statusOf(live),
    current_connections: live.guests.size,
    max_connections: maxOf(entries),
  } as const;
  return {
    name,
    ...momentsOf(live),
    ...figures,
    listeners: entries.map(({ id, name: its, type, port }) => ({
      id,
      name: its,
      type,
      running: port.running,
    })),
    node_status: [{ node, ...figures }],
  };
}

const maxOf = (entries: readonly Entry[]): number | 'infinity' =>
  entries.reduce<number | 'infinity'>((sum, { config: { max_connections: max } }) => {
    return sum === 'infinity' || max === 'infinity' ? 'infinity' : sum + max;
  }, 0);

function detail(name: GatewayName, live: LiveGateway | undefined): GatewayDetail {
  if (!live) return { name, status: 'unloaded' };
  return {
    ...masked(live.config),
    name,
    status: statusOf(live),
    ...momentsOf(live),
    listeners: [...live.listeners.values()].map(shown),
  };
}

function shown({ id, name, config, port }: Entry): GatewayListener {
  const bind =
    port.running && /:0$/.test(config.bind) ? config.bind.replace(/0$/, `${port.port}`) : config.bind;
  return { ...masked(config), id, name, bind };
}

const failureOf = ({ failure }: Entry) => (failure === null ? {} : { failure });

function listed(entry: Entry, node: string): GatewayListener {
  const { port, config } = entry;
  const status = {
    running: port.running,
    current_connections: port.currentConnections,
    max_connections: config.max_connections,
  };
  return { ...shown(entry), status, node_status: [{ node, status }], ...failureOf(entry) };
}

/** What was sent, as the real API answers; no secret in it. */
const echoed = (id: string, body: Fields, { bind, type }: GatewayListenerConfig): GatewayListener => ({
  ...masked(body),
  id,
  type,
  name: String(body.name),
  bind,
});

function subscriptionOf(guest: Guest, filter: string): GatewaySubscription {
  const { qos, noLocal, retainAsPublished, retainHandling, isNew, subProps } =
    guest.guestSubscriptions.get(filter) ?? fail('RESOURCE_NOT_FOUND', 'Subscription not found');
  const { subid } = subProps;
  return {
    topic: mountedFilter(guest.who.mountpoint, filter),
    qos,
    nl: noLocal ? 1 : 0,
    rap: retainAsPublished ? 1 : 0,
    rh: retainHandling,
    is_new: isNew,
    sub_props: { ...(subid !== undefined && { subid: String(subid) }) },
  };
}
