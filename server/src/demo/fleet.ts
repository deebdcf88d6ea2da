import type { Address } from './device.ts';
import { dispatcher, gateway, ingest, meter, thermometer, tracker } from './devices.ts';
import { Random } from './random.ts';
import { type Habit, Resident } from './resident.ts';
import {
  absentee,
  chatterbox,
  doppelganger,
  flapping,
  monologue,
  Stranger,
  slowReader,
} from './troublemakers.ts';

export interface Fleet {
  readonly size: number;
  readonly connectedCount: number;
  /** Everybody leaves; resolves when the last connection is gone. */
  stop(): Promise<void>;
}

/** How many there are of each kind: enough to fill every page of the console, and cheap to run. */
export const fullFleet = {
  thermometers: 140,
  meters: 70,
  trackers: 45,
  gateways: 8,
  ingests: 4,
  dispatchers: 3,
};

const seed = 1883;
const tickMs = 250;
const arrivalMs = 5000; // not all at once: that would look like an attack

/** Lets a simulated fleet live on this MQTT listener, over real connections. */
export function startFleet(address: Address, counts: typeof fullFleet = fullFleet): Fleet {
  const random = new Random(seed);
  const many = (count: number, habit: (n: number) => Habit): Habit[] =>
    Array.from({ length: count }, (_, index) => habit(index + 1));
  const habits = [
    ...many(counts.ingests, ingest),
    ...many(counts.dispatchers, (n) => dispatcher(n, random, counts.trackers)),
    absentee(),
    slowReader(),
    ...many(counts.thermometers, (n) => thermometer(n, random)),
    ...many(counts.meters, (n) => meter(n, random)),
    ...many(counts.trackers, (n) => tracker(n, random)),
    ...many(counts.gateways, (n) => gateway(n, random)),
    ...many(3, flapping),
    doppelganger('a'),
    doppelganger('b'),
    chatterbox(random),
    monologue(random),
  ];
  const startMs = Date.now();
  const arrival = (index: number) => startMs + (index / habits.length) * arrivalMs;
  const members = [
    ...habits.map((habit, index) => new Resident(address, habit, random, arrival(index))),
    new Stranger(address, random, arrival(habits.length)),
  ];
  const clock = setInterval(() => {
    const nowMs = Date.now();
    for (const member of members) member.tick(nowMs);
  }, tickMs);
  return {
    size: members.length,
    get connectedCount() {
      return members.filter((member) => member.connected).length;
    },
    async stop() {
      clearInterval(clock);
      await Promise.all(members.map((member) => member.stop()));
    },
  };
}
