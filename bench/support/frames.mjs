// MQTT 3.1.1 packets as bytes. Written apart from the product's own codec, so that neither hides the other's mistakes.

const text = (value) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
};

function packet(header, body) {
  const length = [];
  let rest = body.length;
  do {
    length.push(rest > 127 ? (rest & 0x7f) | 0x80 : rest);
    rest >>= 7;
  } while (rest > 0);
  return Buffer.concat([Buffer.from([header].concat(length)), body]);
}

/** Clean session, no keep alive. */
export const connect = (clientid) =>
  packet(0x10, Buffer.concat([text('MQTT'), Buffer.from([4, 0x02, 0, 0]), text(clientid)]));

export const subscribe = (filter, qos) =>
  packet(0x82, Buffer.concat([Buffer.from([0, 1]), text(filter), Buffer.from([qos])]));

export const disconnect = Buffer.from([0xe0, 0]);

/** One PUBLISH; `packetIdAt` says where its packet id goes, with QoS 0 nowhere. */
export function publish(topic, qos, payload) {
  const name = text(topic);
  const bytes = packet(0x30 | (qos << 1), Buffer.concat([name, Buffer.alloc(qos > 0 ? 2 : 0), payload]));
  return { bytes, packetIdAt: qos > 0 ? bytes.length - payload.length - 2 : -1 };
}

/** The same PUBLISH many times in a row, with packet ids from 1 on. */
export function publishRing(topic, qos, payload, count) {
  const { bytes, packetIdAt } = publish(topic, qos, payload);
  const ring = Buffer.alloc(bytes.length * count);
  for (let i = 0; i < count; i++) {
    bytes.copy(ring, i * bytes.length);
    if (packetIdAt >= 0) ring.writeUInt16BE(i + 1, i * bytes.length + packetIdAt);
  }
  return { ring, count, frameBytes: bytes.length, packetIdAt };
}
