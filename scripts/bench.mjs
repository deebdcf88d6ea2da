// `npm run bench`: runs the named benchmarks (bench/<name>.bench.mjs), or all of them, one after the other.
import { build } from './build.mjs';
import { ensureInstalled, Failure, filesBelow, main, start } from './run.mjs';

main(import.meta.url, async (args) => {
  const all = filesBelow('bench', (file) => file.endsWith('.bench.mjs'));
  const nameOf = (file) => file.slice('bench/'.length, -'.bench.mjs'.length);
  const options = args.filter((arg) => arg.startsWith('-'));
  const names = args.filter((arg) => !arg.startsWith('-'));
  const unknown = names.find((name) => !all.some((file) => nameOf(file) === name));
  if (unknown) {
    throw new Failure(
      `There is no benchmark "${unknown}"; there are ${all.map(nameOf).join(', ') || 'none'}.`,
    );
  }
  await ensureInstalled();
  await build(['server']);
  let failed = 0;
  for (const file of all.filter((one) => names.length === 0 || names.includes(nameOf(one)))) {
    console.log(`── ${nameOf(file)}`);
    const code = await start(process.execPath, [file].concat(options)).done;
    if (code !== 0) failed += 1;
  }
  return failed === 0 ? 0 : 1;
});
