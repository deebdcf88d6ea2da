// Writes docs/settings.md: every setting of the settings file as the contract has it, with its type, range and default, and
// what the contract's comments or the console's forms say of it. With `--check` it writes nothing and says whether the page is old.
import fs from 'node:fs';
import path from 'node:path';
import { ensureInstalled, filesBelow, main, root } from './run.mjs';

const page = 'docs/settings.md';
/** Of what neither comments nor forms say anything. */
const said = JSON.parse(fs.readFileSync(path.join(root, 'scripts/settings-words.json'), 'utf8'));
const store = 'broker/src/settings/settings.ts';

/** Values that tell the kinds of text apart: a schema is of the kind whose samples it takes, and only these. */
const kinds = [
  { name: 'duration', takes: ['5s', '1h30m'], refuses: ['5KB', '5%', 'x y'] },
  { name: 'size', takes: ['5KB', '2MB'], refuses: ['5s', '5%', 'x y'] },
  { name: 'share', takes: ['5%', '80%'], refuses: ['5s', '5KB', 'x y'] },
  { name: 'rate', takes: ['5/s', '10/m'], refuses: ['5s', '5%', 'x y'] },
  { name: 'rate of bytes', takes: ['5KB/s', '1MB/s'], refuses: ['5s', '5%', 'x y'] },
  { name: 'yes or no', takes: [true, 'false'], refuses: ['5s', 'x y', 5] },
];

/** What is the same in many places has a chapter of its own. */
const chapters = [
  { heading: 'TLS towards other systems', keys: ['cacertfile', 'server_name_indication', 'reuse_sessions'] },
];

const inner = (schema) => schema._zod.def.innerType;
const isWrapper = (schema) =>
  ['default', 'prefault', 'optional', 'nullable', 'readonly'].includes(schema._zod.def.type);
const accepts = (schema, value) => schema['~standard'].validate(value).issues === undefined;

/** The schema itself, without what makes it optional, and the default on the way. */
export function unwrapped(schema) {
  let found = schema;
  let usual;
  while (isWrapper(found)) {
    if (usual === undefined && 'defaultValue' in found._zod.def) usual = found._zod.def.defaultValue;
    found = inner(found);
  }
  return { schema: found, usual };
}

