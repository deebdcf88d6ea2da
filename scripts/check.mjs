// `npm run check`: everything that needs no program run: types, formatting and lint, import rules, unused code.
// With room names (`npm run check -- server mqtt`) only their types are checked, beside the rest.
import fs from 'node:fs';
import path from 'node:path';
import { checkImports } from './check-imports.mjs';
import { ensureInstalled, Failure, main, root, run } from './run.mjs';
import { checkSettingsPage } from './settings-doc.mjs';

const rooms = ['contract', 'mqtt', 'rulesql', 'broker', 'server', 'console'];
const roomsThere = rooms.filter((room) => fs.existsSync(path.join(root, room, 'tsconfig.json')));

/** One entry per room, and one for what lies at the root: e2e, bench, scripts. */
const typeChecks = roomsThere.concat('root').map((room) => ({
  name: `types of ${room}`,
  run: () => run('tsc', ['-p', room === 'root' ? 'tsconfig.json' : `${room}/tsconfig.json`, '--pretty']),
}));

/** Every check with its name; `run` resolves with 0 when there is nothing to say. */
export const checks = typeChecks.concat(
  { name: 'lint and formatting', run: () => run('biome', ['check', '--error-on-warnings', '.']) },
  { name: 'import rules', run: async () => checkImports() },
  { name: 'page of the settings', run: checkSettingsPage },
  { name: 'unused code', run: () => run('knip', ['--no-progress', '--no-config-hints']) },
);

main(import.meta.url, async (args) => {
  await ensureInstalled();
  const unknown = args.find((room) => room !== 'root' && !roomsThere.includes(room));
  if (unknown)
    throw new Failure(`There is no room "${unknown}"; the rooms are ${roomsThere.join(', ')} and root.`);
  const wanted = checks.filter((check) => {
    const [, room] = /^types of (.*)$/.exec(check.name) || [];
    return !room || args.length === 0 || args.includes(room);
  });
  const broken = [];
  for (const check of wanted) {
    console.log(`── ${check.name}`);
    if ((await check.run()) !== 0) broken.push(check.name);
  }
  console.log(broken.length === 0 ? `All ${wanted.length} checks hold.` : `Broken: ${broken.join(', ')}`);
  return broken.length === 0 ? 0 : 1;
});
