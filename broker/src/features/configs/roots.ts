import { masked, NoSecret, unmasked } from '@mqdeck/contract/kit/secrets';
import { MASK } from '@mqdeck/contract/kit/values';
import { type Section, sectionNames } from '../../settings/settings.ts';
import { type Hocon, type HoconObject, isHoconObject, mergeInto } from './hocon-reader.ts';

/** A name at the top of the text, and the section of the settings that it stands for. */
export interface Root {
  readonly section: Section;
  /** Where the root is a list: the field of the section that has it. */
  readonly field?: string;
  /** A list whose items have ids: the field of the root that has it, null = the root itself. */
  readonly items?: { readonly at: string | null; readonly idOf: (item: HoconObject) => string };
  /** Fields that are secret though their names do not say so; of an object each of its values. */
  readonly secrets?: readonly string[];
  /** What the items have in the settings alone, and what a new one has. */
  readonly hidden?: Readonly<Record<string, () => Hocon>>;
  /** Known to `configs_reset` and to the answer in JSON, as the real broker has it. */
  readonly hot?: boolean;
}

/** Every section is a root of its own name and form, but for what stands here. */
const special: { readonly [S in Section]?: Omit<Root, 'section'> } = {
  alarm: { hot: true },
  dashboard: { hot: true },
  log: { hot: true },
  sys_topics: { hot: true },
  sysmon: { hot: true },
  // Chains of single listeners are not in the text: endpoints of their own have them.
  authentication: {
    field: 'global',
    items: {
      at: null,
      idOf: ({ mechanism, backend }) => (backend === undefined ? `${mechanism}` : `${mechanism}:${backend}`),
    },
  },
  authorization: { items: { at: 'sources', idOf: ({ type }) => `${type}` } },
  exhook: { items: { at: 'servers', idOf: ({ name }) => `${name}` } },
  license: { secrets: ['key'] },
  prometheus: { secrets: ['push_gateway.headers'] },
  rewrite: { field: 'rules' },
  topic_metrics: {
    field: 'topics',
    items: { at: null, idOf: ({ topic }) => `${topic}` },
    hidden: { create_time: () => Date.now() },
  },
};

export const roots: ReadonlyMap<string, Root> = new Map(
  sectionNames.map((section) => [section, { section, ...special[section] }]),
);

/** What the text shows of a section: no secrets. */
export function shownRoot(root: Root, values: object): Hocon {
  let shown = contentOf(root, values);
  for (const item of itemsOf(root, shown)) for (const key of Object.keys(root.hidden ?? {})) delete item[key];
  for (const path of root.secrets ?? [])
    shown = withTexts(shown, path.split('.'), (text) => (text === '' ? '' : MASK));
  return masked(shown);
}

/**
 * What a section becomes of which the text says `given`, still to be checked by its schema; `values` are in force.
 * Throws NoSecret.
 */
export function givenRoot(root: Root, given: Hocon, values: object, mode: 'merge' | 'replace'): unknown {
  const before = contentOf(root, values);
  let wanted = mode === 'merge' ? joined(root, before, given) : given;
  const kept = inOrderOf(root, wanted, before);
  for (const path of root.secrets ?? [])
    wanted = withTexts(wanted, path.split('.'), (text, names) => {
      if (text !== MASK) return text;
      const secret = valueAt(kept, names);
      if (typeof secret !== 'string' || secret === '') throw new NoSecret(names.join('.'));
      return secret;
    });
  for (const [i, item] of itemsOf(root, wanted).entries())
    for (const [key, fresh] of Object.entries(root.hidden ?? {}))
      item[key] = itemsOf(root, kept)[i]?.[key] ?? fresh();
  const whole = unmasked(wanted, kept);
  return root.field === undefined ? whole : { ...values, [root.field]: whole };
}

/** A copy of the part of a section that the root is. */
function contentOf({ field }: Root, values: object): Hocon {
  const whole = JSON.parse(JSON.stringify(values)) as HoconObject;
  return field === undefined ? whole : whole[field]!;
}

/** Blocks are joined, lists replaced; of a list whose items have ids, those stay that the text does not name. */
function joined({ items }: Root, before: Hocon, given: Hocon): Hocon {
  if (items && items.at === null) return joinedLists(before, given, items.idOf);
  if (!isHoconObject(before) || !isHoconObject(given)) return given;
  const both = structuredClone(before);
  mergeInto(both, given);
  if (items && items.at !== null && Object.hasOwn(given, items.at))
    both[items.at] = joinedLists(before[items.at]!, given[items.at]!, items.idOf);
  return both;
}

function joinedLists(before: Hocon, given: Hocon, idOf: (item: HoconObject) => string): Hocon {
  if (!Array.isArray(before) || !Array.isArray(given) || !given.every(isHoconObject)) return given;
  const old = before.filter(isHoconObject);
  const replaced = old.map((item) => given.find((one) => idOf(one) === idOf(item)) ?? item);
  const fresh = given.filter((one) => !replaced.includes(one));
  return [...replaced, ...fresh];
}

/** What was there before, each item at the place that it has now: so secrets find their own. */
function inOrderOf(root: Root, wanted: Hocon, before: Hocon): Hocon {
  const { items } = root;
  if (!items) return before;
  const old = itemsOf(root, before);
  const list = itemsOf(root, wanted).map(
    (item) => old.find((one) => items.idOf(one) === items.idOf(item)) ?? {},
  );
  return items.at === null ? list : { ...(before as HoconObject), [items.at]: list };
}

function itemsOf({ items }: Root, value: Hocon): HoconObject[] {
  if (!items) return [];
  const list = items.at === null ? value : isHoconObject(value) ? value[items.at] : null;
  return Array.isArray(list) ? list.filter(isHoconObject) : [];
}

/** The text at a path, or those of the object there, each changed. */
function withTexts(
  value: Hocon,
  [name, ...rest]: readonly string[],
  change: (text: string, names: readonly string[]) => string,
  names: readonly string[] = [],
): Hocon {
  if (typeof value === 'string') return name === undefined ? change(value, names) : value;
  if (!isHoconObject(value)) return value;
  const inner = name === undefined ? Object.keys(value) : Object.hasOwn(value, name) ? [name] : [];
  const changed = inner.map((key) => [key, withTexts(value[key]!, rest, change, [...names, key])]);
  return { ...value, ...Object.fromEntries(changed) };
}

const valueAt = (value: Hocon | undefined, names: readonly string[]): Hocon | undefined =>
  names.reduce<Hocon | undefined>(
    (inner, name) => (isHoconObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
