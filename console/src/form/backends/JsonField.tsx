import type { ComponentProps } from 'react';
import { useWords } from '../../i18n/words.ts';
import { CodeField } from './CodeField.tsx';
import { objectIn } from './json-text.ts';
import { words } from './words.ts';

/** An object of the API, written as JSON. The form holds the text, so that what is half typed stays. */
export function JsonField(props: Omit<ComponentProps<typeof CodeField>, 'check' | 'send' | 'language'>) {
  const w = useWords(words);
  return (
    <CodeField
      {...props}
      language="json"
      check={(value) => {
        const read = objectIn(value);
        if (!('fault' in read)) return null;
        return read.fault === null ? w.jsonObject : w.jsonFault({ reason: read.fault });
      }}
      send={(value) => {
        const read = objectIn(value);
        return 'fault' in read ? value : read.object;
      }}
    />
  );
}
