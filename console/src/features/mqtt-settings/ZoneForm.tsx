import { api } from '@mqdeck/contract/api';
import { ForceShutdown, MqttSettings, Zone } from '@mqdeck/contract/zones';
import { type ReactNode, useRef } from 'react';
import type { FieldValues } from 'react-hook-form';
import * as z from 'zod/mini';
import { request } from '../../api/request.ts';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import type { FormWords } from '../../form/use-contract-form.ts';
import { InheritedContext } from './Key.tsx';
import { changedKeys, effective, ownWith, type Roots, withKeys } from './own.ts';
import { zonesNow } from './zones.ts';

interface FormProps {
  global: Roots;
  words: FormWords;
  children: ReactNode;
}

const Edited = z.strictObject({
  mqtt: z.optional(MqttSettings),
  force_shutdown: z.optional(ForceShutdown),
});

/**
 * Keeps which keys differ from those that are stored, each time the form is checked or sent: only they are sent. Kept
 * apart from the body, because there a text that was emptied counts as left out.
 */
function useChange(stored: Roots) {
  const change = useRef<Roots>({});
  const toBody = (values: FieldValues) => {
    change.current = changedKeys(stored, effective(values, undefined));
    return change.current;
  };
  return { change, toBody };
}

/** What holds without a zone. The API takes all of it: it is loaded anew and sent with the changed keys. */
export function GlobalForm({ global, words, children }: FormProps) {
  const { change, toBody } = useChange(global);
  const whole = async () => withKeys(await request(api.zones.getGlobal, {}, { quiet: true }), change.current);
  return (
    <SettingsForm
      load={api.zones.getGlobal}
      save={api.zones.updateGlobal}
      words={words}
      list={{ item: Edited, with: whole }}
      toBody={toBody}
    >
      {children}
    </SettingsForm>
  );
}

/** What a zone says itself, among what it inherits. */
export function ZoneForm({
  zone,
  own: loaded,
  global,
  words,
  children,
}: FormProps & { zone: string; own: Roots }) {
  const { change, toBody } = useChange(effective(global, loaded));
  async function whole() {
    const [zones, now] = await Promise.all([zonesNow(), request(api.zones.getGlobal, {}, { quiet: true })]);
    const own = zones[zone];
    return own ? { ...zones, [zone]: ownWith(own, change.current, now) } : null;
  }
  return (
    <InheritedContext.Provider value={global}>
      <SettingsForm
        load={api.zones.list}
        save={api.zones.update}
        words={words}
        fromAnswer={(zones) => effective(global, zones[zone])}
        list={{ item: Zone, with: whole }}
        toBody={toBody}
      >
        {children}
      </SettingsForm>
    </InheritedContext.Provider>
  );
}
