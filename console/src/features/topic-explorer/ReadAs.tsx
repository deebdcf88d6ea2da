import { type ChangeEvent, useId, useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import type { ProtobufChoice } from '../../payload/decode/decode.ts';
import { readSchema } from '../../payload/decode/protobuf.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './topic-explorer.module.css';
import { READINGS, type Reading } from './values.ts';
import { words } from './words.ts';

/** How a payload is read; for Protobuf, by which schema and which of its messages. */
export function ReadAs({
  reading,
  onReading,
  protobuf,
  onProtobuf,
}: {
  reading: Reading;
  onReading: (reading: Reading) => void;
  protobuf: ProtobufChoice | undefined;
  onProtobuf: (choice: ProtobufChoice | undefined) => void;
}) {
  const w = useWords(words);
  const id = useId();
  const [fault, setFault] = useState<string>();
  const [name, setName] = useState<string>();

  const take = async (event: ChangeEvent<HTMLInputElement>) => {
    const input = event.currentTarget;
    const file = input.files?.[0];
    if (!file) return;
    setName(file.name);
    try {
      const schema = readSchema(await file.text());
      const [message] = schema.messages;
      setFault(message === undefined ? w.schemaEmpty : undefined);
      onProtobuf(message === undefined ? undefined : { schema, message });
    } catch (cause) {
      setFault(w.schemaBad({ reason: visibleText(cause instanceof Error ? cause.message : String(cause)) }));
      onProtobuf(undefined);
    }
    input.value = ''; // or the same file, mended, could not be chosen again
  };
  return (
    <div className={styles.bar}>
      <label htmlFor={`${id}-as`} className={styles.sort}>
        {w.format}
        <select
          id={`${id}-as`}
          value={reading}
          onChange={(event) => onReading(READINGS.find((one) => one === event.currentTarget.value) ?? 'auto')}
        >
          {READINGS.map((one) => (
            <option key={one} value={one}>
              {w[one]}
            </option>
          ))}
        </select>
      </label>
      {reading === 'protobuf' && (
        <>
          <label htmlFor={`${id}-schema`} className={styles.sort}>
            {w.schemaFile}
            <input
              id={`${id}-schema`}
              type="file"
              accept=".proto"
              aria-invalid={fault !== undefined}
              aria-describedby={`${id}-hint`}
              onChange={(event) => void take(event)}
            />
          </label>
          {name !== undefined && <code>{visibleText(name)}</code>}
          {protobuf && (
            <label htmlFor={`${id}-message`} className={styles.sort}>
              {w.message}
              <select
                id={`${id}-message`}
                value={protobuf.message}
                onChange={(event) => onProtobuf({ ...protobuf, message: event.currentTarget.value })}
              >
                {protobuf.schema.messages.map((one) => (
                  <option key={one} value={one}>
                    {visibleText(one)}
                  </option>
                ))}
              </select>
            </label>
          )}
          <span
            id={`${id}-hint`}
            className={fault ? styles.fault : styles.text}
            role={fault ? 'alert' : undefined}
          >
            {fault ?? w.schemaHint}
          </span>
        </>
      )}
    </div>
  );
}
