// `npm run check`: everything that runs no test: types, formatting and lint, unused code, import rules, pages in docs/.
// The checks run side by side. With room names (`npm run check -- server mqtt`) only their types are checked, with
// those of the rooms that they import.
import fs from 'node:fs';
import path from 'node:path';
import { checkImports } from './check-imports.mjs';
import { checkSpecCoverage } from './check-spec-coverage.mjs';
import { checkConformance } from './conformance.mjs';
import { capture, ensureInstalled, Failure, main, root, tool } from './run.mjs';
import { checkSettingsPage } from './settings-doc.mjs';

const rooms = ['contract', 'mqtt', 'rulesql', 'broker', 'server', 'console'];

/** Runs a tool and shows in one piece what it printed, once it has ended. */
async function quietly(name, args) {
  const { command, args: all } = tool(name, args);
  const { code, output } = await capture(command, all);
  if (code !== 0) console.log(output);
  return code;
}

/** One checker per project: each of several would work out the types that all files share for itself, in twice the time. */
const types = (wanted = []) => ({
  name: wanted.length > 0 ? `types of ${wanted.join(', ')}` : 'types',
  run: () => quietly('tsc', ['--build', '--pretty', '--checkers', '1'].concat(wanted)),
});

/** The others, with their names; `run` resolves with 0 when nothing is wrong. */
const others = [
  { name: 'lint and formatting', run: () => quietly('biome', ['check', '--error-on-warnings', '.']) },
  { name: 'unused code', run: () => quietly('knip', ['--no-progress', '--no-config-hints']) },
  { name: 'import rules', run: async () => checkImports() },
  { name: 'page of the settings', run: checkSettingsPage },
  { name: 'specification coverage', run: async () => checkSpecCoverage() },
  { name: 'conformance to MQTT', run: async () => checkConformance() },
];

/** Every check of `npm test`. */
export const checks = [types()].concat(others);

main(import.meta.url, async (args) => {
  await ensureInstalled();
  const unknown = args.find((room) => !rooms.includes(room) || !fs.existsSync(path.join(root, room)));
  if (unknown) throw new Failure(`There is no room "${unknown}"; the rooms are ${rooms.join(', ')}.`);
  const wanted = [types(args)].concat(others);
  const codes = await Promise.all(wanted.map((check) => check.run()));
  const broken = wanted.filter((_, i) => codes[i] !== 0).map(({ name }) => name);
  console.log(broken.length === 0 ? `All ${wanted.length} checks hold.` : `Broken: ${broken.join(', ')}`);
  return broken.length === 0 ? 0 : 1;
});
