// `npm test`: everything but the long runs, one lap line per stage. The last line counts the tests of all suites and
// the other stages, one each: `N passed, N failed, N skipped`.
import { checkBudgets } from './budgets.mjs';
import { build } from './build.mjs';
import { checks } from './check.mjs';
import { recordingsThere } from './compare-recordings.mjs';
import { browserTests, engines } from './prerequisites.mjs';
import { capture, ensureInstalled, main, run } from './run.mjs';
import { orFailed, passed, Suite, skipped } from './suite.mjs';
import { checkLicences, checkVulnerabilities } from './supply-chain.mjs';

main(import.meta.url, async () => {
  const suite = new Suite();
  await suite.stage('dependencies', async () => {
    await ensureInstalled();
    return passed;
  });
  // The servers are fetched while the checks and the build keep the processor busy.
  const [built] = await Promise.all([
    suite.stage('build', async () => {
      await build();
      return passed;
    }),
    suite.stage('servers for tests', engines),
    suite.stage('licences', checkLicences),
    suite.stage('known vulnerabilities', checkVulnerabilities),
    ...checks.map(({ name, run: check }) => suite.stage(name, async () => orFailed(await check()))),
  ]);
  const onTheBuild = (body) => (built ? body : () => skipped('there is no build to look at'));
  await suite.stage(
    'size budgets',
    onTheBuild(async () => orFailed(checkBudgets())),
  );
  const unit = (...projects) =>
    suite.vitest((args) =>
      run('vitest', ['run'].concat(args, ...projects.map((project) => ['--project', project]))),
    );
  // The latter two mostly wait.
  await Promise.all([
    suite.stage('unit tests', () => unit('node', 'console')),
    suite.stage('unit tests with other systems', () => unit('systems')),
    suite.stage(
      'comparison with the recorded API',
      onTheBuild(() => comparison(suite)),
    ),
  ]);
  await suite.stage(
    'browser tests',
    onTheBuild(() => browserTests(suite)),
  );
  return suite.end();
});

async function comparison(suite) {
  if (!recordingsThere()) return skipped('the recordings are not on this machine');
  const { code, output } = await capture(process.execPath, ['scripts/compare-recordings.mjs']);
  console.log(output);
  if (code !== 0) suite.failures.push(`FAILED: comparison with the recorded API\n${output.trimEnd()}`);
  return orFailed(code);
}
