import { bridgeTypes, testBridge, testKafkaConsumer, testMqttBridge } from './support/bridge-types.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
for (const one of bridgeTypes) testBridge(stage, one);
testKafkaConsumer(stage);
testMqttBridge(stage);
