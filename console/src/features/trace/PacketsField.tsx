import { TRACE_PACKETS, type TracePacket } from '@mqdeck/contract/traces';
import { Field } from '../../form/Field.tsx';
import { useField } from '../../form/use-field.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import tools from '../../ui/Tools.module.css';
import styles from './trace.module.css';
import { words } from './words.ts';

const LABELS: Record<TracePacket, { en: string; zh: string }> = {
  connect: words.packetConnect,
  subscribe: words.packetSubscribe,
  publish: words.packetPublish,
  deliver: words.packetDeliver,
  ping: words.packetPing,
};

/** Which packets a trace is about; at least one kind of them. */
export function PacketsField() {
  const w = useWords(words);
  const language = useLanguage();
  const field = useField({
    name: 'packets',
    check: (value) => (Array.isArray(value) && value.length > 0 ? null : w.choosePacket),
  });
  const chosen: readonly unknown[] = Array.isArray(field.value) ? field.value : [];
  return (
    <Field field={field} group>
      {/* biome-ignore lint/a11y/useSemanticElements: its name stands above, with those of the other fields */}
      <div role="group" aria-labelledby={`${field.id}-label`} className={styles.packets}>
        {TRACE_PACKETS.map((packet) => (
          <label key={packet} className={tools.check}>
            <input
              type="checkbox"
              checked={chosen.includes(packet)}
              onChange={({ currentTarget: { checked } }) =>
                field.set(TRACE_PACKETS.filter((one) => (one === packet ? checked : chosen.includes(one))))
              }
              onBlur={field.blur}
            />
            {LABELS[packet][language]}
          </label>
        ))}
      </div>
    </Field>
  );
}
