import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, expect, inject } from 'vitest';
import { policyViolations } from './browser.ts';
import { type FakeCluster, startFakeCluster } from './fake-cluster.ts';
import { type RunningServer, startServer } from './server.ts';
import type { Stage } from './stage.ts';

interface Shared {
  cluster: FakeCluster;
  /** The console in front of it. */
  gateway: RunningServer;
}

let shared: Promise<Shared> | undefined;

/** Those of this worker, started for the first file that asks. */
async function startShared(): Promise<Shared> {
  const cluster = await startFakeCluster();
  const dataDir = fs.mkdtempSync(path.join(inject('sharedServers'), 'gateway-'));
  const gateway = await startServer({ args: ['--upstream', cluster.url], dataDir });
  return { cluster, gateway: { ...gateway, shared: true } };
}

export interface ClusterStage extends Pick<FakeCluster, 'on' | 'calls' | 'absent'> {
  /** Opens the console in front of the cluster, until the test is over. */
  open: Stage['open'];
}

/**
 * A console in front of a cluster that has nothing but what a test gives it; the next test begins anew. All files of a
 * worker share it.
 */
export function setCluster(stage: Stage): ClusterStage {
  let now: Shared;
  beforeAll(async () => {
    shared ??= startShared();
    now = await shared;
  });
  afterEach(async () => {
    now.cluster.reset();
    expect(await policyViolations(now.gateway)).toBe(0);
  });
  return {
    on: (methodAndPath, handler) => now.cluster.on(methodAndPath, handler),
    get calls() {
      return now.cluster.calls;
    },
    get absent() {
      return now.cluster.absent;
    },
    set absent(answer) {
      now.cluster.absent = answer;
    },
    open: (to, options) => stage.openAt(now.gateway, to, options),
  };
}
