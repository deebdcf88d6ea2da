// Finds the servers that tests of the broker talk to, or installs Debian's. `node scripts/engines.mjs` says which are there.
import fs from 'node:fs';
import path from 'node:path';
import { canInstall, install, isFile, onPath } from './debian.mjs';
import { Failure, main } from './run.mjs';

const engines = [
  { name: 'PostgreSQL', program: 'initdb', debianPackage: 'postgresql' },
  { name: 'MariaDB', program: 'mariadbd', debianPackage: 'mariadb-server' },
  { name: 'Redis', program: 'redis-server', debianPackage: 'redis-server' },
  { name: 'mosquitto', program: 'mosquitto', debianPackage: 'mosquitto' },
  { name: 'InfluxDB', program: 'influxd', debianPackage: 'influxdb' },
  { name: 'VictoriaMetrics', program: 'victoria-metrics', debianPackage: 'victoria-metrics' },
  { name: 'libcoap', program: 'coap-client-notls', debianPackage: 'libcoap3-bin' },
  { name: 'kcat', program: 'kcat', debianPackage: 'kcat' },
  { name: 'a C compiler', program: 'gcc', debianPackage: 'gcc libc6-dev' },
  { name: 'librdkafka', file: '/usr/include/librdkafka/rdkafka_mock.h', debianPackage: 'librdkafka-dev' },
];

/** Debian keeps servers out of the PATH of ordinary users, and each PostgreSQL in a folder of its version. */
function found({ program, file }) {
  if (file !== undefined) return isFile(file);
  if (onPath(program) || isFile(path.join('/usr/sbin', program))) return true;
  const versions = '/usr/lib/postgresql';
  return (
    fs.existsSync(versions) &&
    fs.readdirSync(versions).some((version) => isFile(path.join(versions, version, 'bin', program)))
  );
}

const missing = () => engines.filter((engine) => !found(engine));
const names = (list) => list.map(({ name }) => name).join(', ');

/** Settles when all are there; throws a Failure with advice when one is not and cannot be installed. */
export async function findEngines() {
  if (missing().length > 0 && canInstall()) {
    const packages = missing().flatMap(({ debianPackage }) => debianPackage.split(' '));
    console.error(`Installing ${names(missing())} with apt-get (once) …`);
    await install(packages);
  }
  const still = missing();
  if (still.length === 0) return;
  throw new Failure(
    `${names(still)} was not found: tests that need it are left out. On Debian: apt-get install ${still.map(({ debianPackage }) => debianPackage).join(' ')}`,
  );
}

main(import.meta.url, async () => {
  await findEngines();
  console.log(`${names(engines)}: all there.`);
});
