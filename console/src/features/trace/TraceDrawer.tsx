import { api } from '@mqdeck/contract/api';
import {
  TRACE_FORMATTERS,
  TRACE_LIFE_MS,
  TRACE_NAME,
  TRACE_PACKETS,
  TRACE_PAYLOADS,
  TRACE_TYPES,
  type TraceType,
} from '@mqdeck/contract/traces';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { serverNow } from '../../api/server-clock.ts';
import { Field } from '../../form/Field.tsx';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Text } from '../../form/fields.tsx';
import classes from '../../form/form.module.css';
import { Select } from '../../form/Select.tsx';
import { useField } from '../../form/use-field.ts';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { ConditionField } from './ConditionField.tsx';
import { isAddress, localTime, momentOf, nameAt } from './new-trace.ts';
import { PacketsField } from './PacketsField.tsx';
import styles from './trace.module.css';
import { words } from './words.ts';

const TYPES = Object.fromEntries(TRACE_TYPES.map((type) => [type, words[type]]));
const FORMATS = { text: words.formatText, json: words.formatJson };
const PAYLOADS = { text: words.payloadText, hex: words.payloadHex, hidden: words.payloadHidden };
const MINUTE_MS = 60_000;
const DURATIONS = [TRACE_LIFE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS];

/** Begins a trace; the link that led here may say of what. */
export function TraceDrawer({
  type,
  condition,
  opened,
  onClose,
}: {
  type: TraceType;
  condition: string;
  opened: boolean;
  onClose: () => void;
}) {
  const w = useWords(words);
  const [initial] = useState(() => {
    const now = serverNow();
    return {
      name: nameAt(now),
      type,
      clientid: '',
      topic: '',
      ip_address: '',
      ruleid: '',
      [type]: condition,
      start_at: localTime(now),
      end_at: localTime(now + TRACE_LIFE_MS),
      formatter: 'text',
      payload_encode: 'text',
      packets: [...TRACE_PACKETS],
    };
  });
  return (
    <FormDrawer
      title={w.create}
      opened={opened}
      onClose={onClose}
      endpoint={api.traces.create}
      initial={initial}
      words={words}
      submitLabel={w.create}
      refresh={[api.traces.list]}
      toBody={({
        name,
        type: chosen,
        start_at,
        end_at,
        formatter,
        payload_encode,
        packets,
        ...conditions
      }) => ({
        name,
        type: chosen,
        [String(chosen)]: conditions[String(chosen)],
        start_at: momentOf(String(start_at)),
        end_at: momentOf(String(end_at)),
        formatter,
        payload_encode,
        // All of them is what every broker does
        ...(packets.length < TRACE_PACKETS.length && { packets }),
      })}
      faultOf={({ code }) => {
        if (code === 'ALREADY_EXISTS') return { field: 'name', text: w.nameTaken };
        return code === 'DUPLICATE_CONDITION' ? { field: 'type', text: w.conditionTaken } : undefined;
      }}
      onDone={() => toast('good', w.created)}
    >
      <Text
        name="name"
        mono
        required
        check={(value) => (value === '' || TRACE_NAME.test(String(value)) ? null : w.noName)}
      />
      <Select name="type" required labels={TYPES} options={TRACE_TYPES} />
      <Condition />
      <Moments />
      <PacketsField />
      <Select name="formatter" required labels={FORMATS} options={TRACE_FORMATTERS} />
      <Select name="payload_encode" required labels={PAYLOADS} options={TRACE_PAYLOADS} />
    </FormDrawer>
  );
}

function Condition() {
  const w = useWords(words);
  const type = useWatch({ name: 'type' }) as TraceType;
  const checks: Partial<Record<TraceType, (value: string) => string | null>> = {
    topic: (value) => (isValidFilter(value) ? null : w.noTopic),
    ip_address: (value) => (isAddress(value) ? null : w.noAddress),
  };
  // Each type has a field of its own: what was typed for another one is not lost.
  return (
    <ConditionField
      key={type}
      type={type}
      check={(value) =>
        value === '' || value === undefined ? null : (checks[type]?.(String(value)) ?? null)
      }
    />
  );
}

function Moments() {
  const w = useWords(words);
  const { setValue, getValues, trigger } = useFormContext();
  const last = (ms: number) => {
    const from = Date.parse(momentOf(String(getValues('start_at'))) ?? '');
    if (Number.isNaN(from)) return;
    setValue('end_at', localTime(from + ms), { shouldDirty: true });
    void trigger('end_at');
  };
  return (
    <>
      <MomentField name="start_at" check={() => null} />
      <MomentField
        name="end_at"
        check={(end) => {
          const start = momentOf(String(getValues('start_at')));
          if (start !== undefined && Date.parse(end) <= Date.parse(start)) return w.endBeforeStart;
          return Date.parse(end) <= serverNow() ? w.endPassed : null;
        }}
      />
      <fieldset className={styles.durations}>
        <legend className="visually-hidden">{w.duration}</legend>
        {DURATIONS.map((ms) => (
          <button key={ms} type="button" className={classes.button} onClick={() => last(ms)}>
            {ms < 60 * MINUTE_MS
              ? w.minutes({ count: ms / MINUTE_MS })
              : w.hours({ count: ms / (60 * MINUTE_MS) })}
          </button>
        ))}
      </fieldset>
    </>
  );
}

function MomentField({ name, check }: { name: string; check: (moment: string) => string | null }) {
  const w = useWords(words);
  const field = useField({
    name,
    required: true,
    check: (value) => {
      const moment = momentOf(String(value ?? ''));
      return moment === undefined ? w.noTime : check(moment);
    },
  });
  return (
    <Field field={field}>
      <input
        {...field.aria}
        className={classes.input}
        type="datetime-local"
        step={1}
        name={field.name}
        value={String(field.value ?? '')}
        required
        onChange={(event) => field.set(event.currentTarget.value)}
        onBlur={field.blur}
      />
    </Field>
  );
}
