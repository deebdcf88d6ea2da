import { LISTENER_TYPES } from '@mqdeck/contract/listeners';
import { useField } from '../../form/use-field.ts';
import { useWords } from '../../i18n/words.ts';
import { formWords } from './form-words.ts';
import styles from './listeners.module.css';

/** What the listener speaks. Of QUIC it is said why it cannot be chosen. */
export function TypeChoice() {
  const w = useWords(formWords);
  const field = useField({ name: 'type', required: true });
  return (
    <fieldset className={styles.types} data-field="type">
      <legend>{w.type}</legend>
      {[...LISTENER_TYPES, 'quic' as const].map((type) => (
        <label key={type} className={styles.type} data-missing={type === 'quic' || undefined}>
          <input
            type="radio"
            name="type"
            value={type}
            checked={field.value === type}
            disabled={type === 'quic'}
            onChange={() => field.set(type)}
          />
          <span className={styles.typeName}>{type}</span>
          <span className={styles.typeText}>{w[type]}</span>
        </label>
      ))}
    </fieldset>
  );
}
