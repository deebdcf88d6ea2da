import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, findProgram, freePort, Runner } from './engine.ts';

export const INFLUXDB_PROGRAMS = ['influxd'] as const;
export const VICTORIA_PROGRAMS = ['victoria-metrics'] as const;

/** InfluxDB 1.6: what it stores survives being killed. */
export async function startInfluxdb(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'mqdeck-influxdb-'));
  const [port, rpc] = [await freePort(), await freePort()];
  const file = join(folder, 'influxdb.conf');
  writeFileSync(
    file,
    `reporting-disabled = true
bind-address = "127.0.0.1:${rpc}"
[meta]
  dir = "${folder}/meta"
[data]
  dir = "${folder}/data"
  wal-dir = "${folder}/wal"
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
[monitor]
  store-enabled = false
`,
  );
  const runner = new Runner({
    command: findProgram('influxd')!,
    args: ['run', '-config', file],
    ready: /Listening for signals/,
  });
  return engineOf(runner, port, folder);
}

/** Takes what InfluxDB 2 takes; asks neither for organization, bucket nor token. `kill` lets it save what it has. */
export async function startVictoria(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'mqdeck-victoria-'));
  const port = await freePort();
  const runner = new Runner({
    command: findProgram('victoria-metrics')!,
    args: [`-httpListenAddr=127.0.0.1:${port}`, `-storageDataPath=${folder}/data`],
    ready: /started VictoriaMetrics|started server at/,
    killSignal: 'SIGTERM',
  });
  return engineOf(runner, port, folder);
}

async function engineOf(runner: Runner, port: number, folder: string): Promise<Engine> {
  await runner.start();
  return {
    port,
    address: `127.0.0.1:${port}`,
    kill: () => runner.kill(),
    start: () => runner.start(),
    close: async () => {
      await runner.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
