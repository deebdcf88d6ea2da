import { randomBytes } from 'node:crypto';
import { parseDuration } from '@mqdeck/contract/kit/values';
import type { rules as contract, KeptRule, Rule, RuleAction } from '@mqdeck/contract/rules';
import { RULE_ID, RULE_ID_LENGTH_MAX } from '@mqdeck/contract/rules';
import { filterMatches, isValidFilter } from '@mqdeck/mqtt/topics';
import { SqlSyntaxError } from '@mqdeck/rulesql/errors';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { pageOf, presented } from '../../paging/page.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { actionName } from './actions.ts';
import { catalogue } from './catalogue.ts';
import type { LiveRule, Rules } from './rules.ts';
import { tryStatement } from './trial.ts';

const NOT_FOUND = 'Rule Id Not Found';
const RULES_MAX = 10_000;

export function rulesApi(
  rules: Rules,
  settings: SettingsStore,
  { node, clock }: Core,
): Handlers<typeof contract> {
  const found = (id: string): LiveRule => rules.find(id) ?? fail('NOT_FOUND', NOT_FOUND);
  const metricsOf = ({ id, metrics: { values } }: LiveRule) => ({
    id,
    metrics: values,
    node_metrics: [{ node, metrics: values }],
  });

  async function save(id: string, rule: KeptRule): Promise<Rule> {
    try {
      return present(await rules.save(id, rule));
    } catch (cause) {
      if (!(cause instanceof SqlSyntaxError)) throw cause;
      const path = `rule_engine.rules.${id}.sql`;
      return fail(
        'BAD_REQUEST',
        JSON.stringify({ kind: 'validation_error', path, reason: cause.message, value: rule.sql }),
      );
    }
  }

  return {
    list: async ({ query }) => {
      const { sort, order } = query;
      const fuzzy = ['from', 'like_id', 'like_from', 'match_from', 'like_description'] as const;
      const page = await pageOf<LiveRule>(query, {
        rows: [[...rules.all()].reverse()],
        matches: filtersOf(query),
        counted: fuzzy.every((key) => query[key] === undefined),
        sorting: sort && {
          by: sort,
          order,
          valueIn: ({ id, kept }) =>
            sort === 'id' ? id : sort === 'enable' ? Number(kept.enable) : kept[sort],
        },
      });
      return presented(page, present);
    },
    create: async ({ body: { id: given, ...rule } }) => {
      const id = given ?? randomBytes(4).toString('hex');
      if (rules.find(id)) return fail('BAD_REQUEST', 'rule id already exists');
      if ([...rules.all()].length >= RULES_MAX)
        return fail('BAD_REQUEST', `There can be ${RULES_MAX} rules at most`);
      const now = clock.refresh();
      return save(id, { ...rule, created_at: now, last_modified_at: now });
    },
    get: ({ params: { id } }) => present(found(id)),
    update: async ({ params: { id }, body }) => {
      const before = rules.find(id)?.kept;
      const now = clock.refresh();
      if (!before && (!RULE_ID.test(id) || id.length > RULE_ID_LENGTH_MAX))
        return fail('BAD_REQUEST', 'invalid_map_key');
      if (!before && body.sql === undefined)
        return fail(
          'BAD_REQUEST',
          JSON.stringify({
            kind: 'validation_error',
            path: `rule_engine.rules.${id}.sql`,
            reason: 'required_field',
          }),
        );
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      const base = before ?? {
        name: '',
        sql: '',
        actions: [],
        enable: true,
        description: '',
        created_at: now,
      };
      return save(id, { ...base, ...given, last_modified_at: now } as KeptRule);
    },
    remove: async ({ params: { id } }) => {
      if (!(await rules.remove(id))) fail('NOT_FOUND', NOT_FOUND);
    },
    metrics: ({ params: { id } }) => metricsOf(found(id)),
    resetMetrics: ({ params: { id } }) => {
      found(id).metrics.reset();
    },
    allMetrics: () => [...rules.all()].map(metricsOf),
    events: () => catalogue,
    test: ({ body }) => tryStatement(rules, node, body) as Record<string, unknown>,
    engine: () => engineOf(settings),
    updateEngine: async ({ body }) => {
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      await settings.change('rule_engine', { ...settings.get('rule_engine'), ...given });
      return engineOf(settings);
    },
    samples: ({ query }) => {
      const { samples, position } = rules.samples.read(query.source, query.position);
      return { data: samples.map((sample) => ({ ...sample, at: rfc3339(sample.at) })), position };
    },
  };
}

function engineOf(settings: SettingsStore) {
  const { ignore_sys_message, jq_function_default_timeout } = settings.get('rule_engine');
  return { ignore_sys_message, jq_function_default_timeout: parseDuration(jq_function_default_timeout)! };
}

const present = ({ id, kept, statement }: LiveRule): Rule => ({
  id,
  name: kept.name,
  sql: kept.sql,
  actions: kept.actions.map(shownAction),
  enable: kept.enable,
  description: kept.description,
  from: [...statement.sources],
  created_at: rfc3339(kept.created_at),
  last_modified_at: rfc3339(kept.last_modified_at),
  ...(kept.metadata && { metadata: kept.metadata }),
});

const shownAction = (action: RuleAction) => (typeof action === 'string' ? actionName(action) : { ...action });

interface Filters {
  enable?: string | undefined;
  from?: string | undefined;
  like_id?: string | undefined;
  like_from?: string | undefined;
  match_from?: string | undefined;
  like_description?: string | undefined;
}

function filtersOf({ enable, from, like_id, like_from, match_from, like_description }: Filters) {
  const tests: ((rule: LiveRule) => boolean)[] = [];
  if (enable !== undefined) tests.push(({ kept }) => String(kept.enable) === enable);
  if (from !== undefined) tests.push(({ statement }) => statement.sources.includes(from));
  if (like_id !== undefined) tests.push(({ id }) => id.includes(like_id));
  if (like_from !== undefined)
    tests.push(({ statement }) => statement.sources.some((source) => source.includes(like_from)));
  if (match_from !== undefined)
    tests.push(({ statement }) =>
      statement.sources.some(
        (source) => source === match_from || (isValidFilter(match_from) && filterMatches(match_from, source)),
      ),
    );
  if (like_description !== undefined) tests.push(({ kept }) => kept.description.includes(like_description));
  return (rule: LiveRule) => tests.every((test) => test(rule));
}
