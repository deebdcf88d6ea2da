import {
  type AuthorizationSource,
  type authorization,
  type BuiltInRule,
  MAX_RULES_USUAL,
  parsePosition,
  SOURCE_TYPES,
  type SourcePosition,
} from '@mqdeck/contract/authorization';
import { masked, NoSecret, unmasked } from '@mqdeck/contract/kit/secrets';
import { BackendConfigError } from '../../backends/backend.ts';
import type { Core } from '../../core/core.ts';
import type { Entry } from '../../core/store/store.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { pageOf, presented } from '../../paging/page.ts';
import { Turn } from '../../paging/turn.ts';
import type { Authorization } from './authorization.ts';
import type { BuiltInRules, OwnerKind } from './built-in-rules.ts';
import type { Seat } from './seat.ts';

interface OwnedRow {
  owner: string;
  rules: BuiltInRule[];
}

interface Parts {
  core: Core;
  rules: BuiltInRules;
}

export function authorizationApi(all: Authorization, { core, rules }: Parts): Handlers<typeof authorization> {
  const found = (type: string): Seat =>
    all.find(checkedType(type)) ?? fail('NOT_FOUND', `Not found: ${type}`);
  const client = (clientid: string) => core.registry.find(clientid) ?? fail('CLIENTID_NOT_FOUND');

  /** Rules that are written count at once, for those they concern. */
  const written = async (kind: OwnerKind, owners: ReadonlySet<string>) => {
    all.forget((who) => owners.has((kind === 'clientid' ? who.clientid : who.username) ?? ''));
    await rules.flushed();
  };
  const checkNumber = (list: readonly BuiltInRule[]) => {
    const config = all.find('built_in_database')?.config;
    const most = config?.type === 'built_in_database' ? config.max_rules : MAX_RULES_USUAL;
    if (list.length > most)
      fail(
        'BAD_REQUEST',
        `${list.length} rules are too many: max_rules of the built-in database allows ${most}`,
      );
  };

  const listOf = (
    kind: OwnerKind,
    { page, limit, like }: { page: number; limit: number; like: string | undefined },
  ) =>
    pageOf<Entry<BuiltInRule[]>>(
      { page, limit },
      {
        rows: rules[kind].slices(),
        matches: ({ key }) => like === undefined || String(key).includes(like),
        counted: like === undefined,
        total: like === undefined ? rules[kind].count : undefined,
      },
    );
  const createNow = async (kind: OwnerKind, rows: readonly OwnedRow[]) => {
    const turn = new Turn();
    for (const row of rows) {
      checkNumber(row.rules);
      if (rules[kind].has(row.owner)) fail('ALREADY_EXISTS', `There are rules of '${row.owner}' already`);
      if (turn.over) await turn.next();
    }
    for (const row of rows) {
      rules[kind].put(row.owner, row.rules);
      if (turn.over) await turn.next();
    }
    await written(kind, new Set(rows.map(({ owner }) => owner)));
  };
  let creating: Promise<unknown> = Promise.resolve();
  /** One after the other, so that what is not there stays so until it is written. */
  const create = (kind: OwnerKind, rows: readonly OwnedRow[]): Promise<void> => {
    const created = creating.then(() => createNow(kind, rows));
    creating = created.catch(() => undefined);
    return created;
  };
  const get = (kind: OwnerKind, owner: string): BuiltInRule[] =>
    rules[kind].get(owner) ?? fail('NOT_FOUND', `There are no rules of '${owner.slice(0, 100)}'`);
  const update = async (kind: OwnerKind, owner: string, named: string, list: BuiltInRule[]) => {
    if (named !== owner)
      fail('BAD_REQUEST', `The path names '${owner.slice(0, 100)}', the body somebody else`);
    checkNumber(list);
    rules[kind].put(owner, list);
    await written(kind, new Set([owner]));
  };
  const remove = async (kind: OwnerKind, owner: string) => {
    if (!rules[kind].remove(owner)) fail('NOT_FOUND', `There are no rules of '${owner.slice(0, 100)}'`);
    await written(kind, new Set([owner]));
  };
  const changeAll = async (change: () => void | Promise<void>) => {
    await change();
    all.forget();
    await rules.flushed();
  };

  return {
    settings: () => all.general,
    updateSettings: async ({ body }) => {
      await all.changeGeneral(body);
      return body;
    },
    clearCache: () => all.forget(),
    sources: () => ({ sources: all.sources.map(({ config }) => masked(config)) }),
    create: ({ body }) =>
      all.change((seats) => {
        if (seats.some(({ type }) => type === body.type))
          fail('BAD_REQUEST', `There is a source of the type ${body.type} already`);
        return [checked(() => all.opened(unmasked(body, {}))), ...seats];
      }),
    reorder: ({ body }) =>
      all.change((seats) => {
        const order = body.map(({ type }) => seats.find((seat) => seat.type === type));
        if (
          order.length !== seats.length ||
          new Set(order).size !== order.length ||
          order.includes(undefined)
        )
          fail('BAD_REQUEST', 'The order must name each source that there is once');
        return order as Seat[];
      }),
    get: ({ params }) => masked(found(params.type).config),
    update: ({ params, body }) =>
      all.change((seats) => {
        const seat = found(params.type);
        if (body.type !== seat.type)
          fail('BAD_REQUEST', 'The type of a source cannot be changed; add another source instead');
        checked(() => seat.change(unmasked(body, seat.config)));
        return [...seats];
      }),
    remove: ({ params }) =>
      all.change((seats) => {
        const seat = found(params.type);
        seat.close();
        return seats.filter((one) => one !== seat);
      }),
    status: ({ params }) => statusOf(found(params.type), core.node),
    move: ({ params, body }) =>
      all.change((seats) => {
        const seat = found(params.type);
        const position =
          parsePosition(body.position) ??
          fail('BAD_REQUEST', 'The position is front, rear, before:TYPE or after:TYPE');
        return moved(seats, seat, position);
      }),
    purgeRules: async () => {
      const { config } = all.find('built_in_database') ?? {};
      if (!config) return fail('NOT_FOUND', 'Not found: built_in_database');
      if (config.enable)
        fail('BAD_REQUEST', 'Disable the built-in database first: then its rules can be removed');
      await changeAll(() => rules.clear());
    },
    clientRules: async ({ query: { like_clientid: like, ...paging } }) =>
      presented(await listOf('clientid', { ...paging, like }), ({ key, value }) => ({
        clientid: String(key),
        rules: value,
      })),
    createClientRules: ({ body }) =>
      create(
        'clientid',
        body.map(({ clientid, rules: list }) => ({ owner: clientid, rules: list })),
      ),
    clientRule: ({ params: { clientid } }) => ({ clientid, rules: get('clientid', clientid) }),
    updateClientRules: ({ params, body }) => update('clientid', params.clientid, body.clientid, body.rules),
    removeClientRules: ({ params }) => remove('clientid', params.clientid),
    userRules: async ({ query: { like_username: like, ...paging } }) =>
      presented(await listOf('username', { ...paging, like }), ({ key, value }) => ({
        username: String(key),
        rules: value,
      })),
    createUserRules: ({ body }) =>
      create(
        'username',
        body.map(({ username, rules: list }) => ({ owner: username, rules: list })),
      ),
    userRule: ({ params: { username } }) => ({ username, rules: get('username', username) }),
    updateUserRules: ({ params, body }) => update('username', params.username, body.username, body.rules),
    removeUserRules: ({ params }) => remove('username', params.username),
    allRules: () => ({ rules: rules.all }),
    setAllRules: async ({ body }) => {
      checkNumber(body.rules);
      await changeAll(() => {
        rules.all = body.rules;
      });
    },
    removeAllRules: () => changeAll(() => rules.removeAll()),
    clientCache: ({ params }) =>
      client(params.clientid)
        .keptAccess()
        .map(({ action, topic, qos, retain, access, at }) => ({
          access: { action_type: action, qos, ...(action === 'publish' && { retain }) },
          topic,
          result: access === 'allow' ? 'allow' : 'deny',
          updated_time: at,
        })),
    clearClientCache: ({ params }) => client(params.clientid).forgetAccess(),
  };
}

