import { api } from '@mqdeck/contract/api';
import type { BridgeType } from '@mqdeck/contract/bridges/types';
import { useState } from 'react';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { BridgeFields } from './forms/BridgeFields.tsx';
import { formWords } from './forms/form-words.ts';
import { bodyFrom, valuesFrom } from './forms/standards.ts';
import { TestConnection } from './forms/TestConnection.tsx';
import { changeBody, productOf } from './kinds.ts';
import { words } from './words.ts';

export function BridgeSettings({ id, type }: { id: string; type: BridgeType }) {
  const w = useWords(words);
  const product = productOf(type);
  const [save] = useState(() => ({ ...api.bridges.update, body: changeBody(type) }));
  const name = id.slice(type.length + 1);
  return (
    <SettingsForm
      load={api.bridges.get}
      save={save}
      params={{ id }}
      words={formWords}
      fromAnswer={(answer) => valuesFrom(type, answer)}
      toBody={(values) => bodyFrom(product, values)}
      ask={() =>
        confirm({
          title: w.updateTitle({ id: visibleText(id) }),
          text: w.updateWarning,
          action: w.update,
        })
      }
      refresh={[api.bridges.list, api.bridges.get]}
    >
      <BridgeFields type={type} />
      <TestConnection
        schema={save.body}
        toBody={(values) => bodyFrom(product, values)}
        identity={{ type, name }}
      />
    </SettingsForm>
  );
}
