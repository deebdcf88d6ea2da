import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packetsFor, topic, versions } from './arbitraries.ts';
import { decodePacket } from './decode.ts';
import { encodePacket } from './encode.ts';
import { Framer } from './framer.ts';
import type { PublishPacket } from './packets.ts';
import { PublishScan, readPublishProperties, readTopic, scanPublish } from './publish.ts';
import { MqttError, ReasonCode } from './reason-codes.ts';
import { TopicCache } from './topic-cache.ts';
import { encodeUtf8 } from './utf8.ts';

test.each(versions)('the parts found by a scan are those of the decoded packet, version %i', (version) => {
  const scan = new PublishScan();
  const { PUBLISH } = packetsFor(version, 'server');
  fc.assert(
    fc.property(PUBLISH!, (packet) => {
      new Framer(10_000).push(encodePacket(packet, version), (header, buf, start, end) => {
        scanPublish(header & 0x0f, buf, start, end, version, scan);
        const { topicStart, topicEnd, propsStart, propsEnd, payloadStart } = scan;
        expect({
          topic: topicStart === topicEnd ? '' : readTopic(buf, topicStart, topicEnd),
          payload: buf.slice(payloadStart, scan.end),
          qos: scan.qos,
          retain: scan.retain,
          dup: scan.dup,
          packetId: scan.packetId,
          properties: propsStart === propsEnd ? {} : readPublishProperties(buf, scan, 'server'),
          type: 3,
        } satisfies PublishPacket).toEqual(decodePacket(header, buf, start, end, version, 'server'));
        expect(scan.end).toBe(end);
      });
    }),
    { numRuns: 200 },
  );
});

test('a scan that refuses leaves the object as it was', () => {
  const scan = new PublishScan();
  const before = { ...scan };
  expect(() => scanPublish(0x02, Uint8Array.of(0, 1, 0x61, 0, 0), 0, 5, 4, scan)).toThrow(MqttError);
  expect({ ...scan }).toEqual(before);
});

test('the topic cache reads what readTopic reads, and gives the same string again', () => {
  const cache = new TopicCache();
  fc.assert(
    fc.property(fc.oneof(topic, fc.constantFrom('a', 'b', 'a/b', 'x'.repeat(300))), (published) => {
      const bytes = encodeUtf8(`##${published}##`);
      for (let i = 0; i < 2; i++) expect(cache.read(bytes, 2, bytes.length - 2)).toBe(published);
    }),
    { numRuns: 2000 },
  );
});

test('the topic cache never confuses topics, however many share a slot', () => {
  const cache = new TopicCache();
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 20_000; i++) {
      const bytes = encodeUtf8(`device/${i}`);
      if (cache.read(bytes, 0, bytes.length) !== `device/${i}`) expect.fail(`device/${i} was confused`);
    }
  }
});

test('the topic cache keeps its own bytes, and refuses a bad topic every time', () => {
  const cache = new TopicCache();
  const bytes = encodeUtf8('abc');
  expect(cache.read(bytes, 0, 3)).toBe('abc');
  bytes.set(encodeUtf8('a/#'));
  for (let i = 0; i < 2; i++) {
    expect(() => cache.read(bytes, 0, 3)).toThrow(
      expect.objectContaining({ reasonCode: ReasonCode.TopicNameInvalid }),
    );
  }
});
