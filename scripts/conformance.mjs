// Ties the numbered statements of the MQTT standards to the tests whose titles name them, and writes it down in
// docs/conformance.md. With `--check` it writes nothing and says what does not hold.
import fs from 'node:fs';
import path from 'node:path';
import { filesBelow, main, root } from './run.mjs';

const page = 'docs/conformance.md';
const statementsFile = 'docs/conformance-statements.json';
const rooms = ['mqtt/src', 'broker/src', 'e2e'];
const TAG = /\[(MQTT(?:311|31)?-\d[\d.]*(?:-\d+)?[a-z]?)\]/g;

/** The strings of one line that are outside of comments, each with what stands before it. */
function* stringsOf(line) {
  for (const match of line.matchAll(/(['"`])((?:\\.|(?!\1)[^\\])*)\1|\/\/.*/g)) {
    if (match[2] !== undefined) yield { text: match[2], before: line.slice(0, match.index) };
  }
}

/** A title without its tags, as a person would read it. */
const plain = (text) =>
  text
    .replace(TAG, '')
    .replace(/\\(.)/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[:,])/g, '')
    .trim();

/** Every tag in a title of this test file: of a test, a group, or a row of a table of tests. */
export function tagsOf(source) {
  const found = [];
  let group = '';
  for (const line of source.split(/\r?\n/)) {
    if (/^describe\b/.test(line)) group = Array.from(stringsOf(line), ({ text }) => plain(text)).at(-1) ?? '';
    else if (/^\S/.test(line)) group = '';
    for (const { text, before } of stringsOf(line)) {
      const title = group && line.startsWith(' ') ? `${group} › ${plain(text)}` : plain(text);
      const skipped = /\.(skip|todo|fails)\b/.test(before);
      for (const [, tag] of text.matchAll(TAG)) found.push({ tag, title, skipped });
    }
  }
  return found;
}

/** Says what does not hold between statements and `tests`: a list of `{ file, tag, title, skipped }`. */
export function judge(sections, tests) {
  const problems = [];
  const statements = sections.flatMap((section) => section.statements);
  const known = new Set();
  for (const { tag, binds, says, without } of statements) {
    if (known.has(tag)) problems.push(`${tag} is listed twice`);
    known.add(tag);
    if (!['server', 'client', 'both'].includes(binds) || !says)
      problems.push(`${tag} does not say whom it binds and what it asks`);
    const shown = tests.some((one) => one.tag === tag && !one.skipped);
    if (shown && without)
      problems.push(`${tag} has a test: its exception in ${statementsFile} is out of date`);
    if (!shown && !without)
      problems.push(`${tag} has neither a test nor a reason why there is none: ${says}`);
  }
  for (const { file, tag, title, skipped } of tests) {
    if (!known.has(tag)) problems.push(`${file}: "${title}" names ${tag}, which no standard has`);
    if (skipped) problems.push(`${file}: "${title}" is left out and shows nothing of ${tag}`);
  }
  return problems;
}

const cell = (text) => text.replace(/[\\|*<[\]]/g, '\\$&');

/** The page: every statement with the tests that show it, or why there is none. */
export function pageOf(sections, tests) {
  const statements = sections.flatMap((section) => section.statements);
  const shownBy = (tag) => tests.filter((one) => one.tag === tag);
  const shown = statements.filter(({ tag }) => shownBy(tag).length > 0);
  const excepted = statements.filter(({ tag }) => shownBy(tag).length === 0);
  const lines = [
    '# How the broker keeps to the standard',
    '',
    'Every numbered statement of MQTT 5.0, those of 3.1.1 that are another rule there, and what is peculiar to 3.1 (which',
    'numbers nothing: the letters are ours), each in our words and with the tests that show it. A statement that binds the',
    'client alone is shown by how the broker meets a client that breaks it. A test names its statements in its title, and',
    '`node scripts/conformance.mjs` writes this page from them; `npm test` fails when it is out of date, when a tag is unknown,',
    'or when a statement has neither a test nor a reason.',
    '',
    `${statements.length} statements: ${shown.length} shown by tests, ${excepted.length} exceptions.`,
    '',
    '## Exceptions',
    '',
    '| Statement | Binds | In our words | Why there is no test |',
    '|---|---|---|---|',
    ...excepted.map(
      ({ tag, binds, says, without }) => `| ${tag} | ${binds} | ${cell(says)} | ${cell(without ?? '')} |`,
    ),
  ];
  for (const { version, title, statements: own } of sections) {
    lines.push('', version === '5.0' ? `## ${title}` : `## ${version}: ${title}`, '');
    lines.push('| Statement | Binds | In our words | Shown by |', '|---|---|---|---|');
    for (const { tag, binds, says, note } of own) {
      const links = new Set(shownBy(tag).map(({ file, title: test }) => `[${cell(test)}](../${file})`));
      const words = note ? `${says}. *${note}.*` : says;
      lines.push(
        `| ${tag} | ${binds} | ${note ? words : cell(words)} | ${[...links].join('<br>') || 'exception'} |`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

function read() {
  const sections = JSON.parse(fs.readFileSync(path.join(root, statementsFile), 'utf8'));
  const isTest = (file) => /\.(test|e2e)\.tsx?$/.test(file);
  const tests = rooms
    .flatMap((room) => filesBelow(room, isTest).sort())
    .flatMap((file) =>
      tagsOf(fs.readFileSync(path.join(root, file), 'utf8')).map((one) => ({ file, ...one })),
    );
  return { sections, tests };
}

/** Prints what does not hold, the page included; returns the number of problems. */
export function checkConformance() {
  const { sections, tests } = read();
  const problems = judge(sections, tests);
  const full = path.join(root, page);
  const written = fs.existsSync(full) ? fs.readFileSync(full, 'utf8') : null;
  if (written !== pageOf(sections, tests))
    problems.push(`${page} is out of date: node scripts/conformance.mjs writes it`);
  for (const problem of problems) console.error(problem);
  sayCounts(sections, tests);
  return problems.length;
}

function sayCounts(sections, tests) {
  const statements = sections.flatMap((section) => section.statements);
  const shown = statements.filter(({ tag }) => tests.some((one) => one.tag === tag)).length;
  console.log(
    `${statements.length} statements: ${shown} shown by tests, ${statements.length - shown} exceptions`,
  );
}

main(import.meta.url, (args) => {
  if (args.includes('--check')) return checkConformance() === 0 ? 0 : 1;
  const { sections, tests } = read();
  const problems = judge(sections, tests);
  for (const problem of problems) console.error(problem);
  fs.writeFileSync(path.join(root, page), pageOf(sections, tests));
  sayCounts(sections, tests);
  return problems.length === 0 ? 0 : 1;
});
