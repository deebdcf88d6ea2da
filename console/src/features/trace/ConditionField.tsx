import { api } from '@mqdeck/contract/api';
import type { TraceType } from '@mqdeck/contract/traces';
import { useEffect, useId, useState } from 'react';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { Field } from '../../form/Field.tsx';
import classes from '../../form/form.module.css';
import type { Check } from '../../form/form-context.ts';
import { useField } from '../../form/use-field.ts';

const TYPING_MS = 300;
const SUGGESTED_MAX = 20;
const QUIET = { quiet: true, progress: false } as const;

/** What is traced; what there is is suggested, and anything else may be typed. */
export function ConditionField({ type, check }: { type: TraceType; check: Check }) {
  const field = useField({ name: type, required: true, check });
  const list = useId();
  const typed = useRested(String(field.value ?? ''));
  const suggested = useSuggested(type, typed);
  return (
    <Field field={field}>
      <input
        {...field.aria}
        className={classes.input}
        data-mono
        type="text"
        list={list}
        name={field.name}
        value={String(field.value ?? '')}
        autoComplete="off"
        spellCheck={false}
        required
        onChange={(event) => field.set(event.currentTarget.value)}
        onBlur={field.blur}
      />
      <datalist id={list}>
        {suggested.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </Field>
  );
}

function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

function useSuggested(type: TraceType, typed: string): string[] {
  const limit = SUGGESTED_MAX;
  const clients = useEndpoint(
    api.clients.list,
    { query: { limit, ...(type === 'clientid' && typed !== '' && { like_clientid: typed }) } },
    { ...QUIET, enabled: type === 'clientid' || type === 'ip_address' },
  ).data;
  const topics = useEndpoint(
    api.topics.list,
    { query: { limit } },
    { ...QUIET, enabled: type === 'topic' },
  ).data;
  const rules = useEndpoint(
    api.rules.list,
    { query: { limit } },
    { ...QUIET, enabled: type === 'ruleid' },
  ).data;
  const found: Record<TraceType, (string | undefined)[] | undefined> = {
    clientid: clients?.data.map(({ clientid }) => clientid),
    ip_address: clients?.data.map(({ ip_address }) => ip_address),
    topic: topics?.data.map(({ topic }) => topic),
    ruleid: rules?.data.map(({ id }) => id),
  };
  return [...new Set(found[type]?.filter((one) => one !== undefined && one !== '') ?? [])] as string[];
}
