import { type DurationUnit, parseBytes, parseDuration } from '@mqdeck/contract/kit/values';
import { useRef, useState } from 'react';
import { useLanguage, useWords } from '../i18n/words.ts';
import { Field } from './Field.tsx';
import classes from './form.module.css';
import type { Word } from './form-context.ts';
import {
  byteRateParts,
  durationParts,
  joined,
  joinedByteRate,
  joinedRate,
  type Measure,
  parseByteRate,
  parseRate,
  rateParts,
  sizeParts,
} from './measures.ts';
import { parseNumber, rangeFault } from './numbers.ts';
import type { Facts } from './schema-facts.ts';
import { type FieldProps, useField } from './use-field.ts';
import { words } from './words.ts';

/** Fields of a number and a unit, kept as the one text that the API knows. */

/** A value with a word of its own, chosen among the units: `0s` is "never", `infinity` is "infinity". */
export interface Special {
  value: string | number;
  label: Word;
}

type ZeroWord = 'never' | 'unlimited' | 'disabled' | 'all';

interface MeasureProps<V> extends FieldProps {
  /** What nought means. */
  zero?: ZeroWord | undefined;
  /** Takes the place of the number, such as `infinity`. */
  special?: Special | undefined;
  min?: V | undefined;
  max?: V | undefined;
}

const DURATION_UNITS: readonly DurationUnit[] = ['ms', 's', 'm', 'h'];

export function Duration({
  units = DURATION_UNITS,
  ...props
}: MeasureProps<string> & { units?: readonly DurationUnit[] | undefined }) {
  const w = useWords(words);
  return (
    <MeasureField
      {...props}
      units={units}
      unitLabels={Object.fromEntries(units.map((unit) => [unit, w[unit]]))}
      parts={(value) => durationParts(value, units)}
      parse={parseDuration}
      firstUnit={units.includes('s') ? 's' : units[0]!}
      zeroValue={`0${units.includes('s') ? 's' : units[0]!}`}
    />
  );
}

const SIZE_UNITS = ['KB', 'MB', 'GB'] as const;

export function Bytes(props: MeasureProps<string>) {
  return (
    <MeasureField
      {...props}
      units={SIZE_UNITS}
      unitLabels={{}}
      parts={sizeParts}
      parse={parseBytes}
      firstUnit="MB"
      zeroValue="0KB"
    />
  );
}

/** A whole number with words of its own for nought or another value: "unlimited" instead of 0. */
export function Count({ unit, ...props }: MeasureProps<number> & { unit: string }) {
  return (
    <MeasureField
      {...props}
      units={ONE_UNIT}
      unitLabels={{ one: unit }}
      parts={(value) => (typeof value === 'number' ? { amount: String(value), unit: 'one' } : null)}
      parse={(value) => (typeof value === 'number' ? value : null)}
      amountOf={String}
      // A wrong number stays a text, which the check refuses.
      join={({ amount }) => (amount.trim() === '' ? '' : (parseNumber(amount, true) ?? amount))}
      firstUnit="one"
      zeroValue={0}
      limitsOfContract
    />
  );
}

const ONE_UNIT = ['one'];
const RATE_UNITS = ['s', 'm', 'h', 'd'] as const;
const NO_LIMIT: Special = { value: 'infinity', label: words.unlimited };

/** So many in a time, such as `1000/s`, or no limit. */
export function Rate(props: FieldProps) {
  const w = useWords(words);
  return (
    <MeasureField
      {...props}
      special={NO_LIMIT}
      units={RATE_UNITS}
      unitLabels={{ s: w.perSecond, m: w.perMinute, h: w.perHour, d: w.perDay }}
      parts={rateParts}
      parse={parseRate}
      amountOf={(value) => value.replace(/\/.*$/, '')}
      join={joinedRate}
      firstUnit="s"
      zeroValue="0/s"
    />
  );
}

const BYTE_RATE_UNITS = ['KB/s', 'MB/s', 'GB/s'] as const;

/** So many bytes in a time, such as `10MB/s`, or no limit. */
export function ByteRate(props: FieldProps) {
  return (
    <MeasureField
      {...props}
      special={NO_LIMIT}
      units={BYTE_RATE_UNITS}
      unitLabels={{}}
      parts={byteRateParts}
      parse={parseByteRate}
      amountOf={(value) => value.replace(/[a-zA-Z]*\/.*$/, '')}
      join={joinedByteRate}
      firstUnit="MB/s"
      zeroValue="0/s"
    />
  );
}

