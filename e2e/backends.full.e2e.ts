import { mongodb, mysql, postgresql, redis, testBackend } from './support/backends.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
for (const backend of [mysql, postgresql, mongodb, redis]) testBackend(stage, backend);
