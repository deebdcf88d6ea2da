import { masked, NoSecret, unmasked } from '@mqdeck/contract/kit/secrets';
import { type plugins as contract, type PluginConfigSchema, pluginConfig } from '@mqdeck/contract/plugins';
import * as z from 'zod/mini';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { PackageFault } from './package.ts';
import { AlreadyInstalled, type Plugins, type Running } from './plugins.ts';

export function pluginsApi(plugins: Plugins, node: string): Handlers<typeof contract> {
  const one = (id: string): Running => plugins.find(id) ?? fail('NOT_FOUND', id.slice(0, 200));
  return {
    list: () => plugins.list().map((plugin) => present(plugin, node)),
    install: async ({ query, upload: { filename, content } }) => {
      if (filename === null)
        return fail('BAD_REQUEST', 'The form must have a file name-version.tar.gz in its field plugin');
      try {
        await plugins.install(filename, content, query.replace === 'true');
      } catch (cause) {
        if (cause instanceof AlreadyInstalled) return fail('ALREADY_INSTALLED', cause.message);
        if (cause instanceof PackageFault) return fail('BAD_PLUGIN_INFO', cause.message);
        throw cause;
      }
    },
    get: async ({ params: { name } }) => {
      const plugin = one(name);
      const readme = await plugin.readme().catch(unreadable);
      return { ...present(plugin, node), readme: readme ?? '', metrics: plugin.metrics };
    },
    remove: async ({ params: { name } }) => {
      if (!(await plugins.remove(name))) fail('NOT_FOUND', name.slice(0, 200));
    },
    operate: async ({ params: { name, action } }) => {
      if (action !== 'start' && action !== 'stop') return fail('BAD_REQUEST', notAnAction(action));
      if (!(await plugins.enable(name, action === 'start'))) fail('NOT_FOUND', name.slice(0, 200));
    },
    move: async ({ params: { name }, body: { position } }) => {
      if (!plugins.find(name)) return fail('MOVE_FAILED', `There is no plugin ${name.slice(0, 200)}`);
      const done = await plugins.move(name, (others) => placeAt(position, others));
      if (!done)
        fail('MOVE_FAILED', 'The position must be front, rear, or before: or after: one of the others');
    },
    schema: ({ params: { name } }) => {
      const { config_schema } = one(name).installed.manifest;
      if (!config_schema) return fail('FILE_NOT_EXISTED', 'The plugin has nothing to configure');
      return { avro: null, i18n: null, json: config_schema };
    },
    config: ({ params: { name } }) => {
      configurable(one(name));
      return masked(plugins.configOf(name));
    },
    configure: async ({ params: { name }, body }) => {
      const schema = configurable(one(name));
      await plugins.configure(name, checked(schema, body, plugins.configOf(name)));
    },
  };
}

const notAnAction = (value: string): string =>
  JSON.stringify({
    value: value.slice(0, 200),
    reason: 'not_a_enum_symbol',
    path: 'action',
    kind: 'validation_error',
  });

const unreadable = (cause: unknown): never => {
  if (cause instanceof PackageFault) return fail('BAD_PLUGIN_INFO', cause.message);
  throw cause;
};

function placeAt(position: string, others: readonly string[]): number | null {
  if (position === 'front') return 0;
  if (position === 'rear') return others.length;
  const [, side, anchor = ''] = /^(before|after):(.+)$/s.exec(position) ?? [];
  const at = others.indexOf(anchor);
  return at === -1 ? null : side === 'after' ? at + 1 : at;
}

function configurable({ installed }: Running): PluginConfigSchema {
  return installed.manifest.config_schema ?? fail('BAD_CONFIG', 'The plugin has nothing to configure');
}

/** What was sent, secrets that were sent back unchanged filled in. */
function checked(schema: PluginConfigSchema, body: object, before: object): Record<string, unknown> {
  let config: object;
  try {
    config = unmasked(body, before);
  } catch (cause) {
    if (cause instanceof NoSecret) return fail('BAD_CONFIG', `${cause.path}: ${cause.message}`);
    throw cause;
  }
  const { success, data, error } = z.safeParse(pluginConfig(schema), config);
  if (success) return data as Record<string, unknown>;
  const faults = error.issues.map(({ path, message, ...issue }) => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    return unknown === undefined
      ? { kind: 'validation_error', path: path.map(String).join('.'), reason: message }
      : { kind: 'validation_error', path: unknown, reason: 'unknown_fields', unknown };
  });
  return fail('BAD_CONFIG', JSON.stringify(faults.length === 1 ? faults[0] : faults));
}

function present(plugin: Running, node: string) {
  const { main: _, readme: _file, config_schema, ...manifest } = plugin.installed.manifest;
  const { running, trouble } = plugin.state;
  const health = trouble === null ? { status: 'ok', message: '' } : { status: 'error', message: trouble };
  return {
    ...manifest,
    rel_apps: [plugin.id],
    with_config_schema: config_schema !== undefined,
    running_status: [{ node, status: running ? 'running' : 'stopped', health_status: health }],
  };
}
