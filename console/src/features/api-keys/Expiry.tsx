import { useWatch } from 'react-hook-form';
import { serverNow } from '../../api/server-clock.ts';
import { Field } from '../../form/Field.tsx';
import classes from '../../form/form.module.css';
import { Select } from '../../form/Select.tsx';
import { useField } from '../../form/use-field.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { formatTime } from '../../ui/format.ts';
import { EXPIRY_CHOICES, type ExpiryChoice, expiresAt } from './expiry-date.ts';
import { words } from './words.ts';

const LABELS = { ...words, never: words.neverChoice, moment: words.momentChoice };

/** When the key expires. `kept`: the moment it has already, which may stay although it is over. */
export function Expiry({ kept }: { kept?: string | undefined }) {
  const w = useWords(words);
  const language = useLanguage();
  const choice = useWatch({ name: 'expires' }) as ExpiryChoice;
  const foreseen = choice === 'never' || choice === 'moment' ? null : expiresAt(choice, '');
  return (
    <>
      <Select
        name="expires"
        required
        options={EXPIRY_CHOICES}
        labels={LABELS}
        hint={foreseen === null ? undefined : w.expiresAt({ when: formatTime(foreseen, language) })}
      />
      {choice === 'moment' && <Moment kept={kept} />}
    </>
  );
}

function Moment({ kept }: { kept: string | undefined }) {
  const w = useWords(words);
  const field = useField({
    name: 'moment',
    required: false,
    check: (value) => {
      if (value === kept && kept !== undefined) return null;
      const at = expiresAt('moment', String(value ?? ''));
      if (at === null) return w.expireTime;
      return Date.parse(at) <= serverNow() ? w.tooEarly : null;
    },
  });
  return (
    <Field field={field}>
      <input
        {...field.aria}
        className={classes.input}
        type="datetime-local"
        name={field.name}
        value={String(field.value ?? '')}
        onChange={(event) => field.set(event.currentTarget.value)}
        onBlur={field.blur}
      />
    </Field>
  );
}
