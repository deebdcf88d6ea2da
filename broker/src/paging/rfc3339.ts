/** A moment as every answer writes it: with milliseconds and the server's offset, `+00:00` and never `Z`. */
export function rfc3339(epochMs: number): string {
  const minutes = -new Date(epochMs).getTimezoneOffset();
  const local = new Date(epochMs + minutes * 60_000).toISOString().slice(0, -1);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const offset = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
}

/** Whole seconds, as the answers about bans and API keys have them. */
export const rfc3339Seconds = (epochMs: number): string => rfc3339(epochMs).replace(/\.\d+/, '');
