// What the benchmarks share in reading their options and in telling what they found.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Failure, root } from '../../scripts/run.mjs';

export const resultsFolder = path.join(root, 'bench/results');

/**
 * Reads `--name=value`, `--name value` and `--name`. `defaults` names all options: a number stays a number, a text a
 * text, `false` is a switch. `quick` holds what `--quick` changes.
 */
export function readOptions(args, defaults, quick) {
  const options = Object.assign({}, defaults, args.includes('--quick') && quick);
  for (let i = 0; i < args.length; i++) {
    const [, name, inline] = /^--([a-zA-Z]+)(?:=(.*))?$/.exec(args[i]) || [];
    if (name === 'quick') continue;
    if (name === undefined || !Object.hasOwn(defaults, name)) {
      const known = ['quick'].concat(Object.keys(defaults)).map((one) => `--${one}`);
      throw new Failure(`"${args[i]}" is not understood; there are ${known.join(', ')}.`);
    }
    if (defaults[name] === false) {
      options[name] = true;
      continue;
    }
    const value = inline === undefined ? args[++i] : inline;
    const isNumber = typeof defaults[name] === 'number';
    if (!value || (isNumber && !(Number(value) > 0)))
      throw new Failure(`--${name} needs a ${isNumber ? 'number above 0' : 'value'}.`);
    options[name] = isNumber ? Number(value) : value;
  }
  return options;
}

export function median(values) {
  if (values.length === 0) return null;
  const sorted = values.slice().sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function shuffled(list) {
  const all = list.slice();
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

/** A number as people read it, `–` for none. */
export function say(value, digits = 2, unit = '') {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return `${value.toFixed(digits)}${unit}`;
}

/** Prints rows of texts below a heading, columns aligned; the first column to the left. */
export function printTable(heading, rows) {
  const all = [heading].concat(rows);
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column])))
      .join('  ');
  console.log(line(heading));
  console.log(widths.map((width) => '─'.repeat(width)).join('  '));
  for (const row of rows) console.log(line(row));
}

/** What the figures depend on, besides our code. */
function machine() {
  const cpus = os.cpus();
  return {
    cores: cpus.length,
    cpu: cpus[0] ? cpus[0].model : 'unknown',
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: systemName(),
    node: process.version,
    loadAverage: os.loadavg()[0],
  };
}

function systemName() {
  const file = '/etc/os-release';
  if (!fs.existsSync(file)) return `${os.type()} ${os.release()}`;
  const [, name] = /^PRETTY_NAME="?(.*?)"?$/m.exec(fs.readFileSync(file, 'utf8')) || [];
  return name || os.type();
}

/** Writes bench/results/NAME.json, which only the next run replaces. */
export function save(name, options, results) {
  fs.mkdirSync(resultsFolder, { recursive: true });
  const file = path.join(resultsFolder, `${name}.json`);
  const content = { measuredAt: new Date().toISOString(), machine: machine(), options, results };
  fs.writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  console.log(`\nAll figures: ${path.relative(root, file)}`);
}
