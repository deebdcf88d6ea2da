import { startBroker } from '../../broker.ts';

/** The process that the durability test kills: a broker on the folder of its first argument; prints its port. */
const broker = await startBroker({
  dataDir: process.argv[2]!,
  host: '127.0.0.1',
  tcp: 0,
  ws: 'off',
  version: '0.0.0-test',
  passwordCost: 2,
});
process.stdout.write(`${broker.addresses.tcp}\n`);
