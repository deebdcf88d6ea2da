import type { Socket } from 'node:net';

const ANSWERED_MAX = 50; // at a time; a flood is not answered
const PATIENCE_MS = 2000;
const CONNECT = 0x10;
// CONNACK: 0x9F Connection rate exceeded, section 3.2.2.2; 3 = server unavailable [MQTT311-3.2.2.3]
const TO_FIVE = Buffer.from([0x20, 0x03, 0x00, 0x9f, 0x00]);
const TO_THREE = Buffer.from([0x20, 0x02, 0x00, 0x03]);
let answered = 0;

/**
 * Ends a connection that is one too many. A few are told why, after their first bytes, which say in what version; the
 * rest of a flood is closed as it comes.
 */
export function refusePolitely(socket: Socket): void {
  if (answered >= ANSWERED_MAX) {
    socket.destroy();
    return;
  }
  answered++;
  socket.on('error', () => socket.destroy());
  socket.once('close', () => answered--);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.once('data', (chunk: Buffer) => {
    const answer = answerTo(chunk);
    if (answer === null) socket.destroy();
    else socket.end(answer);
    socket.resume();
  });
}

/** By the protocol level, which stands behind the name; null when it is no CONNECT. */
function answerTo(chunk: Buffer): Buffer | null {
  if (chunk[0] !== CONNECT) return null;
  let at = 1;
  while (at < 5 && chunk[at]! > 0x7f) at++;
  const nameLength = chunk.length > at + 2 ? chunk.readUInt16BE(at + 1) : Number.NaN;
  const level = chunk[at + 3 + nameLength];
  if (level === undefined) return null;
  return level >= 5 ? TO_FIVE : TO_THREE;
}
