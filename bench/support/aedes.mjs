// aedes in a process of its own, with its defaults; it says its port to the benchmark.
import net from 'node:net';
import { Aedes } from 'aedes';

const aedes = await Aedes.createBroker();
const server = net.createServer({ noDelay: true }, aedes.handle);
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
