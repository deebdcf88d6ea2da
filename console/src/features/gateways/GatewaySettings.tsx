import { api } from '@mqdeck/contract/api';
import { type GatewayName, gatewayConfigs } from '@mqdeck/contract/gateways';
import { useState } from 'react';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { Notice } from '../../ui/Notice.tsx';
import { formWords } from './forms/form-words.ts';
import { GatewayFields } from './forms/GatewayFields.tsx';
import { bodyFrom, type Values, valuesFrom } from './forms/standards.ts';
import { gatewayName } from './kinds.ts';
import { CHANGED, devicesNow } from './use-deeds.ts';
import { words } from './words.ts';

/** What is configured of a gateway. Saving restarts it, which its devices notice. */
export function GatewaySettings({ name }: { name: GatewayName }) {
  const w = useWords(words);
  const [save] = useState(() => ({ ...api.gateways.update, body: gatewayConfigs[name] }));
  const ask = async (body: unknown): Promise<boolean> => {
    const title = w.updateTitle({ name: gatewayName(name, w) });
    if ((body as Values).enable === false) return confirm({ title, text: w.updateStopped, action: w.update });
    const count = await devicesNow(name);
    if (count === null) return false;
    return confirm({
      title,
      text: count === 0 ? w.updateNobody : w.updateText({ count }),
      action: w.update,
      danger: count > 0,
    });
  };
  return (
    <>
      <Notice>{w.restarts}</Notice>
      <SettingsForm
        load={api.gateways.get}
        save={save}
        params={{ name }}
        words={formWords}
        fromAnswer={(answer) => valuesFrom(name, answer)}
        toBody={(values) => bodyFrom(name, values)}
        keepEmpty
        ask={ask}
        refresh={CHANGED}
      >
        <GatewayFields name={name} />
      </SettingsForm>
    </>
  );
}