function MeasureField({
  units,
  unitLabels,
  parts,
  parse,
  amountOf = (value) => value.replace(/[a-zA-Z]+$/, ''),
  join = joined,
  limitsOfContract = false,
  firstUnit,
  zeroValue,
  zero,
  special,
  min,
  max,
  ...props
}: MeasureProps<string | number> & {
  units: readonly string[];
  unitLabels: Record<string, string>;
  parts: (value: unknown) => Measure<string> | null;
  parse: (value: string | number) => number | null;
  /** The number alone of a text that is wrong. */
  amountOf?: (value: string) => string;
  /** The API's value of what the two controls hold. */
  join?: (measure: Measure<string>) => string | number;
  /** The contract's limits are those of the number. */
  limitsOfContract?: boolean;
  firstUnit: string;
  zeroValue: string | number;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const factsRef = useRef<Facts>(undefined);
  const field = useField(props, { check, show: textOf });
  factsRef.current = field.facts;
  const specials: Special[] = [
    ...(zero ? [{ value: zeroValue, label: words[zero] }] : []),
    ...(special ? [special] : []),
  ];

  function textOf(value: unknown): string | null {
    const one = specials.find(
      (each) => each.value === value || (each.value === zeroValue && isZero(value, parse)),
    );
    if (one) return one.label[language];
    const measured = parts(value);
    return measured && `${measured.amount} ${unitLabels[measured.unit] ?? measured.unit}`;
  }

  function check(value: unknown): string | null {
    if (value === undefined || value === null || value === '') return null;
    if (value === special?.value) return null;
    const amount = amountOf(String(value));
    const parsed = typeof value === 'string' || typeof value === 'number' ? parse(value) : null;
    if (parsed === null) {
      if (/^\d{1,15}$/.test(amount)) return w.unitFault({ unit: units.join(', ') });
      if (!/^-\d{1,15}$/.test(amount.trim())) return w.type({ type: w.aWholeNumber });
      return beyond(true);
    }
    if (zero && parsed === 0) return null;
    if (limitsOfContract) {
      const facts = factsRef.current!;
      return rangeFault(parsed, { min: asNumber(min) ?? facts.min, max: asNumber(max) ?? facts.max }, w);
    }
    const least = min === undefined ? undefined : parse(min)!;
    const most = max === undefined ? undefined : parse(max)!;
    if (least !== undefined && parsed < least) return beyond(true);
    return most !== undefined && parsed > most ? beyond(false) : null;
  }

  /** A measure without limits of its own takes nothing below nought either. */
  function beyond(below: boolean): string {
    if (min !== undefined && max !== undefined) return w.range({ min: String(min), max: String(max) });
    return below ? w.atLeast({ min: String(min ?? 0) }) : w.atMost({ max: String(max) });
  }

  /** What the two controls hold, as long as nobody else changed the value. */
  const [state, setState] = useState<{ value: unknown; measure: Measure<string> }>({
    value: undefined,
    measure: { amount: '', unit: firstUnit },
  });
  const known = Object.is(state.value, field.value);
  const measure: Measure<string> = known
    ? state.measure
    : (parts(field.value) ?? {
        amount: field.value === undefined || field.value === null ? '' : String(field.value),
        unit: state.measure.unit,
      });
  const isNought = zero !== undefined && field.value !== '' && isZero(field.value, parse);
  // A nought being typed ("0", "05") is a number until its field is left.
  const [typing, setTyping] = useState(false);
  const chosen =
    isNought && !typing
      ? specials[0]
      : specials.find(({ value }) => value === field.value && value !== zeroValue);

  const set = (next: Measure<string>) => {
    const value = join(next);
    setState({ value, measure: next });
    field.set(value);
  };
  const standard = parts(field.standard);
  const allUnits = units.includes(measure.unit) ? units : [measure.unit, ...units];
  return (
    <Field field={field} standardText={textOf(field.standard) ?? undefined}>
      <div className={classes.control}>
        <input
          {...field.aria}
          className={classes.bare}
          type="text"
          inputMode="numeric"
          name={field.name}
          value={chosen ? (chosen.value === zeroValue ? '0' : '') : measure.amount}
          placeholder={chosen ? '' : (standard?.amount ?? '')}
          readOnly={chosen !== undefined}
          autoComplete="off"
          required={field.required}
          disabled={field.disabled}
          onChange={(event) => {
            setTyping(true);
            set({ ...measure, amount: event.currentTarget.value });
          }}
          onBlur={() => {
            setTyping(false);
            field.blur();
          }}
        />
        <select
          className={classes.unitSelect}
          aria-label={w.unit({ name: field.label })}
          value={chosen ? `special ${chosen.value}` : measure.unit}
          disabled={field.disabled}
          onChange={(event) => {
            const unit = event.currentTarget.value;
            const one = specials.find(({ value }) => `special ${value}` === unit);
            setTyping(false);
            if (one) {
              setState({ value: one.value, measure: { amount: '', unit: measure.unit } });
              field.set(one.value);
            } else if (chosen) set({ amount: '', unit });
            else set({ ...measure, unit });
          }}
        >
          {allUnits.map((unit) => (
            <option key={unit} value={unit}>
              {unitLabels[unit] ?? unit}
            </option>
          ))}
          {specials.map(({ value, label }) => (
            <option key={value} value={`special ${value}`}>
              {label[language]}
            </option>
          ))}
        </select>
      </div>
    </Field>
  );
}

const asNumber = (limit: string | number | undefined): number | undefined =>
  limit === undefined ? undefined : Number(limit);

const isZero = (value: unknown, parse: (value: string | number) => number | null): boolean =>
  (typeof value === 'string' || typeof value === 'number') && value !== '' && parse(value) === 0;
