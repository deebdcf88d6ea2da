import type { ConfigFaults } from '@mqdeck/contract/configs';
import type { ValidationFault } from '@mqdeck/contract/kit/faults';
import { NoSecret } from '@mqdeck/contract/kit/secrets';
import * as z from 'zod/mini';
import { configFaults } from '../../http/faults.ts';
import {
  type Section,
  type Sections,
  SettingsFault,
  type SettingsStore,
  schemaOf,
} from '../../settings/settings.ts';
import type { Hocon, HoconObject } from './hocon-reader.ts';
import { givenRoot, type Root, roots } from './roots.ts';

/** A fault of a root, or several. */
type Faults = ValidationFault | ValidationFault[];

/** What the sections become of which a configuration says something, or what is wrong with it. */
export function changedSections(
  given: HoconObject,
  settings: SettingsStore,
  mode: 'merge' | 'replace',
): { sections: Partial<Sections> } | ConfigFaults {
  const sections = new Map<Section, unknown>();
  const errors: Record<string, Faults | string> = {};
  for (const [name, value] of Object.entries(given)) {
    const root = roots.get(name);
    const result = root
      ? sectionOf(name, root, value, settings, mode)
      : `root_key_not_found: ${name.slice(0, 100)}`;
    if (root && typeof result === 'object' && 'section' in result) sections.set(root.section, result.section);
    else errors[name] = result as Faults | string;
  }
  if (Object.keys(errors).length > 0) return { errors };
  return { sections: Object.fromEntries(sections) as Partial<Sections> };
}

function sectionOf(
  name: string,
  root: Root,
  given: Hocon,
  settings: SettingsStore,
  mode: 'merge' | 'replace',
): { section: unknown } | Faults {
  const path = (names: readonly PropertyKey[]) => pathBelow(name, root, names);
  try {
    const value = givenRoot(root, given, settings.get(root.section), mode);
    const schema = schemaOf(root.section);
    const result = z.safeParse(schema, value);
    if (result.success) {
      settings.check(root.section, result.data as Sections[Section]);
      return { section: result.data };
    }
    const faults = configFaults(name, schema, value, result.error.issues).map((fault) =>
      root.field === undefined
        ? fault
        : { ...fault, path: fault.path.replace(`${name}.${root.field}`, name) },
    );
    return faults.length === 1 ? faults[0]! : faults;
  } catch (error) {
    if (error instanceof SettingsFault)
      return { kind: 'validation_error', path: path(error.path), reason: error.message };
    if (error instanceof NoSecret)
      return { kind: 'validation_error', path: `${name}.${error.path}`, reason: error.message };
    throw error;
  }
}

/** Items of a list count from 1. */
const pathBelow = (name: string, { field }: Root, names: readonly PropertyKey[]): string =>
  [name, ...(names[0] === field ? names.slice(1) : names)]
    .map((part) => (typeof part === 'number' ? part + 1 : String(part)))
    .join('.');
