import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { anyPacket } from './arbitraries.ts';
import { encodePacket } from './encode.ts';
import { Framer } from './framer.ts';
import { ReasonCode } from './reason-codes.ts';

const concat = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

/** A PUBLISH-like frame with a body of that many bytes. */
function frameOf(bodyBytes: number): Uint8Array {
  const length: number[] = [];
  let rest = bodyBytes;
  do {
    length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  const frame = new Uint8Array(1 + length.length + bodyBytes).fill(0x5a);
  frame[0] = 0x30;
  frame.set(length, 1);
  return frame;
}

const hex = (buf: Uint8Array, start: number, end: number) =>
  Buffer.from(buf.subarray(start, end)).toString('hex');

/** Pushes the chunks and gives back each packet's header and body. */
function cut(framer: Framer, chunks: readonly Uint8Array[]) {
  const packets: { header: number; body: string }[] = [];
  for (const chunk of chunks) {
    framer.push(chunk, (header, buf, start, end) => packets.push({ header, body: hex(buf, start, end) }));
  }
  return packets;
}

const errorOf = (run: () => void): unknown => {
  try {
    run();
  } catch (error) {
    return (error as { reasonCode?: unknown }).reasonCode ?? error;
  }
  return null;
};

test('the same bytes give the same packets however they are cut', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          anyPacket.map(({ packet, version }) => encodePacket(packet, version)),
          fc.integer({ min: 0, max: 40_000 }).map(frameOf),
        ),
        { maxLength: 6 },
      ),
      fc.array(fc.nat(), { maxLength: 12 }),
      (frames, marks) => {
        const stream = concat(frames);
        const at = [0, ...marks.map((mark) => mark % (stream.length + 1)), stream.length].sort(
          (a, b) => a - b,
        );
        const chunks = at.slice(1).map((end, i) => stream.subarray(at[i], end));
        const framer = new Framer(1 << 20);
        const packets = cut(framer, chunks);
        expect(framer.pendingBytes).toBe(0);
        expect(packets).toEqual(cut(new Framer(1 << 20), frames));
        expect(packets.map((packet) => packet.header)).toEqual(frames.map((frame) => frame[0]));
      },
    ),
    { numRuns: 60 },
  );
});

test('byte by byte gives the same packets', () => {
  const frames = [
    frameOf(0),
    frameOf(1),
    frameOf(127),
    frameOf(128),
    frameOf(16_383),
    frameOf(16_384),
    frameOf(0),
  ];
  const packets = cut(
    new Framer(1 << 20),
    [...concat(frames)].map((byte) => Uint8Array.of(byte)),
  );
  expect(packets.map((packet) => packet.body.length / 2)).toEqual([0, 1, 127, 128, 16_383, 16_384, 0]);
  expect(packets.every((packet) => /^(5a)*$/.test(packet.body))).toBe(true);
});

test('a whole packet is handed over where it lies, without a copy', () => {
  const chunk = concat([frameOf(3), frameOf(4)]);
  const starts: number[] = [];
  new Framer(100).push(chunk, (_, buf, start) => {
    expect(buf).toBe(chunk);
    starts.push(start);
  });
  expect(starts).toEqual([2, 7]);
});

test('what was handed over is not written to again', () => {
  const seen: Uint8Array[] = [];
  const framer = new Framer(1000);
  const keep = (_: number, buf: Uint8Array, start: number, end: number) =>
    seen.push(buf.subarray(start, end));
  for (const fill of [1, 2, 3]) {
    const frame = frameOf(200).fill(fill, 3);
    framer.push(frame.slice(0, 50), keep);
    framer.push(frame.slice(50), keep);
  }
  expect(seen.map((body) => [...new Set(body)])).toEqual([[1], [2], [3]]);
});

test('pendingBytes counts the unfinished packet only', () => {
  const framer = new Framer(1000);
  cut(framer, [concat([frameOf(5), frameOf(300).subarray(0, 1)])]);
  expect(framer.pendingBytes).toBe(1);
  cut(framer, [frameOf(300).subarray(1, 100)]);
  expect(framer.pendingBytes).toBe(100);
  expect(cut(framer, [frameOf(300).subarray(100)])).toHaveLength(1);
  expect(framer.pendingBytes).toBe(0);
});

test.each([
  ['longer than four bytes', [0x30, 0x80, 0x80, 0x80, 0x80]],
  ['longer than four bytes, all bits set', [0x30, 0xff, 0xff, 0xff, 0xff, 0x01]],
  ['longer than four bytes, overflowing to 0', [0x30, 0x80, 0x80, 0x80, 0x80, 0x10]],
  ['not minimal in two bytes', [0x30, 0x80, 0x00]],
  ['not minimal in four bytes', [0x30, 0x81, 0x80, 0x80, 0x00]],
])('a remaining length %s is malformed [MQTT-1.5.5-1]', (_, bytes) => {
  const whole = Uint8Array.from(bytes);
  expect(errorOf(() => cut(new Framer(1 << 30), [whole]))).toBe(ReasonCode.MalformedPacket);
  const single = bytes.map((byte) => Uint8Array.of(byte));
  expect(errorOf(() => cut(new Framer(1 << 30), single))).toBe(ReasonCode.MalformedPacket);
});

test('a packet above the maximum is refused by its header, before its body comes [MQTT-3.2.2-15]', () => {
  const header = frameOf(1_000_000).subarray(0, 4);
  expect(errorOf(() => cut(new Framer(1_000_003), [header]))).toBe(ReasonCode.PacketTooLarge);
  expect(errorOf(() => cut(new Framer(1_000_004), [header]))).toBeNull();
  const single = [...header].map((byte) => Uint8Array.of(byte));
  expect(errorOf(() => cut(new Framer(1_000_003), single))).toBe(ReasonCode.PacketTooLarge);
  expect(errorOf(() => cut(new Framer(1_000_004), single))).toBeNull();
});

test('a maximum changed while a packet is handled holds from the next packet on', () => {
  const framer = new Framer(1000);
  const chunk = concat([frameOf(500), frameOf(500)]);
  let count = 0;
  const run = () =>
    framer.push(chunk, () => {
      count++;
      framer.maxPacketBytes = 100;
    });
  expect(errorOf(run)).toBe(ReasonCode.PacketTooLarge);
  expect(count).toBe(1);
});

test('what the handler throws comes out of push', () => {
  const wrong = new Error('handler');
  const run = () =>
    new Framer(100).push(frameOf(1), () => {
      throw wrong;
    });
  expect(errorOf(run)).toBe(wrong);
});

test('a header that promises much claims little memory, and the cost of a big packet grows linearly', () => {
  const body = 8 * 1024 * 1024;
  const frame = frameOf(body);
  const framer = new Framer(1 << 28);
  const chunkBytes = 1400; // an Ethernet segment: 6000 pushes, quadratic copying would move 25 GB, doubling moves twice the packet
  const copy = vi.spyOn(Uint8Array.prototype, 'set');
  let received = 0;
  for (let at = 0; at < frame.length; at += chunkBytes) {
    framer.push(frame.subarray(at, at + chunkBytes), (_, __, start, end) => {
      received = end - start;
    });
  }
  expect(received).toBe(body);
  const copiedBytes = copy.mock.calls.reduce((sum, [source]) => sum + source.length, 0);
  copy.mockRestore();
  expect(copiedBytes).toBeLessThan(4 * body);
});
