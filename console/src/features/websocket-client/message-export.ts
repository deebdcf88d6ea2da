import { toBase64 } from '../../payload/payload-formats.ts';
import { saveFile } from '../../ui/save-file.ts';
import type { LoggedMessage } from './message-log.ts';
import { decodeStrictly } from './payload-text.ts';

/** Messages as a JSON file: a payload that is UTF-8 as text, any other as Base64. */
export function exportMessages(messages: readonly LoggedMessage[], name: string): void {
  const parts = messages.map(({ at, topic, qos, retain, dup, payload, properties }, index) => {
    const text = decodeStrictly(payload);
    const { correlationData, ...others } = properties;
    const line = JSON.stringify({
      time: new Date(at).toISOString(),
      topic,
      qos,
      retain,
      dup,
      ...(text === null ? { payload_base64: toBase64(payload) } : { payload: text }),
      properties: correlationData ? { ...others, correlationData: toBase64(correlationData) } : others,
    });
    return `${index === 0 ? '[\n' : ',\n'}${line}`;
  });
  saveFile(`${name}.json`, [...(parts.length === 0 ? ['['] : parts), '\n]\n'], 'application/json');
}
