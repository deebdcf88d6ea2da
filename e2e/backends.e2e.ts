import { postgresql, redis, testBackend } from './support/backends.ts';
import { setStage } from './support/stage.ts';

/** One of each kind; backends.full.e2e.ts has all. */
const stage = setStage();
testBackend(stage, postgresql, ['authentication']);
testBackend(stage, redis, ['authorization']);
