import type { configs } from '@mqdeck/contract/configs';
import * as z from 'zod/mini';
import { fail } from '../../http/api-error.ts';
import { type Handlers, withStatus } from '../../http/handlers.ts';
import { type Sections, SettingsFault, type SettingsStore, schemaOf } from '../../settings/settings.ts';
import { changedSections } from './change.ts';
import { HoconError, type HoconObject, isHoconObject, readHocon } from './hocon-reader.ts';
import { writeHocon } from './hocon-writer.ts';
import { type Root, roots, shownRoot } from './roots.ts';

/** Everything that can be set, as one text: read, merged and replaced as a whole. */
export function configsApi(settings: SettingsStore, node: string): Handlers<typeof configs> {
  const shown = (which: (name: string, root: Root) => boolean): HoconObject =>
    Object.fromEntries(
      [...roots]
        .filter(([name, root]) => which(name, root))
        .map(([name, root]) => [name, shownRoot(root, settings.get(root.section))]),
    );

  return {
    get: ({ query: { key, node: asked }, accept }) => {
      if (key !== undefined && !roots.has(key)) failOf('key', key);
      if (asked !== undefined && asked !== node) fail('NOT_FOUND', `Bad node '${asked.slice(0, 100)}'`);
      if (wantsJson(accept))
        return shown((name, { hot }) => (key === undefined ? hot === true : name === key));
      return writeHocon(shown((name) => key === undefined || name === key));
    },
    update: async ({ body, query: { mode } }) => {
      const given = read(body);
      const changed =
        given instanceof HoconError ? parseError(given) : changedSections(given, settings, mode);
      if ('errors' in changed) return withStatus(400, JSON.stringify(changed));
      await settings.changeAll(changed.sections);
      return undefined;
    },
    reset: async ({ params: { root: name }, query: { conf_path: path } }) => {
      const root = roots.get(name);
      if (!root?.hot) return failOf('rootname', name);
      const names = path?.split('.') ?? [];
      const defaults = z.parse(schemaOf(root.section), {}) as HoconObject;
      const section = withDefault(settings.get(root.section) as HoconObject, defaults, names);
      if (names.length === 0 || section === null) return fail('NO_DEFAULT_VALUE', 'No default value');
      try {
        await settings.changeAll({
          [root.section]: z.parse(schemaOf(root.section), section),
        } as Partial<Sections>);
      } catch (error) {
        if (error instanceof SettingsFault)
          return fail('BAD_REQUEST', `${error.path.join('.')} ${error.message}`);
        throw error;
      }
    },
  };
}

const read = (text: string): HoconObject | HoconError => {
  try {
    return readHocon(text);
  } catch (error) {
    if (error instanceof HoconError) return error;
    throw error;
  }
};

const parseError = ({ line, message }: HoconError) => ({
  errors: { line, reason: message, type: 'parse_error' as const },
});

const failOf = (path: string, value: string): never =>
  fail(
    'BAD_REQUEST',
    JSON.stringify({
      kind: 'validation_error',
      path,
      reason: 'not_a_enum_symbol',
      value: value.slice(0, 100),
    }),
  );

/** Text is what is answered to those who take everything. */
function wantsJson(accept: string): boolean {
  const types = accept.split(',').map((type) => type.split(';')[0]!.trim().toLowerCase());
  if (accept === '' || types.some((type) => ['*/*', 'text/*', 'text/plain'].includes(type))) return false;
  if (types.some((type) => ['application/json', 'application/*'].includes(type))) return true;
  return fail('INVALID_ACCEPT', 'The answer is text/plain or application/json');
}

/** The section with the value at the path as it was delivered; null where no default is. */
function withDefault(
  values: HoconObject,
  defaults: HoconObject,
  [name, ...rest]: string[],
): HoconObject | null {
  if (name === undefined || !Object.hasOwn(defaults, name)) return null;
  const usual = defaults[name]!;
  if (rest.length === 0) return { ...values, [name]: usual };
  const own = values[name];
  if (!isHoconObject(own) || !isHoconObject(usual)) return null;
  const inner = withDefault(own, usual, rest);
  return inner && { ...values, [name]: inner };
}
