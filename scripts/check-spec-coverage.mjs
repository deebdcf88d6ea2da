// Keeps docs/spec-coverage.md honest: every file it names exists, every test it names is in its file.
import fs from 'node:fs';
import path from 'node:path';
import { main, root } from './run.mjs';

const page = 'docs/spec-coverage.md';

/** The cells of a table row; `\|` is a bar inside a cell. */
function cellsOf(line) {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replace(/\\\|/g, '|'));
}

/**
 * Reads the rows of all tables with the columns Spec, Statement, Code, Test and says what does not hold.
 * A cell names files in backticks, a test as `file` › title; several are separated by semicolons or line breaks.
 */
export function checkCoverage(markdown, readFile) {
  const problems = [];
  const counts = { rows: 0, open: 0, shown: 0 };
  let columns = null;
  markdown.split(/\r?\n/).forEach((line, index) => {
    if (!line.trim().startsWith('|')) {
      columns = null;
      return;
    }
    const cells = cellsOf(line);
    if (columns === null) {
      const names = cells.map((cell) => cell.toLowerCase());
      columns = ['spec', 'statement', 'code', 'test'].map((name) => names.indexOf(name));
      return;
    }
    if (columns.includes(-1) || cells.every((cell) => /^:?-+:?$/.test(cell))) return;
    const at = `line ${index + 1}`;
    const [spec, statement, code, test] = columns.map((column) => cells[column] || '');
    counts.rows += 1;
    if (!spec || !statement) problems.push(`${at}: Spec and Statement must be filled`);
    for (const [name, cell] of [
      ['Code', code],
      ['Test', test],
    ]) {
      if (cell !== 'open')
        problems.push(...cellProblems(cell, readFile).map((why) => `${at}: ${name}: ${why}`));
    }
    if (code !== 'open' && test !== 'open') counts.shown += 1;
    else counts.open += 1;
  });
  if (counts.rows === 0) problems.push('no table with the columns Spec, Statement, Code, Test');
  return { problems, counts };
}

function cellProblems(cell, readFile) {
  const named = Array.from(cell.matchAll(/`([^`]+)`(?:\s*›\s*((?:(?!;|<br>).)+))?/g));
  if (named.length === 0) return ['names neither a file in backticks nor the word open'];
  const problems = [];
  for (const [, file, title] of named) {
    const text = readFile(file);
    if (text === null) problems.push(`${file} does not exist`);
    else if (title && !unquoted(text).includes(unquoted(title.trim()))) {
      problems.push(`${file} has no test "${title.trim()}"`);
    }
  }
  return problems;
}

/** Titles stand in quotes of either kind in the source: an escaped quote there is a plain one here. */
const unquoted = (text) => text.replace(/\\(['"`])/g, '$1');

function readFromRoot(file) {
  const full = path.join(root, file);
  if (!fs.existsSync(full)) return null;
  return fs.statSync(full).isDirectory() ? '' : fs.readFileSync(full, 'utf8');
}

/** Checks the page itself; returns the number of problems. */
export function checkSpecCoverage() {
  const markdown = readFromRoot(page);
  if (markdown === null) {
    console.error(
      `${page} is missing: it lists every statement of the specification with its code and its test`,
    );
    return 1;
  }
  const { problems, counts } = checkCoverage(markdown, readFromRoot);
  for (const problem of problems) console.error(`${page} ${problem}`);
  console.log(`${counts.rows} statements: ${counts.shown} shown by code and test, ${counts.open} open`);
  return problems.length;
}

main(import.meta.url, () => (checkSpecCoverage() === 0 ? 0 : 1));
