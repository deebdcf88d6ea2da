import type { ComponentProps } from 'react';
import { CodeField } from '../../../form/backends/CodeField.tsx';
import { Text } from '../../../form/fields.tsx';
import { useWords } from '../../../i18n/words.ts';
import { formWords as words } from './form-words.ts';
import { ROW_PLACEHOLDERS } from './row-placeholders.ts';
import { isNoFilter } from './topic-faults.ts';

/** A text that is filled in from a result. */
export function Template(props: Omit<ComponentProps<typeof CodeField>, 'placeholders'>) {
  const w = useWords(words);
  return (
    <CodeField
      {...props}
      placeholders={ROW_PLACEHOLDERS}
      placeholdersText={w.placeholders({ all: '${.}' })}
    />
  );
}

/** Messages that go to the bridge without a rule. */
export function LocalTopic() {
  const w = useWords(words);
  return <Text name="local_topic" check={(value) => (isNoFilter(value) ? w.filterFault : null)} mono />;
}
