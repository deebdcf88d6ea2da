import { startCore } from '../core.ts';
import { tcpListener } from '../listeners/tcp.ts';
import { openStore } from './environment.ts';

/** The process that the crash test kills: a broker on the folder of its first argument; prints its port. */
const store = openStore(process.argv[2]!);
const core = startCore({ store, settings: { maxMqueueLength: Number.POSITIVE_INFINITY } });
const listener = tcpListener(core, { host: '127.0.0.1', port: 0 });
await listener.start();
process.stdout.write(`${listener.port}\n`);
