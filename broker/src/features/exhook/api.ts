import {
  type ExhookDetail,
  type ExhookMetrics,
  type ExhookPosition,
  type ExhookServer,
  type exhooks,
  parseExhookPosition,
} from '@mqdeck/contract/exhooks';
import { masked, NoSecret, unmasked } from '@mqdeck/contract/kit/secrets';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { SettingsFault } from '../../settings/settings.ts';
import type { Exhooks } from './exhook.ts';
import type { HookServer } from './hook-server.ts';

const NOT_FOUND = 'Server not found';
/** As the real API answers, whose code and status disagree. */
const unknown = (): never => fail('BAD_REQUEST', NOT_FOUND, 404);

export function exhooksApi(all: Exhooks, node: string): Handlers<typeof exhooks> {
  const found = (name: string): HookServer => all.find(name) ?? unknown();
  const nodeMetrics = (metrics: ExhookMetrics) => ({ metrics, node_metrics: [{ node, metrics }] });
  const present = (server: HookServer): ExhookDetail => ({
    ...masked(server.config),
    hooks: [...server.wantedHooks].map(([name, topics]) => ({ name, params: paramsOf(name, topics) })),
    ...nodeMetrics(server.metrics.values),
    node_status: [
      { node, status: server.status, ...(server.reason !== null && { status_reason: server.reason }) },
    ],
  });

  return {
    list: () => all.servers.map(present),
    get: ({ params }) => present(found(params.name)),
    create: async ({ body }) => {
      await checked(() =>
        all.change((servers) => {
          if (servers.some(({ name }) => name === body.name)) fail('BAD_REQUEST', 'Already exists');
          return [...servers, unmasked(body, {})];
        }),
      );
      return present(found(body.name));
    },
    update: async ({ params, body }) => {
      await checked(() =>
        all.change((servers) => {
          const stored = servers.find(({ name }) => name === params.name) ?? fail('NOT_FOUND', NOT_FOUND);
          if (body.name !== params.name && servers.some(({ name }) => name === body.name))
            fail('BAD_REQUEST', 'Already exists');
          const changed = unmasked(body, stored);
          return servers.map((server) => (server === stored ? changed : server));
        }),
      );
      return present(found(body.name));
    },
    remove: ({ params }) =>
      all.change((servers) => {
        found(params.name);
        return servers.filter(({ name }) => name !== params.name);
      }),
    hooks: ({ params }) => {
      const server = found(params.name);
      return [...server.wantedHooks].map(([name, topics]) => ({
        name,
        params: paramsOf(name, topics),
        ...nodeMetrics(server.metricsOf(name)),
      }));
    },
    move: ({ params, body }) =>
      all.change((servers) => {
        const { config } = found(params.name);
        const position = parseExhookPosition(body.position) ?? fail('BAD_REQUEST', 'Invalid Position');
        return moved(servers, config.name, position);
      }),
  };
}

const paramsOf = (name: string, topics: readonly string[]) =>
  name.startsWith('message.') ? { topics: [...topics] } : {};

function moved(servers: readonly ExhookServer[], name: string, position: ExhookPosition): ExhookServer[] {
  const server = servers.find((one) => one.name === name)!;
  const others = servers.filter((one) => one !== server);
  if (position === 'front') return [server, ...others];
  if (position === 'rear') return [...others, server];
  const neighbour = 'before' in position ? position.before : position.after;
  const at = others.findIndex((one) => one.name === neighbour);
  if (at === -1)
    fail(
      'BAD_REQUEST',
      neighbour === name ? 'A server cannot be moved next to itself' : `There is no server ${neighbour}`,
    );
  return others.toSpliced('before' in position ? at : at + 1, 0, server);
}

/** What cannot work is the operator's to mend. */
async function checked(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof SettingsFault) {
      const [, , ...path] = error.path;
      fail('BAD_REQUEST', `${path.join('.')}: ${error.message}`);
    }
    if (error instanceof NoSecret) fail('BAD_REQUEST', `${error.path}: ${error.message}`);
    throw error;
  }
}
