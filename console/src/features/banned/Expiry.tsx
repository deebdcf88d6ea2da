import { FOREVER } from '@mqdeck/contract/banned';
import { serverNow } from '../../api/server-clock.ts';
import { Field } from '../../form/Field.tsx';
import { useField } from '../../form/use-field.ts';
import { useWords } from '../../i18n/words.ts';
import { localOf, momentOf } from '../../table/filters.ts';
import { untilFault } from './ban.ts';
import styles from './banned.module.css';
import { words } from './words.ts';

const HOUR_MS = 3_600_000;
const SHORTCUTS = [
  ['hour', HOUR_MS],
  ['day', 24 * HOUR_MS],
  ['week', 7 * 24 * HOUR_MS],
  ['month', 30 * 24 * HOUR_MS],
  ['year', 365 * 24 * HOUR_MS],
] as const;

/** When a ban ends: never, or a moment that counts by the clock of the server. */
export function Expiry() {
  const w = useWords(words);
  const moment = useField({
    name: 'until',
    check: (value) => untilFault(value, w),
    hint: w.zone({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
  });
  const forEver = moment.value === FOREVER;
  const inMs = (ms: number) => moment.set(new Date(serverNow() + ms).toISOString());
  const shown = { ...moment, standard: undefined, ...(forEver && { hint: undefined }) };
  return (
    <Field field={shown} group>
      <div className={styles.expiry}>
        <select
          className={styles.control}
          aria-label={w.until}
          value={forEver ? FOREVER : 'moment'}
          onChange={(event) => moment.set(event.currentTarget.value === FOREVER ? FOREVER : '')}
        >
          <option value={FOREVER}>{w.forEver}</option>
          <option value="moment">{w.atMoment}</option>
        </select>
        {!forEver && (
          <input
            {...moment.aria}
            className={styles.control}
            type="datetime-local"
            step={1}
            name="until"
            aria-label={w.moment}
            min={localOf(new Date(serverNow()).toISOString())}
            value={localOf(String(moment.value ?? ''))}
            onChange={(event) => moment.set(momentOf(event.currentTarget.value) ?? '')}
            onBlur={moment.blur}
          />
        )}
        <fieldset className={styles.shortcuts} aria-label={w.shortcuts}>
          {SHORTCUTS.map(([name, ms]) => (
            <button key={name} type="button" className={styles.shortcut} onClick={() => inMs(ms)}>
              {w[name]}
            </button>
          ))}
        </fieldset>
      </div>
    </Field>
  );
}
