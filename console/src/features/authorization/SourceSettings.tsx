import { api } from '@mqdeck/contract/api';
import { useState } from 'react';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { formWords } from './form-words.ts';
import { SourceFields } from './SourceFields.tsx';
import { bodyFor, type Source, valuesFrom } from './sources.ts';

/** Brokers refuse a file with one word for all faults; that word is about its only field. */
const OF_FILE = { BAD_REQUEST: 'rules' } as const;

export function SourceSettings({ type }: { type: Source }) {
  const [save] = useState(() => ({ ...api.authorization.update, body: bodyFor(type) }));
  return (
    <SettingsForm
      load={api.authorization.get}
      save={save}
      params={{ type }}
      words={formWords}
      fromAnswer={(answer) => valuesFrom(type, answer)}
      toBody={(values) => ({ ...values, type })}
      faultFields={type === 'file' ? OF_FILE : undefined}
      refresh={[api.authorization.sources, api.authorization.status]}
    >
      <SourceFields type={type} />
    </SettingsForm>
  );
}
