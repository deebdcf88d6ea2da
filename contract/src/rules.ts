import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { page, pageQueryFields, sortQueryFields } from './kit/page.ts';
import { queryInt, queryList } from './kit/query.ts';
import { duration, flag, metadata, note, text, timestamp } from './kit/values.ts';

export const RULE_ID = /^[A-Za-z0-9]+[A-Za-z0-9-_]*$/;
export const RULE_ID_LENGTH_MAX = 256;
const RULE_SQL_LENGTH_MAX = 64 * 1024;
const RULE_ACTIONS_MAX = 100;
/** A copy of a rule has this behind its id; a second one a number behind that. */
export const DUPLICATION_SUFFIX = '_duplication';

const actionId = z.string().check(z.regex(/^[^:\s]+:[^:\s]+$/, 'should be of pattern {type}:{name}'));
/** 0, 1, 2, or a text with placeholders; other numbers are kept as texts, as the real API does. */
const qos = z.pipe(
  z.union([z.number(), z.string()]),
  z.transform((value) => (value === 0 || value === 1 || value === 2 ? (value as 0 | 1 | 2) : String(value))),
);
const retain = z.union([z.boolean(), z.string()]);

/** Texts hold `${…}`, filled from the rule's result. */
export const RepublishArgs = z.strictObject({
  topic: text.check(z.minLength(1)),
  qos: z._default(qos, '${qos}'),
  retain: z._default(retain, '${retain}'),
  payload: z._default(text, '${payload}'),
  mqtt_properties: z._default(z.record(z.string(), z.union([z.string(), z.number()])), {}),
  user_properties: z._default(z.string(), '${user_properties}'),
  /** Delivered to subscribers without being a publish: no rule, no retainer sees it. */
  direct_dispatch: z._default(flag, false),
});
export type RepublishArgs = z.output<typeof RepublishArgs>;

const ConsoleAction = z.strictObject({
  function: z.literal('console'),
  args: z.optional(z.looseObject({})),
});
const RepublishAction = z.strictObject({ function: z.literal('republish'), args: RepublishArgs });
/** Also the id of a bridge or an action, which need not exist. */
export const RuleAction = z.union([
  actionId,
  z.discriminatedUnion('function', [ConsoleAction, RepublishAction]),
]);
export type RuleAction = z.output<typeof RuleAction>;

const ruleFields = {
  name: z._default(note, ''),
  sql: z.string().check(z.maxLength(RULE_SQL_LENGTH_MAX)),
  actions: z._default(z.array(RuleAction).check(z.maxLength(RULE_ACTIONS_MAX)), []),
  enable: z._default(flag, true),
  description: z._default(note, ''),
  metadata: z.optional(metadata),
};

const NewRule = z.strictObject({
  /** Without one the broker makes eight hexadecimal digits. */
  id: z.optional(z.string().check(z.regex(RULE_ID, 'invalid_map_key'), z.maxLength(RULE_ID_LENGTH_MAX))),
  ...ruleFields,
});

const RuleChange = z.strictObject({
  name: z.optional(note),
  sql: z.optional(ruleFields.sql),
  actions: z.optional(z.array(RuleAction).check(z.maxLength(RULE_ACTIONS_MAX))),
  enable: z.optional(flag),
  description: z.optional(note),
  metadata: z.optional(metadata),
});

/** As it is kept in the settings; times are epoch milliseconds. */
export const KeptRule = z.strictObject({
  ...ruleFields,
  created_at: z.number(),
  last_modified_at: z.number(),
});
export type KeptRule = z.output<typeof KeptRule>;

export const RuleEngineSettings = z.strictObject({
  /** Messages of the broker about itself match no rule. */
  ignore_sys_message: z._default(flag, true),
  /** `jq` is not built in: kept for those who send it back. */
  jq_function_default_timeout: z._default(duration, '10s'),
  rules: z._default(z.record(z.string(), KeptRule), {}),
});
export type RuleEngineSettings = z.output<typeof RuleEngineSettings>;

export const Rule = z.looseObject({
  id: z.string(),
  name: z.string(),
  sql: z.string(),
  actions: z.array(z.union([z.string(), z.looseObject({ function: z.string() })])),
  enable: z.boolean(),
  description: z.string(),
  /** The sources of the statement. */
  from: z.array(z.string()),
  created_at: timestamp,
  last_modified_at: z.optional(timestamp),
});
export type Rule = z.infer<typeof Rule>;

/** `matched`: the source fitted; `passed`: there was a result; `failed.no_result`: WHERE was not true. */
export const RULE_COUNTERS = [
  'matched',
  'passed',
  'failed',
  'failed.exception',
  'failed.no_result',
  'actions.total',
  'actions.success',
  'actions.failed',
  'actions.failed.out_of_service',
  'actions.failed.unknown',
  'actions.discarded',
] as const;
export type RuleCounter = (typeof RULE_COUNTERS)[number];