const NO_TYPE = { reason: 'unable_to_convert_to_enum_symbol', path: 'type', kind: 'validation_error' };

const checkedType = (type: string): string =>
  SOURCE_TYPES.some((one) => one === type)
    ? type
    : fail('BAD_REQUEST', JSON.stringify({ value: type.slice(0, 100), ...NO_TYPE }));

/** What the operator wrote and cannot work is his to mend; it is told as the contract tells what is wrong with a field. */
function checked<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof BackendConfigError || error instanceof NoSecret)) throw error;
    const fault = { kind: 'validation_error', path: `root.${error.path}`, reason: error.message };
    return fail('BAD_REQUEST', JSON.stringify(fault));
  }
}

function moved(seats: readonly Seat[], seat: Seat, position: SourcePosition): Seat[] {
  const others = seats.filter((one) => one !== seat);
  if (position === 'front') return [seat, ...others];
  if (position === 'rear') return [...others, seat];
  const before = 'before' in position;
  const type: AuthorizationSource['type'] = before ? position.before : position.after;
  const place = others.findIndex((one) => one.type === type);
  if (place < 0) fail('BAD_REQUEST', `There is no other source of the type ${type}`);
  return others.toSpliced(before ? place : place + 1, 0, seat);
}

function statusOf({ status, reason, metrics, resourceMetrics }: Seat, node: string) {
  return {
    status,
    metrics,
    resource_metrics: resourceMetrics,
    node_status: [{ node, status }],
    node_error: reason === null ? [] : [{ node, error: reason }],
    node_metrics: [{ node, metrics }],
    node_resource_metrics: [{ node, metrics: resourceMetrics }],
  };
}
