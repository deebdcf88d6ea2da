import { Select } from '../../form/Select.tsx';
import { levelWords, words } from './words.ts';

const FORMATS = { text: words.text, json: words.json };
const TIMES = { auto: words.auto, epoch: words.epoch, rfc3339: words.rfc3339 };
const PAYLOADS = { text: words.payloadText, hex: words.payloadHex, hidden: words.payloadHidden };

/** All offsets that are in use somewhere. */
const OFFSETS =
  '-12:00 -11:00 -10:00 -09:30 -09:00 -08:00 -07:00 -06:00 -05:00 -04:00 -03:30 -03:00 -02:00 -01:00 +01:00 +02:00 +03:00 +03:30 +04:00 +04:30 +05:00 +05:30 +05:45 +06:00 +06:30 +07:00 +08:00 +08:45 +09:00 +09:30 +10:00 +10:30 +11:00 +12:00 +12:45 +13:00 +14:00'.split(
    ' ',
  );
const ZONES = ['system', 'utc', ...OFFSETS];
const ZONE_WORDS = { system: words.system, utc: words.utc };

/** What every handler has, on the console as in a file. */
export function HandlerFields({ within = '' }: { within?: string }) {
  return (
    <>
      <Select name={`${within}level`} labels={levelWords} required />
      <Select name={`${within}formatter`} labels={FORMATS} required />
      <Select name={`${within}timestamp_format`} labels={TIMES} required />
      <Select name={`${within}time_offset`} options={ZONES} labels={ZONE_WORDS} required />
      <Select name={`${within}payload_encode`} labels={PAYLOADS} required />
    </>
  );
}
