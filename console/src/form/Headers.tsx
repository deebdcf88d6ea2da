import { headerFault } from '@mqdeck/contract/kit/headers';
import type { ComponentProps } from 'react';
import { useWords } from '../i18n/words.ts';
import { KeyValue } from './KeyValue.tsx';
import { words } from './words.ts';

/** Headers of an HTTP request; one that HTTP cannot carry is refused. */
export function Headers({ check, ...props }: ComponentProps<typeof KeyValue>) {
  const w = useWords(words);
  const headerCheck = (value: unknown): string | null => {
    for (const [name, text] of Object.entries((value ?? {}) as Record<string, unknown>)) {
      const fault = headerFault(name, String(text));
      if (fault !== null) return fault === 'name' ? w.headerName({ name }) : w.headerValue({ name });
    }
    return null;
  };
  return <KeyValue {...props} check={(value) => headerCheck(value) ?? check?.(value) ?? null} />;
}
