import { masked } from '@mqdeck/contract/kit/secrets';
import type {
  Listener,
  ListenerConfig,
  ListenerItem,
  ListenersOfType,
  ListenerType,
  listeners,
} from '@mqdeck/contract/listeners';
import { LISTENER_NAME, LISTENER_TYPES } from '@mqdeck/contract/listeners';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { parseId } from './configuration.ts';
import { type ListenerFacts, ListenerFault, type Listeners } from './listeners.ts';

export function listenersApi(all: Listeners, node: string): Handlers<typeof listeners> {
  const create = async (id: string, config: ListenerConfig) => show(await answered(all.create(id, config)));
  return {
    list: () => all.all().map((facts) => item(facts, node)),
    status: () =>
      [...LISTENER_TYPES].sort().flatMap((type) => {
        const some = all.all().filter((facts) => facts.type === type);
        return some.length === 0 ? [] : [together(type, some, node)];
      }),
    create: ({ body: { name, ...body } }) => {
      if (!LISTENER_NAME.test(name)) return fail('BAD_REQUEST', nameFault(body.type, name));
      return create(`${body.type}:${name}`, configOf(body));
    },
    get: ({ params: { id } }) => show(found(all.find(checkedId(id)))),
    createAt: ({ params, body: { id = params.id, ...body } }) => {
      mustFit(checkedId(params.id), id, body.type);
      return create(params.id, configOf(body));
    },
    update: async ({ params, body: { id = params.id, ...body } }) => {
      mustFit(checkedId(params.id), id, body.type);
      const { type: _, ...change } = configOf(body);
      return show(found(await answered(all.update(params.id, change))));
    },
    remove: async ({ params: { id } }) => {
      if (!(await answered(all.remove(checkedId(id))))) notFound();
    },
    start: async ({ params: { id } }) => void found(await answered(all.start(checkedId(id)))),
    stop: async ({ params: { id } }) => void found(await answered(all.stop(checkedId(id)))),
    restart: async ({ params: { id } }) => void found(await answered(all.restart(checkedId(id)))),
  };
}

/** Answers say it, and it is not set: taken without effect. */
type Shown = 'running' | 'current_connections' | 'certificate' | 'failure';
type Without<T> = T extends unknown ? Omit<T, Shown> : never;
function configOf<T extends object>(body: T & { [K in Shown]?: unknown }): Without<T> {
  const { running: _1, current_connections: _2, certificate: _3, failure: _4, ...config } = body;
  return config as unknown as Without<T>;
}

const show = ({ id, config, bind, running, currentConnections, ...more }: ListenerFacts): Listener => ({
  ...masked(config),
  id,
  bind,
  running,
  current_connections: currentConnections,
  ...extensions(more),
});

function item(facts: ListenerFacts, node: string): ListenerItem {
  const { id, type, name, bind, config } = facts;
  const { enable, acceptors, zone, mountpoint } = config;
  return {
    id,
    type,
    name,
    bind,
    enable,
    acceptors,
    number: 1,
    ...statusOf([facts], node),
    ...extensions(facts),
    zone,
    mountpoint,
  };
}

const together = (type: ListenerType, some: ListenerFacts[], node: string): ListenersOfType => ({
  type,
  ids: some.map(({ id }) => id),
  enable: some.some(({ config }) => config.enable),
  ...statusOf(some, node),
});

const extensions = ({ certificate, failure }: Pick<ListenerFacts, 'certificate' | 'failure'>) => ({
  ...(certificate && { certificate }),
  ...(failure !== null && { failure }),
});

function statusOf(some: ListenerFacts[], node: string) {
  const status = {
    running: some.some(({ running }) => running),
    current_connections: some.reduce((sum, { currentConnections }) => sum + currentConnections, 0),
    max_connections: some.reduce<number | 'infinity'>((sum, { config: { max_connections: max } }) => {
      return sum === 'infinity' || max === 'infinity' ? 'infinity' : sum + max;
    }, 0),
  };
  return { status, node_status: [{ node, status }] };
}

/** What the operator asked for cannot be. */
async function answered<T>(doing: Promise<T>): Promise<T> {
  try {
    return await doing;
  } catch (cause) {
    if (cause instanceof ListenerFault) fail(cause.code, cause.message);
    throw cause;
  }
}

function checkedId(id: string): string {
  if (parseId(id) === null)
    fail(
      'BAD_REQUEST',
      JSON.stringify({
        kind: 'validation_error',
        path: 'id',
        reason: 'invalid_listener_id',
        value: id.slice(0, 256),
      }),
    );
  return id;
}

function mustFit(id: string, told: string, type: ListenerType): void {
  if (told !== id || parseId(id)?.type !== type)
    fail('BAD_LISTENER_ID', `The listener of this path is ${id}, and the body is of another`);
}

const nameFault = (type: ListenerType, name: string): string =>
  JSON.stringify({
    kind: 'validation_error',
    path: `listeners.${type}`,
    reason: 'invalid_map_key',
    value: name.slice(0, 256),
  });

const notFound = (): never => fail('BAD_LISTENER_ID', 'There is no such listener', 404);
const found = (facts: ListenerFacts | undefined): ListenerFacts => facts ?? notFound();
