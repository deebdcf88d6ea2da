import { bridgeTypes, testBridge, testKafkaConsumer } from './support/bridge-types.ts';
import { setStage } from './support/stage.ts';

/**
 * A variant that is chosen in the form of its product, and a bridge that fetches. bridges.e2e.ts has more types, and
 * bridge-types.full.e2e.ts has all.
 */
const stage = setStage();
for (const one of bridgeTypes.filter(({ type }) => type === 'mongodb_single')) testBridge(stage, one);
testKafkaConsumer(stage);
