import { type Endpoint, json } from '@mqdeck/contract/kit/endpoint';
import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { keyOf } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { useLanguage, useWords } from '../i18n/words.ts';
import { Field } from './Field.tsx';
import classes from './form.module.css';
import type { Word } from './form-context.ts';
import { choicesFrom, fromChoice, type Option, toChoice } from './options.ts';
import { type FieldProps, useField } from './use-field.ts';
import { words } from './words.ts';

export type OptionSource =
  | readonly (Option | string | number | boolean)[]
  | (() => Promise<readonly (Option | string | number | boolean)[]>)
  /** A GET of the contract, or below the base path, that answers a list. */
  | Endpoint
  | string;

interface SelectProps extends FieldProps {
  /** The contract's choices unless told. */
  options?: OptionSource | undefined;
  /** What an answer's item is chosen by, where items are objects without label and value. */
  pick?: ((item: never) => Option) | undefined;
  /** Words for the values. */
  labels?: Readonly<Record<string, Word>> | undefined;
}

/** One of several. The list is given, loaded by a function, or fetched. */
export function Select({ options, pick, labels, ...props }: SelectProps) {
  const w = useWords(words);
  const language = useLanguage();
  const field = useField(props, { show: wordOf });
  const source: OptionSource = options ?? field.facts.choices;
  const given = Array.isArray(source)
    ? (source as readonly (Option | string | number | boolean)[])
    : undefined;
  const loaded = useQuery({
    queryKey:
      typeof source === 'object' && 'method' in source
        ? [...keyOf(source), {}]
        : ['options', field.id, String(source)],
    queryFn: async ({ signal }) => {
      if (typeof source === 'function') return source();
      const endpoint =
        typeof source === 'string'
          ? {
              method: 'GET' as const,
              path: `/${source.replace(/^\//, '')}`,
              summary: '',
              ok: json(z.unknown()),
            }
          : (source as Endpoint);
      return request(endpoint, {} as never, { signal, quiet: true });
    },
    enabled: given === undefined,
    staleTime: 30_000,
  });
  const list = choicesFrom(given ?? loaded.data, pick as ((item: unknown) => Option) | undefined);
  const value = toChoice(field.value);
  const missing = value !== '' && !list.some((one) => toChoice(one.value) === value);
  const textFor = ({ value: one, label }: Option): string => {
    const word = labels?.[toChoice(one)] ?? (typeof label === 'object' ? label : undefined);
    if (word) return word[language];
    if (typeof label === 'string') return label;
    return typeof one === 'boolean' ? (one ? w.yes : w.no) : toChoice(one);
  };
  return (
    <Field field={field} standardText={standardText()}>
      <select
        {...field.aria}
        className={classes.input}
        name={field.name}
        value={value}
        required={field.required}
        disabled={field.disabled || (given === undefined && loaded.isPending)}
        onChange={(event) => field.set(fromChoice(event.currentTarget.value, list))}
        onBlur={field.blur}
      >
        {(value === '' || !field.required) && (
          <option value="">{given === undefined && loaded.isPending ? w.loading : w.choose}</option>
        )}
        {missing && <option value={value}>{value}</option>}
        {list.map((one) => (
          <option key={toChoice(one.value)} value={toChoice(one.value)}>
            {textFor(one)}
          </option>
        ))}
      </select>
      {loaded.isError && (
        <p className={classes.error} role="alert">
          {w.optionsFailed}{' '}
          <button type="button" className={classes.restore} onClick={() => void loaded.refetch()}>
            {w.retry}
          </button>
        </p>
      )}
    </Field>
  );

  function standardText(): string | undefined {
    return wordOf(field.standard) ?? undefined;
  }

  function wordOf(chosen: unknown): string | null {
    const one = list.find((option) => toChoice(option.value) === toChoice(chosen));
    return one ? textFor(one) : null;
  }
}
