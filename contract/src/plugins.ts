import * as z from 'zod/mini';
import { empty, endpoint, json, noContent } from './kit/endpoint.ts';
import { isSecretName } from './kit/secrets.ts';

/** What the name of a package ends with; the rest of it is the name of the folder inside, `name-version`. */
export const PLUGIN_EXTENSION = '.tar.gz';
export const PLUGIN_UPLOAD_BYTES_MAX = 16 * 1024 ** 2;

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const VERSION = /^[0-9](?:[.-]?[A-Za-z0-9_])*$/;
const VERSION_CHARS_MAX = 40;

/** Whether `name-version` may name a plugin, and with it a folder: a name has no `-`, a version begins with a digit. */
export function isPluginId(id: string): boolean {
  const dash = id.indexOf('-');
  const version = id.slice(dash + 1);
  return dash > 0 && NAME.test(id.slice(0, dash)) && isVersion(version);
}

/** The name in `name-version`. */
export const pluginName = (id: string): string => id.split('-', 1)[0]!;

const isVersion = (text: string): boolean => text.length <= VERSION_CHARS_MAX && VERSION.test(text);

// --- the configuration that a plugin takes: a part of JSON Schema

const FIELDS_MAX = 64;
const TEXT_CHARS_MAX = 64 * 1024;

/** A text for operators, or one in each language. */
const Words = z.union([
  z.string().check(z.maxLength(500)),
  z.strictObject({ en: z.string().check(z.maxLength(500)), zh: z.string().check(z.maxLength(500)) }),
]);
export type PluginWords = z.infer<typeof Words>;

const about = { title: z.optional(Words), description: z.optional(Words) };
const count = z.number().check(z.int(), z.gte(0), z.lte(TEXT_CHARS_MAX));
const word = z.string().check(z.maxLength(TEXT_CHARS_MAX));

/** One field. Nothing else of JSON Schema is taken: no rule is believed to hold that nobody checks. */
export const PluginConfigField = z.discriminatedUnion('type', [
  z.strictObject({
    ...about,
    type: z.literal('string'),
    default: z.optional(word),
    enum: z.optional(z.array(word).check(z.minLength(1), z.maxLength(100))),
    minLength: z.optional(count),
    maxLength: z.optional(count),
    /** `textarea`: of several lines; `password`: shown by nobody. */
    format: z.optional(z.enum(['textarea', 'password'])),
  }),
  z.strictObject({
    ...about,
    type: z.enum(['integer', 'number']),
    default: z.optional(z.number()),
    minimum: z.optional(z.number()),
    maximum: z.optional(z.number()),
  }),
  z.strictObject({ ...about, type: z.literal('boolean'), default: z.optional(z.boolean()) }),
  z.strictObject({
    ...about,
    type: z.literal('array'),
    items: z.strictObject({ type: z.literal('string') }),
    default: z.optional(z.array(word)),
    maxItems: z.optional(count),
  }),
]);
export type PluginConfigField = z.infer<typeof PluginConfigField>;

const FIELD_NAME = /^[a-z][A-Za-z0-9_]{0,63}$/;

export const PluginConfigSchema = z.strictObject({
  type: z.literal('object'),
  properties: z
    .record(
      z.string().check(z.regex(FIELD_NAME, 'a field is named by letters, digits and "_"')),
      PluginConfigField,
    )
    .check(z.refine((fields) => Object.keys(fields).length <= FIELDS_MAX, `at most ${FIELDS_MAX} fields`)),
  required: z.optional(z.array(z.string())),
});
export type PluginConfigSchema = z.infer<typeof PluginConfigSchema>;

/** What a configuration must be, defaults filled in: for the broker's check and for the console's form. */
export function pluginConfig({ properties, required = [] }: PluginConfigSchema) {
  const fields = Object.entries(properties).map(([name, field]): [string, z.ZodMiniType] => {
    const schema = fieldSchema(field);
    if (field.default !== undefined) return [name, z._default(schema, field.default)];
    return [name, required.includes(name) ? schema : z.optional(schema)];
  });
  return z.strictObject(Object.fromEntries(fields));
}

