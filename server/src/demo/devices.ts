import type { Properties, Will } from '@mqdeck/mqtt/packets';
import type { Random } from './random.ts';
import type { Habit } from './resident.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const none: Properties = {};

const number = (n: number): string => String(n).padStart(3, '0');
const will = (topic: string, payload: string): Will => ({
  topic,
  payload: Buffer.from(payload),
  qos: 1,
  retain: true,
  properties: none,
});

/** -1 in the small hours, 1 in the middle of the afternoon, of this machine's day. */
function daylight(nowMs: number): number {
  const localMs = nowMs - new Date(nowMs).getTimezoneOffset() * minute;
  return Math.sin(((localMs % day) / day - 9 / 24) * 2 * Math.PI);
}

/** Cheap and many: 3.1.1, QoS 0, no session. */
export function thermometer(n: number, random: Random): Habit {
  const hall = random.pick(['hall-1', 'hall-2', 'hall-3', 'cold-store', 'roof']);
  const topic = `plant/${hall}/thermometer/${number(n)}/temperature`;
  const usual = hall === 'cold-store' ? 4 : random.between(18, 23);
  const swing = hall === 'roof' ? 9 : hall === 'cold-store' ? 0.4 : 3;
  return {
    identity: { clientid: `thermometer-${number(n)}`, protocolVersion: 4, username: 'plant' },
    everyMs: [8 * second, 20 * second],
    awayMs: [2 * second, 20 * second],
    act(device, nowMs) {
      const celsius = usual + swing * daylight(nowMs) + random.between(-0.3, 0.3);
      device.publish(topic, celsius.toFixed(1), 0);
    },
  };
}

/** Careful: 5.0, QoS 1, retained, with a session that outlives the connection, and properties. */
export function meter(n: number, random: Random): Habit {
  const clientid = `meter-${number(n)}`;
  const district = random.pick(['north', 'east', 'south', 'west']);
  const topic = `meters/${district}/${clientid}`;
  let kwh = random.between(900, 45_000);
  let beforeMs: number | null = null;
  return {
    identity: {
      clientid,
      protocolVersion: 5,
      username: 'utility',
      cleanStart: false,
      properties: { sessionExpiryInterval: 7200, receiveMaximum: 20 },
      will: will(`${topic}/state`, 'lost'),
    },
    everyMs: [15 * second, 45 * second],
    awayMs: [5 * second, 30 * second],
    arrive(device) {
      device.publish(`${topic}/state`, 'online', 1, { retain: true });
      device.subscribe([`${topic}/command`], 1);
    },
    act(device, nowMs) {
      const watts = 350 + 250 * daylight(nowMs - 4 * hour) + random.between(0, 400);
      kwh += (watts / 1000) * ((nowMs - (beforeMs ?? nowMs)) / hour);
      beforeMs = nowMs;
      device.publish(
        `${topic}/reading`,
        JSON.stringify({ watts: Math.round(watts), kwh: Number(kwh.toFixed(3)) }),
        1,
        {
          retain: true,
          properties: {
            contentType: 'application/json',
            payloadFormatIndicator: 1,
            messageExpiryInterval: 3600,
            userProperty: [['firmware', `2.${n % 5}.1`]],
          },
        },
      );
    },
  };
}

/** On the road: 3.1.1, its session kept, gone in every tunnel without a word, so that its will is seen. */
export function tracker(n: number, random: Random): Habit {
  const clientid = `truck-${number(n)}`;
  let latitude = random.between(47.3, 54.5);
  let longitude = random.between(6.5, 14.5);
  let heading = random.between(0, 2 * Math.PI);
  return {
    identity: {
      clientid,
      protocolVersion: 4,
      username: 'logistics',
      cleanStart: false,
      keepAlive: 30,
      will: will(`fleet/${clientid}/state`, 'lost'),
    },
    everyMs: [4 * second, 9 * second],
    stayMs: [2 * minute, 15 * minute],
    leave: 'drop',
    awayMs: [10 * second, minute],
    arrive(device) {
      device.publish(`fleet/${clientid}/state`, 'online', 1, { retain: true });
      device.subscribe([`fleet/${clientid}/orders`], 2);
    },
    act(device) {
      heading += random.between(-0.4, 0.4);
      const kmh = random.between(0, 88);
      latitude += Math.cos(heading) * kmh * 0.00002;
      longitude += Math.sin(heading) * kmh * 0.00003;
      const position = {
        lat: Number(latitude.toFixed(5)),
        lon: Number(longitude.toFixed(5)),
        kmh: Math.round(kmh),
      };
      device.publish(`fleet/${clientid}/position`, JSON.stringify(position), 1);
    },
  };
}

/** Old iron that speaks 3.1 for a whole floor of radio sensors. */
export function gateway(n: number, random: Random): Habit {
  const clientid = `gateway-${number(n)}`;
  return {
    identity: {
      clientid,
      protocolVersion: 3,
      username: 'plant',
      will: will(`gateways/${clientid}/state`, 'lost'),
    },
    everyMs: [1.5 * second, 2.5 * second],
    awayMs: [5 * second, 15 * second],
    arrive(device) {
      device.publish(`gateways/${clientid}/state`, 'online', 1, { retain: true });
      device.subscribe([`gateways/${clientid}/command/#`], 1);
    },
    act(device, nowMs) {
      for (let i = 0; i < 3; i++) {
        const sensor = Math.floor(random.between(1, 30));
        const humidity = 45 - 12 * daylight(nowMs) + random.between(-2, 2);
        device.publish(`gateways/${clientid}/ble/${number(sensor)}/humidity`, humidity.toFixed(1), 0);
      }
    },
  };
}

/** Part of a group that shares the load of storing everything. */
export function ingest(n: number): Habit {
  return {
    identity: {
      clientid: `ingest-${n}`,
      protocolVersion: 5,
      username: 'backend',
      cleanStart: false,
      properties: { sessionExpiryInterval: 3600, receiveMaximum: 200 },
    },
    awayMs: [second, 3 * second],
    arrive: (device) => device.subscribe(['$share/ingest/plant/#', '$share/ingest/meters/+/+/reading'], 1),
  };
}

/** What people look at: wildcards across the fleet, and orders to single trucks with QoS 2. */
export function dispatcher(n: number, random: Random, trucks: number): Habit {
  return {
    identity: { clientid: `dispatch-desk-${n}`, protocolVersion: 4, username: 'logistics' },
    everyMs: [10 * second, 30 * second],
    awayMs: [second, 5 * second],
    arrive: (device) => device.subscribe(['fleet/+/position', 'fleet/+/state', 'gateways/+/state'], 0),
    act(device) {
      const truck = `truck-${number(Math.floor(random.between(1, trucks + 1)))}`;
      device.publish(
        `fleet/${truck}/orders`,
        JSON.stringify({ stop: Math.floor(random.between(1, 400)) }),
        2,
      );
    },
  };
}
