import { showPayload } from '../../payload/payload-formats.ts';

/** Of a payload in a row: more does not fit any screen. */
const PREVIEW_BYTES = 300;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder();

export function decodeStrictly(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The beginning of a payload on one line, with nothing in it that is not seen. */
export function previewOf(payload: Uint8Array): string {
  let end = Math.min(payload.length, PREVIEW_BYTES);
  // Not through the middle of a character.
  for (let back = 0; back < 3 && end < payload.length && (payload[end]! & 0xc0) === 0x80; back += 1) end -= 1;
  const text = showPayload(payload.subarray(0, end), 'plaintext').text.replace(/\s*\n\s*/g, ' ↵ ');
  return end < payload.length ? `${text}…` : text;
}

/** Searched in the beginning of a payload only: the rest costs too much for every key pressed. */
const SEARCHED_BYTES = 4096;
const searched = new WeakMap<Uint8Array, string>();

export function searchTextOf(payload: Uint8Array): string {
  let text = searched.get(payload);
  if (text === undefined) {
    text = lenient.decode(payload.subarray(0, SEARCHED_BYTES)).toLowerCase();
    searched.set(payload, text);
  }
  return text;
}