function fieldSchema(field: PluginConfigField): z.ZodMiniType {
  switch (field.type) {
    case 'string': {
      if (field.enum) return z.enum(field.enum as [string, ...string[]]);
      const { minLength = 0, maxLength = TEXT_CHARS_MAX } = field;
      return z.string().check(z.minLength(minLength), z.maxLength(maxLength));
    }
    case 'boolean':
      return z.boolean();
    case 'array':
      return z.array(word).check(z.maxLength(field.maxItems ?? 1000));
    default: {
      const { minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE } = field;
      const range = [z.gte(minimum), z.lte(maximum)];
      return field.type === 'integer' ? z.number().check(z.int(), ...range) : z.number().check(...range);
    }
  }
}

// --- packages

const HOOKS = [
  // Whoever called waits for the answers of these …
  'client.connect',
  'client.authenticate',
  'client.authorize',
  'client.subscribe',
  'message.publish',
  // … and not for those of the others.
  'client.connected',
  'client.disconnected',
  'session.subscribed',
  'session.unsubscribed',
  'message.delivered',
  'message.acked',
  'message.dropped',
] as const;

export const PluginHook = z.strictObject({
  name: z.enum(HOOKS),
  /** Of hooks of messages: the topics it is asked about, `#` without it. */
  topics: z.optional(z.array(z.string().check(z.maxLength(1024))).check(z.minLength(1), z.maxLength(100))),
  /** What becomes of whoever waits while the plugin does not answer: `ignore` goes on without it, `deny` refuses. */
  failed_action: z.optional(z.enum(['ignore', 'deny'])),
  /** Of `message.publish`: only looks on, and nobody waits. */
  observe: z.optional(z.boolean()),
});
export type PluginHook = z.infer<typeof PluginHook>;

const line = z.string().check(z.maxLength(500));
const lines = z.array(line).check(z.maxLength(50));
const FILE = /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*\/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*$/;
const file = z.string().check(z.maxLength(100), z.regex(FILE, 'must be the path of a file in the package'));

const described = {
  description: z._default(z.string().check(z.maxLength(2000)), ''),
  authors: z._default(lines, []),
  builder: z.optional(
    z.object({ name: z.optional(line), contact: z.optional(line), website: z.optional(line) }),
  ),
  repo: z.optional(line),
  functionality: z._default(lines, []),
  compatibility: z._default(z.record(line, line), {}),
  git_ref: z.optional(line),
  git_commit_or_build_date: z.optional(line),
  date: z.optional(line),
  metadata_vsn: z.optional(line),
};

/** `release.json` of a package. What else stands there is left out. */
export const PluginManifest = z
  .object({
    name: z.string().check(z.regex(NAME, 'a name has letters, digits and "_", and begins with a letter')),
    rel_vsn: z.string().check(z.refine(isVersion, 'a version begins with a digit')),
    ...described,
    /** The compiled ES module whose default export starts the plugin. */
    main: file.check(z.regex(/\.mjs$/, 'must end with .mjs')),
    hooks: z._default(z.array(PluginHook).check(z.maxLength(HOOKS.length)), []),
    config_schema: z.optional(PluginConfigSchema),
    /** In Markdown. */
    readme: z._default(file, 'README.md'),
  })
  .check(
    z.refine(
      ({ hooks }) => new Set(hooks.map(({ name }) => name)).size === hooks.length,
      'a hook is named twice',
    ),
    z.refine(
      ({ config_schema }) =>
        Object.entries(config_schema?.properties ?? {}).every(
          ([name, field]) => !('format' in field && field.format === 'password') || isSecretName(name),
        ),
      'a field of the format password must bear the name of a secret, such as password, secret or token',
    ),
    z.refine(
      ({ config_schema }) => config_schema === undefined || defaultsHold(config_schema),
      'a default of the configuration is not what its own field takes',
    ),
  );
export type PluginManifest = z.output<typeof PluginManifest>;

const defaultsHold = ({ properties }: PluginConfigSchema): boolean =>
  Object.values(properties).every(
    (field) => field.default === undefined || z.safeParse(fieldSchema(field), field.default).success,
  );

// --- settings

