import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import type { ZodMiniType } from 'zod/mini';
import { ApiError } from '../../../api/api-error.ts';
import { sentenceOf } from '../../../api/report.ts';
import { request } from '../../../api/request.ts';
import { useFormKit } from '../../../form/form-context.ts';
import { bodyFrom as formBody } from '../../../form/resolver.ts';
import { copyOf, same } from '../../../form/values.ts';
import { words as kitWords } from '../../../form/words.ts';
import { useWords } from '../../../i18n/words.ts';
import { Mark } from '../../../ui/State.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { formWords } from './form-words.ts';
import styles from './forms.module.css';
import type { Values } from './standards.ts';

type Result = { of: unknown } & ({ tone: 'good' | 'bad' | 'warn'; text: string } | { tone: undefined });

/** Tries what the form holds before it is saved; the broker's word stands beside the button until something is changed. */
export function TestConnection({
  schema,
  toBody,
  identity,
}: {
  schema: ZodMiniType;
  toBody: (values: Values) => Values;
  /** Of a bridge that exists: its stored secrets are used where the form holds none. */
  identity?: { type: string; name: string } | undefined;
}) {
  const w = useWords(formWords);
  const kit = useWords(kitWords);
  const { fields, label } = useFormKit();
  const { getValues, trigger } = useFormContext();
  const now: unknown = useWatch();
  const [result, setResult] = useState<Result>();
  const testing = result !== undefined && result.tone === undefined;

  async function run() {
    const of = copyOf(getValues());
    if (!(await trigger())) {
      setResult({ of, tone: 'warn', text: w.testUnready });
      return;
    }
    setResult({ of, tone: undefined });
    const body = formBody(of, { schema, fields, labelOf: label, w: kit, toBody });
    try {
      await request(api.bridges.probe, { body: { ...(body as Values), ...identity } }, { quiet: true });
      setResult({ of, tone: 'good', text: w.testGood });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, message } = error;
      const reason = code === 'TEST_FAILED' && message !== '' ? visibleText(message) : sentenceOf(error);
      setResult({ of, tone: 'bad', text: w.testBad({ reason }) });
    }
  }

  return (
    <div className={styles.test}>
      <Button aria-disabled={testing || undefined} onClick={() => !testing && void run()}>
        {testing ? w.testing : w.test}
      </Button>
      <span role="status" className={styles.testResult}>
        {result?.tone && same(result.of, now) && <Mark tone={result.tone}>{result.text}</Mark>}
      </span>
    </div>
  );
}
