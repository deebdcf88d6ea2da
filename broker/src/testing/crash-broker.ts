import { startBroker } from '../broker.ts';

/** The process that crash tests kill: a broker on the folder of its first argument; prints its port. */
const broker = await startBroker({
  dataDir: process.argv[2]!,
  host: '127.0.0.1',
  tcp: 0,
  ws: 'off',
  version: '0.0.0-test',
  passwordCost: 2,
});
broker.core.settings.maxMqueueLength = Number.POSITIVE_INFINITY; // what a queue drops by policy is not lost by a crash
process.stdout.write(`${broker.addresses.tcp}\n`);
