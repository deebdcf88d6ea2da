// `npm run test:full`: the long runs that `npm test` leaves out: outages of every backend, crashes in many rounds, every
// type of bridge in the browser. The last line counts them: `N passed, N failed, N skipped`.
import { build } from './build.mjs';
import { browserTests, engines } from './prerequisites.mjs';
import { ensureInstalled, main, run } from './run.mjs';
import { passed, Suite, skipped } from './suite.mjs';

main(import.meta.url, async () => {
  const suite = new Suite();
  await suite.stage('dependencies', async () => {
    await ensureInstalled();
    return passed;
  });
  await suite.stage('servers for tests', engines);
  await suite.stage('long runs of the broker', () =>
    suite.vitest((args) => run('vitest', ['run', '--config', 'vitest.full.config.ts'].concat(args))),
  );
  const built = await suite.stage('build', async () => {
    await build();
    return passed;
  });
  await suite.stage('long runs in the browser', () =>
    built ? browserTests(suite, { MQDECK_FULL: '1' }) : skipped('there is no build to look at'),
  );
  return suite.end();
});
