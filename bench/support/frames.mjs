// MQTT 3.1.1 and 5.0 packets as bytes. Written apart from the product's own codec, so that neither hides the other's mistakes.

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

const noProperties = (version) => Buffer.alloc(version === 5 ? 1 : 0);

/** What a message of a 5.0 device may well carry: a content type and two user properties. */
const publishProperties = (() => {
  const pair = (name, value) => Buffer.concat([Buffer.from([0x26]), text(name), text(value)]);
  const all = Buffer.concat([
    Buffer.from([0x03]),
    text('application/json'),
    pair('unit', 'celsius'),
    pair('site', 'north-7'),
  ]);
  return Buffer.concat([Buffer.from([all.length]), all]);
})();

/** No keep alive; the session ends with the connection, unless it is to be kept. */
export const connect = (clientid, version = 4, kept = false) =>
  packet(
    0x10,
    Buffer.concat([
      text('MQTT'),
      Buffer.from([version, kept ? 0 : 0x02, 0, 0]),
      noProperties(version),
      text(clientid),
    ]),
  );

export const subscribe = (filters, qos, version = 4) =>
  packet(
    0x82,
    Buffer.concat([
      Buffer.from([0, 1]),
      noProperties(version),
      ...filters.flatMap((filter) => [text(filter), Buffer.from([qos])]),
    ]),
  );

export const disconnect = Buffer.from([0xe0, 0]); // means the same in 3.1.1 and 5.0

/**
 * CONNACK and, when `subscribed`, SUBACK: false while bytes are missing, true when both said yes and nothing follows.
 * Throws when the broker refused.
 */
export function readGreeting(bytes, subscribed, qos, version) {
  let at = 0;
  for (const type of subscribed ? [0x20, 0x90] : [0x20]) {
    const read = readHeader(bytes, at);
    if (read === null || read.end > bytes.length) return false;
    const codes =
      type === 0x20
        ? [bytes[read.start + 1]]
        : bytes.subarray(read.start + 2 + (version === 5 ? 1 + bytes[read.start + 2] : 0), read.end);
    const refused = type === 0x20 ? codes[0] !== 0 : codes.some((code) => code !== qos);
    if (bytes[at] !== type || refused)
      throw new Error(`greeted with ${bytes.toString('hex', 0, Math.min(64, bytes.length))}`);
    at = read.end;
  }
  if (at < bytes.length) throw new Error(`greeted with too much: ${bytes.toString('hex', at, at + 64)}`);
  return true;
}

/** Where the packet's body begins and ends; null while its length is not complete. */
export function readHeader(bytes, at) {
  let length = 0;
  let shift = 0;
  for (let i = at + 1; i < bytes.length; i++) {
    length |= (bytes[i] & 0x7f) << shift;
    shift += 7;
    if ((bytes[i] & 0x80) === 0) return { start: i + 1, end: i + 1 + length };
  }
  return null;
}

/** One PUBLISH; `packetIdAt` says where its packet id goes, with QoS 0 nowhere. */
export function publish(topic, qos, payload, version = 4) {
  const properties = version === 5 ? publishProperties : Buffer.alloc(0);
  const body = [text(topic), Buffer.alloc(qos > 0 ? 2 : 0), properties, payload];
  const bytes = packet(0x30 | (qos << 1), Buffer.concat(body));
  return { bytes, packetIdAt: qos > 0 ? bytes.length - payload.length - properties.length - 2 : -1 };
}

/** The same PUBLISH many times in a row, with packet ids from 1 on. */
export function publishRing(topic, qos, payload, count, version = 4) {
  const { bytes, packetIdAt } = publish(topic, qos, payload, version);
  const ring = Buffer.alloc(bytes.length * count);
  for (let i = 0; i < count; i++) {
    bytes.copy(ring, i * bytes.length);
    if (packetIdAt >= 0) ring.writeUInt16BE(i + 1, i * bytes.length + packetIdAt);
  }
  return { ring, count, frameBytes: bytes.length, packetIdAt };
}

// --- WebSocket

export const upgrade = (port) =>
  [
    'GET /mqtt HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Key: bXFkZWNrIGJlbmNobWFyaw==',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Protocol: mqtt',
    '\r\n',
  ].join('\r\n');

/** A binary frame's header with a mask of zeros, which leaves the bytes as they are. */
export function webSocketHeader(length) {
  const small = length < 126;
  const middle = length < 65_536;
  const header = Buffer.alloc((small ? 2 : middle ? 4 : 10) + 4);
  header[0] = 0x82;
  header[1] = 0x80 | (small ? length : middle ? 126 : 127);
  if (!small && middle) header.writeUInt16BE(length, 2);
  else if (!small) header.writeUInt32BE(length, 6);
  return header;
}

/** How long the frame is that begins with these bytes of a server; null while the header is not complete. */
export function webSocketLength(header) {
  if (header.length < 2) return null;
  const short = header[1] & 0x7f;
  if (short < 126) return short;
  if (short === 126) return header.length < 4 ? null : header.readUInt16BE(2);
  return header.length < 10 ? null : header.readUInt32BE(6);
}