const RuleMetrics = z.looseObject({
  matched: z.number(),
  passed: z.number(),
  failed: z.number(),
  'matched.rate': z.number(),
  'matched.rate.last5m': z.number(),
  'matched.rate.max': z.number(),
});
export const RuleMetricsAnswer = z.looseObject({
  id: z.string(),
  metrics: RuleMetrics,
  node_metrics: z.array(z.looseObject({ node: z.string(), metrics: RuleMetrics })),
});
export type RuleMetricsAnswer = z.infer<typeof RuleMetricsAnswer>;

const inLanguages = z.looseObject({ en: z.string(), zh: z.string() });
/** What rules can be made of: its columns, and what a test may be given, each with a sample and its meaning. */
export const RuleEvent = z.looseObject({
  event: z.string(),
  title: inLanguages,
  description: inLanguages,
  columns: z.array(z.string()),
  test_columns: z.record(z.string(), z.array(z.unknown())),
  sql_example: z.string(),
});
export type RuleEvent = z.infer<typeof RuleEvent>;

/** What a message or an event was like that a rule could have seen. */
export const RuleSample = z.looseObject({
  /** Counts up; ask for those behind one. */
  position: z.number(),
  at: timestamp,
  columns: z.record(z.string(), z.unknown()),
});
export type RuleSample = z.infer<typeof RuleSample>;

const SORTS = ['id', 'name', 'enable', 'created_at', 'last_modified_at'] as const;
const engineAnswer = json(
  z.looseObject({
    ignore_sys_message: z.boolean(),
    jq_function_default_timeout: z.union([z.string(), z.number()]),
  }),
);

export const rules = {
  list: endpoint({
    method: 'GET',
    path: '/rules',
    summary: 'Rules, a page at a time',
    query: z.looseObject({
      ...pageQueryFields,
      enable: z.optional(z.string()), // an unknown word fits no rule
      from: z.optional(z.string()),
      like_id: z.optional(z.string()),
      like_from: z.optional(z.string()),
      /** Rules whose source would get messages of this topic, or of this filter. */
      match_from: z.optional(z.string()),
      like_description: z.optional(z.string()),
      ...sortQueryFields(SORTS),
    }),
    ok: page(Rule),
  }),
  create: endpoint({
    method: 'POST',
    path: '/rules',
    summary: 'Make a rule',
    body: NewRule,
    ok: json(Rule, 201),
  }),
  get: endpoint({
    method: 'GET',
    path: '/rules/:id',
    summary: 'A rule',
    ok: json(Rule),
    errors: ['NOT_FOUND'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/rules/:id',
    summary: 'Change a rule: what is left out stays. An id that is not there is made.',
    body: RuleChange,
    ok: json(Rule),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/rules/:id',
    summary: 'Delete a rule',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/rules/:id/metrics',
    summary: 'What a rule has seen and done',
    ok: json(RuleMetricsAnswer),
    errors: ['NOT_FOUND'],
  }),
  resetMetrics: endpoint({
    method: 'PUT',
    path: '/rules/:id/metrics/reset',
    summary: 'Count from nought again',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  allMetrics: endpoint({
    method: 'GET',
    path: '/rules_metrics',
    summary: 'The metrics of all rules in one answer',
    ok: json(z.array(RuleMetricsAnswer)),
    extension: 'The real API asks for each rule alone.',
  }),
  events: endpoint({
    method: 'GET',
    path: '/rule_events',
    summary: 'Events that rules can be made of',
    ok: json(z.array(RuleEvent)),
  }),
  test: endpoint({
    method: 'POST',
    path: '/rule_test',
    asks: true,
    summary: 'What a statement makes of a message or an event',
    body: z.strictObject({
      sql: z.string(),
      context: z._default(z.looseObject({ event_type: z.optional(z.unknown()) }), {}),
    }),
    ok: json(z.union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))])),
    errors: ['NOT_MATCH'],
  }),
  engine: endpoint({
    method: 'GET',
    path: '/rule_engine',
    summary: 'Settings of all rules',
    ok: engineAnswer,
  }),
  updateEngine: endpoint({
    method: 'PUT',
    path: '/rule_engine',
    summary: 'Change the settings of all rules',
    body: z.strictObject({
      ignore_sys_message: z.optional(flag),
      jq_function_default_timeout: z.optional(duration),
    }),
    ok: engineAnswer,
  }),
  samples: endpoint({
    method: 'GET',
    path: '/rule_samples',
    summary:
      'The last real messages and events of some sources. Who asks is listened for from then on, for a minute.',
    query: z.looseObject({
      /** Topic filters, `$events/…`, `$bridges/…`. */
      source: queryList,
      position: z._default(queryInt({ min: 0 }), 0),
    }),
    ok: json(z.looseObject({ data: z.array(RuleSample), position: z.number() })),
    extension: 'Real input for the test of a statement.',
  }),
};
