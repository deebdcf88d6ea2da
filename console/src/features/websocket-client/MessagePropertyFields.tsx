import { useWords } from '../../i18n/words.ts';
import type { FormFault, MessageProperties } from './connection-form.ts';
import { CheckField, PairsField, TextField } from './fields.tsx';
import { words } from './words.ts';

/** The properties of a message of MQTT 5, also of a will. */
export function MessagePropertyFields({
  value,
  onChange,
  faultOf,
}: {
  value: MessageProperties;
  onChange: (value: MessageProperties) => void;
  faultOf: (field: keyof MessageProperties) => FormFault | undefined;
}) {
  const w = useWords(words);
  const set = (part: Partial<MessageProperties>) => onChange({ ...value, ...part });
  return (
    <>
      <CheckField
        label={w.payloadFormatIndicator}
        checked={value.payloadFormatIndicator}
        onChange={(payloadFormatIndicator) => set({ payloadFormatIndicator })}
      />
      <TextField
        label={w.messageExpiryInterval}
        value={value.messageExpiryInterval}
        unit={w.seconds}
        numeric
        fault={faultOf('messageExpiryInterval')}
        onChange={(messageExpiryInterval) => set({ messageExpiryInterval })}
      />
      <TextField
        label={w.contentType}
        value={value.contentType}
        placeholder="application/json"
        onChange={(contentType) => set({ contentType })}
      />
      <TextField
        label={w.responseTopic}
        value={value.responseTopic}
        mono
        fault={faultOf('responseTopic')}
        onChange={(responseTopic) => set({ responseTopic })}
      />
      <TextField
        label={w.correlationData}
        value={value.correlationData}
        mono
        onChange={(correlationData) => set({ correlationData })}
      />
      <PairsField
        label={w.userProperties}
        pairs={value.userProperties}
        fault={faultOf('userProperties')}
        onChange={(userProperties) => set({ userProperties })}
      />
    </>
  );
}