const code = (value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** The bounds that the checks of a number, text or list set. */
function bounds({ _zod: { def } }) {
  const all = [def].concat((def.checks || []).map((check) => check._zod.def));
  const of = (...names) => all.find(({ check }) => names.includes(check));
  const low = of('greater_than')?.value ?? of('min_length')?.minimum;
  const high = of('less_than')?.value ?? of('max_length')?.maximum;
  return { low, high: high === Number.MAX_SAFE_INTEGER ? undefined : high };
}

function ranged(name, schema) {
  const { low, high } = bounds(schema);
  if (low === undefined && high === undefined) return name;
  if (high === undefined) return `${name}, at least ${low}`;
  return low === undefined ? `${name}, at most ${high}` : `${name}, ${low} to ${high}`;
}

/** In words: `duration`, `1 to 3000`, `text or infinity`. */
export function typeOf(given) {
  const { schema } = unwrapped(given);
  const { def } = schema._zod;
  const kind = kinds.find(
    ({ takes, refuses }) =>
      takes.every((value) => accepts(schema, value)) && !refuses.some((value) => accepts(schema, value)),
  );
  const words =
    def.type === 'union'
      ? def.options.filter((one) => unwrapped(one).schema._zod.def.type === 'literal')
      : [];
  const also = words.map((one) => code(unwrapped(one).schema._zod.def.values[0])).join(', ');
  if (kind) return also === '' ? kind.name : `${kind.name}, or ${also}`;
  if (def.type === 'literal') return def.values.map(code).join(', ');
  if (def.type === 'enum') return Object.values(def.entries).map(code).join(', ');
  if (def.type === 'number') return ranged('number', schema);
  if (def.type === 'boolean') return 'yes or no';
  if (def.type === 'pipe') return typeOf(def.in);
  if (def.type === 'array') return ranged(`list of ${typeOf(def.element)}`, schema);
  if (def.type === 'record') return `by name: ${typeOf(def.valueType)}`;
  if (def.type === 'object') return 'object';
  if (def.type === 'union') {
    if (accepts(schema, 'x y')) return 'text';
    return Array.from(new Set(def.options.map(typeOf))).join(' or ');
  }
  return 'text';
}

/** What a list, a map or a choice is made of: objects, each with the words that tell it from the others. */
function* shapesOf(given, prefix, told = '') {
  const { schema } = unwrapped(given);
  const { def } = schema._zod;
  if (def.type === 'object') yield { shape: def.shape, prefix, told };
  else if (def.type === 'array') yield* shapesOf(def.element, `${prefix}[]`, told);
  else if (def.type === 'record')
    yield* shapesOf(def.valueType, prefix === '' ? 'NAME' : `${prefix}.NAME`, told);
  else if (def.type === 'union')
    for (const option of def.options) {
      const { shape } = unwrapped(option).schema._zod.def;
      const words = shape && def.discriminator && unwrapped(shape[def.discriminator]).schema._zod.def;
      const own = words ? ` ${def.discriminator} = ${(words.values || []).map(String).join(' or ')}` : '';
      yield* shapesOf(option, prefix, `${told}${own}`);
    }
}

const chapterOf = (shape) => chapters.find(({ keys }) => keys.every((key) => key in shape));

/** A row per setting below a schema; `later` gets the objects that have a chapter of their own. */
export function* rowsOf(schema, prefix, usual, later) {
  for (const { shape, prefix: at, told } of shapesOf(schema, prefix)) {
    for (const [key, field] of Object.entries(shape)) {
      const own = unwrapped(field);
      const name = at === '' ? key : `${at}.${key}`;
      const shapes = Array.from(shapesOf(own.schema, name));
      const value = own.usual ?? (usual && !Array.isArray(usual) ? usual[key] : undefined);
      const chapter = shapes.length === 1 && chapterOf(shapes[0].shape);
      const isPlain = shapes.length === 0;
      if (isPlain || chapter) {
        if (chapter) later.set(chapter.heading, own.schema);
        const type = chapter ? `see "${chapter.heading}"` : typeOf(field);
        yield { key, name, type, usual: chapter ? undefined : value, told: told.trim() };
      } else if (shapes.some(({ prefix: deeper }) => deeper !== name) || shapes.length > 1) {
        yield { key, name, type: typeOf(field), usual: value, told: told.trim() };
        for (const row of rowsOf(own.schema, name, undefined, later))
          yield Object.assign(row, { told: [told.trim(), row.told].filter(Boolean).join(', ') });
      } else yield* rowsOf(own.schema, name, value, later);
    }
  }
}

/** What comments say of the names below them, of the first place where one does; what endpoints say is another matter. */
export function commentsOf(source) {
  const found = new Map();
  const settings = source.split('endpoint({', 1)[0];
  for (const [, text, name] of settings.matchAll(
    /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*(?:(?:export )?const )?(\w+)\s*[:=]/g,
  )) {
    if (!found.has(name)) found.set(name, text.replace(/\s*\n\s*\*\s?/g, ' ').trim());
  }
  return found;
}

/** The English words of the console's forms, by the name of the field. */
function labelsOf(feature) {
  const folder = path.join('console/src/features', feature);
  const found = new Map();
  if (!fs.existsSync(path.join(root, folder))) return found;
  for (const file of filesBelow(folder, (name) => /words\.ts$/.test(name))) {
    const source = fs.readFileSync(path.join(root, file), 'utf8');
    for (const [, name, , text] of source.matchAll(
      /^\s+'?([\w.]+)'?: \{\s*en:\s*(['"])((?:\\.|(?!\2).)*)\2/gm,
    ))
      if (!found.has(name)) found.set(name, text.replaceAll('\\', ''));
  }
  return found;
}

/** Where the forms of a section are, when their folder has another name. */
const forms = {
  alarm: ['monitoring'],
  sysmon: ['monitoring'],
  prometheus: ['monitoring'],
  statsd: ['monitoring'],
  sys_topics: ['sys-topics'],
  slow_subs: ['slow-subscriptions'],
  topic_metrics: ['topic-metrics'],
  auto_subscribe: ['mqtt-extension'],
  rewrite: ['mqtt-extension'],
  delayed: ['mqtt-extension'],
  mqtt: ['mqtt-settings'],
  zones: ['mqtt-settings'],
  flapping_detect: ['banned'],
};

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function table(rows, comments, labels) {
  const written = new Set();
  const lines = [];
  for (const { key, name, type, usual, told } of rows) {
    const shown = usual === undefined ? '' : code(usual);
    const what = comments.get(key) || labels.get(name) || labels.get(key) || said[key] || '';
    const line = `| \`${name}\` | ${cell(type)} | ${cell(shown.length > 80 ? 'a value of several lines' : shown)} | ${cell(what)} |`;
    const place = `${told}${line}`;
    if (written.has(place)) continue;
    written.add(place);
    lines.push({ told, line });
  }
  return Array.from(grouped(lines), ([told, some]) =>
    [
      told === '' ? '' : `With ${told}:\n`,
      '| Setting | Type | Default | What it is |',
      '|---|---|---|---|',
      ...some.map(({ line }) => line),
    ]
      .filter((part, i) => i > 0 || part !== '')
      .join('\n'),
  ).join('\n\n');
}

function grouped(lines) {
  const groups = new Map();
  for (const one of lines) groups.set(one.told, (groups.get(one.told) || []).concat(one));
  return groups;
}

/** The whole page. */
export async function settingsPage() {
  const { runnerImport } = await import('vite');
  const { module } = await runnerImport(path.join(root, store), { configFile: false, logLevel: 'error' });
  const source = fs.readFileSync(path.join(root, store), 'utf8');
  const later = new Map();
  const parts = module.sectionNames.map((section) => {
    const schemaName = new RegExp(`^  ${section}: (\\w+),`, 'm').exec(source)[1];
    const file = new RegExp(
      `import \\{[^}]*\\b${schemaName}\\b[^}]*\\} from '@mqdeck/contract/([^']+)'`,
    ).exec(source)[1];
    const comments = commentsOf(fs.readFileSync(path.join(root, 'contract/src', `${file}.ts`), 'utf8'));
    const labels = new Map((forms[section] || [file]).flatMap((feature) => Array.from(labelsOf(feature))));
    const schema = module.schemaOf(section);
    const usual = schema['~standard'].validate({}).value;
    const rows = Array.from(rowsOf(schema, '', usual, later));
    const about = comments.get(schemaName);
    return `## ${section}\n\n${about ? `${about}\n\n` : ''}${table(rows, comments, labels)}\n`;
  });
  for (const [heading, schema] of later) {
    const comments = commentsOf(fs.readFileSync(path.join(root, 'contract/src/kit/ssl.ts'), 'utf8'));
    const rows = rowsOf(schema, '', undefined, new Map());
    parts.push(`## ${heading}\n\n${comments.get('sslClientShape')}\n\n${table(rows, comments, new Map())}\n`);
  }
  return `${introduction}\n${parts.join('\n')}`;
}

const introduction = `# Settings

What operators set is in one file of the data folder, \`settings.json\`: JSON in UTF-8 with what differs from the defaults, and
the number of its form, \`"version": 1\`. Whoever changes a setting, in the console or by the API, changes this file: the new
one takes the place of the old in one step, before the answer comes. It may be written by hand while the broker is not
running; a mistake keeps the broker from starting and is told with its line. Secrets stand in it as they are, so it
belongs to the broker's user alone.

\`GET /configs\` shows all of it as HOCON without secrets, \`PUT /configs\` changes it, and \`POST /configs_reset\` brings a default back.

- A **duration** is a number with \`ms\`, \`s\`, \`m\`, \`h\`, \`d\` or \`w\`, several in a row, or a bare number of milliseconds: \`1h30m\`.
- A **size** is a whole number with \`KB\`, \`MB\` or \`GB\` (steps of 1024), or a bare number of bytes: \`10MB\`.
- A **share** is a number with \`%\`; a **rate** so many in a time: \`100/s\`, \`1MB/10s\`.
- \`NAME\` stands for a name that the operator gives, \`[]\` for each item of a list.

This page is made from the contract by \`node scripts/settings-doc.mjs\`.
`;

/** Whether the page says what the contract does; returns 0 or 1. */
export async function checkSettingsPage() {
  await ensureInstalled();
  const there = fs.existsSync(path.join(root, page)) ? fs.readFileSync(path.join(root, page), 'utf8') : '';
  if (there === (await settingsPage())) return 0;
  console.error(`${page} is older than the contract: run node scripts/settings-doc.mjs`);
  return 1;
}

main(import.meta.url, async (args) => {
  if (args.includes('--check')) return checkSettingsPage();
  await ensureInstalled();
  fs.writeFileSync(path.join(root, page), await settingsPage());
  return 0;
});
