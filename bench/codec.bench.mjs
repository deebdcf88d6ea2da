// Reading and writing PUBLISH: our framer and codec beside mqtt-packet, in one process, in turns.
import mqttPacket from 'mqtt-packet';
import { main } from '../scripts/run.mjs';
import { importSources } from './support/bundle.mjs';
import * as frames from './support/frames.mjs';
import { median, printTable, readOptions, save, say, shuffled } from './support/report.mjs';

const CHUNK_BYTES = 64 * 1024; // what Node reads at once
const TOPICS = 100;

main(import.meta.url, async (args) => {
  const options = readOptions(args, { rounds: 5, messages: 200_000 }, { rounds: 2, messages: 50_000 });
  const ours = await importSources('codec', {
    framer: 'mqtt/src/framer.ts',
    publish: 'mqtt/src/publish.ts',
    topics: 'mqtt/src/topic-cache.ts',
    encode: 'mqtt/src/encode.ts',
  });
  const results = [];
  for (const qos of [0, 1]) {
    for (const size of [64, 1024]) {
      results.push(compare('read', { qos, size }, readers(ours, qos, size), options));
      results.push(compare('write', { qos, size }, writers(ours, qos, size), options));
    }
  }
  console.log('\nµs for each PUBLISH of MQTT 3.1.1, topics repeating');
  printTable(
    ['what', 'QoS', 'bytes', 'ours µs', 'mqtt-packet µs', 'ratio'],
    results.map(({ what, qos, size, oursUs, peerUs }) => [
      what,
      String(qos),
      String(size),
      say(oursUs, 3),
      say(peerUs, 3),
      say(peerUs / oursUs, 1, '×'),
    ]),
  );
  save('codec', options, results);
});

/** The median time for one message of either side; each round begins with another one. */
function compare(what, cell, sides, { rounds, messages }) {
  const times = { ours: [], peer: [] };
  for (const side of ['ours', 'peer']) sides[side](messages / 10); // compiled before it counts
  for (let round = 0; round < rounds; round++) {
    for (const side of shuffled(['ours', 'peer'])) {
      const start = performance.now();
      const done = sides[side](messages);
      times[side].push(((performance.now() - start) * 1000) / done);
    }
  }
  return { what, ...cell, oursUs: median(times.ours), peerUs: median(times.peer) };
}

const topicOf = (i) => `factory/line/${100 + (i % TOPICS)}/temperature`;

/** Packets cut into chunks without regard to their borders, as TCP does. */
function stream(qos, size) {
  const payload = Buffer.alloc(size, 'x');
  const packets = [];
  for (let bytes = 0, i = 0; bytes < 16 * CHUNK_BYTES; i++) {
    const { ring } = frames.publishRing(topicOf(i), qos, payload, 1);
    packets.push(ring);
    bytes += ring.length;
  }
  const all = Buffer.concat(packets);
  const chunks = [];
  for (let at = 0; at < all.length; at += CHUNK_BYTES) chunks.push(all.subarray(at, at + CHUNK_BYTES));
  return { chunks, packets: packets.length };
}

/** Both give the topic as a string, since both need it to find the subscribers. */
function readers({ framer, publish, topics }, qos, size) {
  const { chunks, packets } = stream(qos, size);
  const scan = new publish.PublishScan();
  const cache = new topics.TopicCache();
  let topicChars = 0;
  const ours = new framer.Framer(1024 * 1024);
  const onPacket = (header, buf, start, end) => {
    publish.scanPublish(header, buf, start, end, 4, scan);
    topicChars += cache.read(buf, scan.topicStart, scan.topicEnd).length;
  };
  const peer = mqttPacket.parser({ protocolVersion: 4 });
  peer.on('packet', ({ topic }) => {
    topicChars += topic.length;
  });
  const through = (push) => (messages) => {
    const before = topicChars;
    let done = 0;
    for (; done < messages; done += packets) for (const chunk of chunks) push(chunk);
    if (topicChars - before !== done * topicOf(0).length) throw new Error('not all packets were read');
    return done;
  };
  return {
    ours: through((chunk) => ours.push(chunk, onPacket)),
    peer: through((chunk) => peer.parse(chunk)),
  };
}

/** Bytes of a message which did not come as such, e.g. from the REST API. */
function writers({ encode }, qos, size) {
  const payload = Buffer.alloc(size, 'x');
  const texts = Array.from({ length: TOPICS }, (_, i) => topicOf(i));
  const names = texts.map((topic) => Buffer.from(topic));
  const packetId = qos > 0 ? { messageId: 7 } : {};
  const expected = frames.publish(texts[0], qos, payload).bytes.length;
  const through = (write) => (messages) => {
    for (let i = 0; i < messages; i++)
      if (write(i % TOPICS) !== expected) throw new Error('a packet of another length was written');
    return messages;
  };
  return {
    ours: through((i) => encode.encodePublish(names[i], null, payload, qos, false, false, 4).bytes.length),
    peer: through(
      (i) =>
        mqttPacket.generate({
          cmd: 'publish',
          topic: texts[i],
          payload,
          qos,
          retain: false,
          dup: false,
          ...packetId,
        }).length,
    ),
  };
}
