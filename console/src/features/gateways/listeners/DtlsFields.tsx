import { useFormContext, useWatch } from 'react-hook-form';
import { MultiText, NumberField, Secret, Toggle } from '../../../form/fields.tsx';
import { Advanced, Group } from '../../../form/Group.tsx';
import { Duration } from '../../../form/measure-fields.tsx';
import { PemField } from '../../../form/Tls.tsx';
import { useWords } from '../../../i18n/words.ts';
import { listenerWords } from './listener-words.ts';

const at = (name: string) => `dtls_options.${name}`;

export function DtlsFields() {
  const w = useWords(listenerWords);
  const { getValues } = useFormContext();
  // One without the other would be found out by the broker only when the first device comes.
  const paired = (other: string) => (value: unknown) =>
    !value && getValues(at(other)) ? w.pairNeeded : null;
  const verify = useWatch({ name: at('verify') }) === 'verify_peer';
  return (
    <Group title={w.dtls_} text={w.dtlsText}>
      <PemField name={at('certfile')} hint={w.pemHint} check={paired('keyfile')} />
      <PemField name={at('keyfile')} hint={w.pemHint} check={paired('certfile')} />
      <Secret name={at('password')} removable />
      <Toggle name={at('verify')} on="verify_peer" off="verify_none" />
      {verify && (
        <>
          <PemField name={at('cacertfile')} hint={w.pemHint} required />
          <Toggle name={at('fail_if_no_peer_cert')} />
          <NumberField name={at('depth')} />
        </>
      )}
      <Advanced title={w.advanced}>
        <MultiText name={at('versions')} />
        <MultiText name={at('ciphers')} />
        <Toggle name={at('honor_cipher_order')} />
        <Duration name={at('handshake_timeout')} />
      </Advanced>
    </Group>
  );
}
