import type { Socket } from 'node:net';
import { bodyStart } from '@mqdeck/mqtt/bytes';
import { connectLevel } from '@mqdeck/mqtt/decode';

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

/** By the protocol level; null when it is no CONNECT. */
function answerTo(chunk: Buffer): Buffer | null {
  const level = chunk[0] === CONNECT ? connectLevel(chunk, bodyStart(chunk), chunk.length) : null;
  if (level === null) return null;
  return level >= 5 ? TO_FIVE : TO_THREE;
}