/** The plugins in their order: which run, and how each is configured. */
export const PluginsSettings = z.strictObject({
  states: z._default(
    z.array(
      z.strictObject({
        name_vsn: z.string().check(z.refine(isPluginId, 'must be name-version')),
        enable: z._default(z.boolean(), false),
        config: z._default(z.record(z.string(), z.unknown()), {}),
      }),
    ),
    [],
  ),
});
export type PluginsSettings = z.output<typeof PluginsSettings>;

// --- the API

const RunningStatus = z.looseObject({
  node: z.string(),
  status: z.string(), // running, stopped
  /** Why it does not run although it should, or runs badly. */
  health_status: z.optional(z.looseObject({ status: z.string(), message: z.string() })),
});

export const Plugin = z.looseObject({
  name: z.string(),
  rel_vsn: z.string(),
  description: z.optional(z.string()),
  authors: z.optional(z.array(z.string())),
  builder: z.optional(z.looseObject({ website: z.optional(z.string()) })),
  running_status: z.array(RunningStatus),
});
export type Plugin = z.infer<typeof Plugin>;

/** An extension: what a plugin has done on this node since an operator, or the broker, started it. */
export const PluginMetrics = z.looseObject({
  asked: z.number(), // somebody waited for the answer
  told: z.number(),
  failed: z.number(), // answers that were none
  timed_out: z.number(),
  published: z.number(),
  ended: z.number(), // by itself, or because it took more than its limits
  restarted: z.number(),
  memory: z.nullable(z.number()), // bytes of its heap and its buffers; null = it does not run, or has not said
  since: z.string(),
  last_error: z.nullable(z.looseObject({ at: z.string(), reason: z.string() })),
});
export type PluginMetrics = z.infer<typeof PluginMetrics>;

/** Where in the order: `front`, `rear`, `before:NAME-VERSION`, `after:NAME-VERSION`. */
const move = z.strictObject({ position: z.string() });

export const plugins = {
  list: endpoint({
    method: 'GET',
    path: '/plugins',
    summary: 'The installed plugins, in the order in which they are asked',
    ok: json(z.array(Plugin)),
  }),
  install: endpoint({
    method: 'POST',
    path: '/plugins/install',
    summary:
      'Install a package name-version.tar.gz: code that runs with the rights of the broker. With `replace` another version of it is taken out, and its order, state and configuration are kept.',
    access: 'user', // whoever installs runs code on the broker's machine
    query: z.object({ replace: z.optional(z.enum(['true', 'false'])) }),
    upload: { field: 'plugin', bytesMax: PLUGIN_UPLOAD_BYTES_MAX },
    ok: empty,
    errors: ['ALREADY_INSTALLED', 'BAD_PLUGIN_INFO', 'EXCEED_LIMIT'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/plugins/:name',
    summary: 'A plugin by name-version, with its readme, and with what it has done since it was started',
    ok: json(z.extend(Plugin, { readme: z.optional(z.string()), metrics: z.optional(PluginMetrics) })),
    errors: ['NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/plugins/:name',
    summary: 'Stop a plugin and delete it, its configuration included',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  operate: endpoint({
    method: 'PUT',
    path: '/plugins/:name/:action',
    summary: 'start or stop',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  move: endpoint({
    method: 'POST',
    path: '/plugins/:name/move',
    summary: 'Give a plugin another place: front, rear, before:NAME-VERSION or after:NAME-VERSION',
    body: move,
    ok: empty,
    errors: ['MOVE_FAILED'],
  }),
  schema: endpoint({
    method: 'GET',
    path: '/plugins/:name/schema',
    summary: 'What the configuration of a plugin must be',
    ok: json(z.looseObject({ avro: z.unknown(), json: z.optional(PluginConfigSchema) })),
    errors: ['NOT_FOUND', 'FILE_NOT_EXISTED'],
  }),
  config: endpoint({
    method: 'GET',
    path: '/plugins/:name/config',
    summary: 'The configuration of a plugin; its secrets are hidden',
    ok: json(z.looseObject({})),
    errors: ['NOT_FOUND', 'BAD_CONFIG'],
  }),
  configure: endpoint({
    method: 'PUT',
    path: '/plugins/:name/config',
    summary: 'Replace the configuration of a plugin; it is told, and goes on running',
    body: z.record(z.string(), z.unknown()), // checked by the plugin's own schema
    ok: noContent,
    errors: ['NOT_FOUND', 'BAD_CONFIG'],
  }),
};
