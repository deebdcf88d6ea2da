// Who may import whom (the rules stand in `findViolations`, in words). Reads the source text only, so it also
// sees what a bundler would leave out.
import fs from 'node:fs';
import path from 'node:path';
import { filesBelow, main, root } from './run.mjs';

const rooms = ['contract', 'mqtt', 'rulesql', 'broker', 'server', 'console'];

/** Every module named in an import, a re-export or a dynamic import of this text. */
export function importsOf(text) {
  const source = withoutComments(text);
  const patterns = [
    /(?:^|[;}\s])(?:import|export)\s+(?:type\s+)?(?:[\w$*{][^'"`;]*?\sfrom\s*|\*\s*from\s*|\{[^}]*\}\s*from\s*)?['"]([^'"]+)['"]/g,
    /\bimport\s*\(\s*['"]([^'"]+)['"]/g,
    /\bvi\.mock\s*\(\s*['"]([^'"]+)['"]/g,
  ];
  const found = new Set();
  for (const pattern of patterns) for (const match of source.matchAll(pattern)) found.add(match[1]);
  return Array.from(found);
}

/** Comments out, strings kept: `https://…` inside quotes is no comment. */
function withoutComments(text) {
  return text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_, string) => string || ' ',
  );
}

/** Where an import leads, as a path below the root (`broker/src/core/x`), or null for a package from outside. */
function resolveImport(file, specifier) {
  if (specifier.startsWith('@mqdeck/')) {
    const [room, ...rest] = specifier.slice('@mqdeck/'.length).split('/');
    return [room, 'src'].concat(rest).join('/');
  }
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  return null;
}

const roomOf = (file) => rooms.find((room) => file.startsWith(`${room}/`));
const featureOf = (file) => {
  const match = /^(broker|console)\/src\/features\/([^/]+)/.exec(file);
  return match?.[2];
};
const isTest = (file) => /\.test\.tsx?$/.test(file);

/** What is wrong with this file, one sentence per finding. */
export function findViolations(file, text) {
  const room = roomOf(file);
  const said = [];
  if (
    /(^|\/)index\.(ts|tsx|mjs)$/.test(file) &&
    /\bexport\s+(type\s+)?[*{][^;]*\bfrom\b/.test(withoutComments(text))
  ) {
    said.push('is a barrel: import the file that has the thing');
  }
  for (const specifier of importsOf(text)) {
    const target = resolveImport(file, specifier);
    if (target === null) continue;
    const to = roomOf(target);
    const say = (why) => said.push(`imports ${specifier}: ${why}`);
    if (to && to !== room && !specifier.startsWith('@mqdeck/'))
      say('another room is imported by its package name');
    if (to === 'server' && room !== 'server') say('the server is imported by nobody');
    if (room === 'console' && to === 'broker') say('the console meets the broker in the contract only');
    if (room === 'broker' && to === 'console') say('the broker meets the console in the contract only');
    if (room === 'server' && to === 'console')
      say('the server serves the built console, it does not import it');
    if ((room === 'mqtt' || room === 'contract' || room === 'rulesql') && to && to !== room) {
      say(`${room} imports none of our rooms`);
    }
    if (isTest(file)) continue; // a test may look at the neighbours it is tested with
    if (file.startsWith('broker/src/core/')) {
      if (target.startsWith('broker/src/features/'))
        say('core never imports a feature, features join at hooks');
      if (to === 'contract') say('core is MQTT itself and does not know the REST API');
    }
    const feature = featureOf(file);
    const otherFeature = featureOf(target);
    if (feature && otherFeature && feature !== otherFeature && to === room) {
      say('a feature never imports another feature');
    }
    if (file.startsWith('console/src/ui/')) {
      const knows = /^console\/src\/(api|features|shell)\/|^console\/src\/(routes|main|router|paths)(\.|$)/;
      if (knows.test(target) || to === 'contract') say('the ui kit knows no API and no route');
    }
  }
  return said;
}

/** Checks every source file and prints what is wrong; returns the number of findings. */
export function checkImports() {
  const isSource = (file) => /\.(ts|tsx|mjs)$/.test(file);
  const files = rooms
    .concat('e2e', 'bench', 'scripts')
    .reduce((all, room) => all.concat(filesBelow(room, isSource)), []);
  let count = 0;
  for (const file of files) {
    for (const violation of findViolations(file, fs.readFileSync(path.join(root, file), 'utf8'))) {
      console.error(`${file} ${violation}`);
      count += 1;
    }
  }
  console.log(`${files.length} files, ${count} broken import rules`);
  return count;
}

main(import.meta.url, () => (checkImports() === 0 ? 0 : 1));
