// `npm run sbom`: prints the bill of materials of what is shipped (CycloneDX, JSON). The checks of the same: licences that
// anybody may use, and no package with a known serious vulnerability.
import { capture, Failure, main, npmCommand, root } from './run.mjs';
import { failed, passed, skipped } from './suite.mjs';

/** Licences of packages that are shipped: none asks for the source of what is built with it. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
];

const npm = (...args) => {
  const { command, args: before, shell } = npmCommand();
  return capture(command, [...before, ...args], { shell, cwd: root });
};

/** The parsed object that npm printed between its warnings; null where there is none. */
export function jsonIn(output) {
  const text = output.slice(output.indexOf('\n{') + 1, output.lastIndexOf('}') + 1);
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The bill of materials of what is shipped, without the packages of this repository. */
async function billOfMaterials() {
  const { output } = await npm('sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--loglevel', 'error');
  const bill = jsonIn(`\n${output}`);
  if (!bill?.components) throw new Failure(`npm could not list what is shipped:\n${output}`);
  bill.metadata.component.name = 'mqdeck'; // npm takes the name of the folder
  return bill;
}

/** A line for each package whose licences cannot be chosen from those allowed. */
export function licenceFaults({ components }) {
  return components
    .filter(({ purl }) => purl.startsWith('pkg:npm/'))
    .flatMap(({ name, version, licenses = [] }) => {
      const choices = licenses.flatMap(({ license, expression }) =>
        (license?.id ?? license?.name ?? expression).replace(/^\(|\)$/g, '').split(' OR '),
      );
      if (choices.some((one) => ALLOWED.includes(one))) return [];
      return [`${name} ${version}: ${choices.join(', ') || 'no licence'}`];
    });
}

/** A line for each package with a vulnerability that is high or critical, of the report of `npm audit --json`. */
export const vulnerabilitiesOf = ({ vulnerabilities }) =>
  Object.values(vulnerabilities)
    .filter(({ severity }) => severity === 'high' || severity === 'critical')
    .map(({ name, severity, range }) => `${name} ${range}: ${severity}`);

const OURS = ['broker', 'console', 'contract', 'mqtt', 'rulesql', 'server'];

/** A stage of `npm test`. */
export async function checkLicences() {
  const bill = await billOfMaterials();
  const components = bill.components.filter(({ name }) => !OURS.includes(name));
  const faults = licenceFaults({ components });
  console.log([`${components.length} packages are shipped`, ...faults].join('\n'));
  return faults.length === 0 ? passed : failed;
}

/** A stage of `npm test`; it needs a registry that knows of vulnerabilities. */
export async function checkVulnerabilities() {
  const { output } = await npm('audit', '--audit=true', '--omit=dev', '--json', '--loglevel', 'error');
  const report = jsonIn(`\n${output}`);
  if (!report?.vulnerabilities) return skipped('the registry cannot be asked for known vulnerabilities');
  const found = vulnerabilitiesOf(report);
  console.log(found.length === 0 ? 'no serious vulnerability is known' : found.join('\n'));
  return found.length === 0 ? passed : failed;
}

main(import.meta.url, async () => {
  process.stdout.write(`${JSON.stringify(await billOfMaterials(), null, 2)}\n`);
});
