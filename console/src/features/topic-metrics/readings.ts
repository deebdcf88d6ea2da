import type { TopicMetrics } from '@mqdeck/contract/topic-metrics';

/** How many readings of a topic are remembered for its curve: four minutes at one in two seconds. */
const READINGS_MAX = 120;

/** Keeps the latest rates of each topic while the console is open; only `noteReadings` adds to it. */
const readings = new Map<string, Map<string, number[]>>();

export function noteReadings(all: readonly TopicMetrics[]): void {
  for (const topic of readings.keys()) if (!all.some((one) => one.topic === topic)) readings.delete(topic);
  for (const { topic, metrics } of all) {
    const ofTopic = readings.get(topic) ?? new Map<string, number[]>();
    readings.set(topic, ofTopic);
    for (const [name, value] of Object.entries(metrics)) {
      if (!name.endsWith('.rate')) continue;
      const rates = ofTopic.get(name) ?? [];
      rates.push(value);
      if (rates.length > READINGS_MAX) rates.shift();
      ofTopic.set(name, rates);
    }
  }
}

export const readingsOf = (topic: string, name: string): readonly number[] =>
  readings.get(topic)?.get(name) ?? [];
