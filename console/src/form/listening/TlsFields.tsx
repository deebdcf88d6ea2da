import type { ReactNode } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { formatTime } from '../../ui/format.ts';
import { Mark } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Field } from '../Field.tsx';
import { MultiText, NumberField, Secret, Toggle } from '../fields.tsx';
import { Advanced, Group } from '../Group.tsx';
import { Duration } from '../measure-fields.tsx';
import { Select } from '../Select.tsx';
import { PemField } from '../Tls.tsx';
import { isPem } from '../tls-body.ts';
import { useField } from '../use-field.ts';
import { daysUntil, readCertificate, SOON_DAYS } from './certificate.ts';
import styles from './listening.module.css';
import { listeningWords } from './words.ts';

const at = (name: string) => `ssl_options.${name}`;
const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

/** Certificate, key and whom they are shown to; whether clients have to show one too. */
export function TlsFields() {
  const w = useWords(listeningWords);
  const { getValues } = useFormContext();
  const verify = useWatch({ name: at('verify') }) === 'verify_peer';
  // One without the other would be found out by the broker only when the first client comes.
  const paired = (other: string) => (value: unknown) =>
    isEmpty(value) && !isEmpty(getValues(at(other))) ? w.pairNeeded : null;
  return (
    <Group title={w.tls} text={w.tlsText}>
      <PemField name={at('certfile')} hint={w.pemHint} check={paired('keyfile')} />
      <Reading name={at('certfile')} />
      <PemField name={at('keyfile')} hint={w.pemHint} check={paired('certfile')} />
      <Secret name={at('password')} removable />
      <Toggle name={at('verify')} on="verify_peer" off="verify_none" />
      {verify && (
        <>
          <PemField
            name={at('cacertfile')}
            hint={w.pemHint}
            check={(value) => (isEmpty(value) ? w.caNeeded : null)}
          />
          <Reading name={at('cacertfile')} />
          <Toggle name={at('fail_if_no_peer_cert')} />
          <NumberField name={at('depth')} />
        </>
      )}
      <Versions />
      <Advanced title={w.advanced}>
        <MultiText name={at('ciphers')} />
        <Toggle name={at('honor_cipher_order')} />
        <Duration name={at('handshake_timeout')} />
        <Toggle name={at('reuse_sessions')} />
        <PemField name={at('dhfile')} hint={w.pemHint} />
        <Toggle name={at('client_renegotiation')} hint={w.keptOnly} />
        <Toggle name={at('secure_renegotiate')} hint={w.keptOnly} />
        <Toggle name={at('gc_after_handshake')} hint={w.keptOnly} />
        <Duration name={at('hibernate_after')} hint={w.keptOnly} />
        <Select name={at('log_level')} hint={w.keptOnly} />
        <Toggle name={at('enable_crl_check')} hint={w.notOffered} />
        <Toggle name={at('ocsp.enable_ocsp_stapling')} hint={w.notOffered} />
      </Advanced>
    </Group>
  );
}

/** Whom the certificate names that was just pasted, and until when. */
function Reading({ name }: { name: string }): ReactNode {
  const w = useWords(listeningWords);
  const language = useLanguage();
  const text: unknown = useWatch({ name });
  if (typeof text !== 'string' || !(isPem(text) || text.includes('\n'))) return null;
  const facts = readCertificate(text);
  return (
    <div role="status" className={styles.reading}>
      {facts === null ? <Mark tone="bad">{w.readsNot}</Mark> : reading(facts)}
    </div>
  );

  function reading({ subject, notBefore, notAfter }: NonNullable<typeof facts>) {
    const who = subject === '' ? w.noSubject : visibleText(subject);
    const now = Date.now();
    const days = daysUntil(notAfter, now);
    const date = formatTime(notAfter, language);
    if (days < 0) return <Mark tone="bad">{w.readsEnded({ subject: who, date })}</Mark>;
    if (notBefore.getTime() > now)
      return <Mark tone="warn">{w.readsEarly({ subject: who, date: formatTime(notBefore, language) })}</Mark>;
    if (days < SOON_DAYS) return <Mark tone="warn">{w.readsSoon({ subject: who, date, days })}</Mark>;
    return <Mark tone="good">{w.reads({ subject: who, date, days })}</Mark>;
  }
}

const VERSIONS = [
  ['tlsv1.3', 'TLS 1.3'],
  ['tlsv1.2', 'TLS 1.2'],
  ['tlsv1.1', 'TLS 1.1'],
  ['tlsv1', 'TLS 1.0'],
] as const;

function Versions() {
  const w = useWords(listeningWords);
  const field = useField(
    { name: at('versions') },
    { check: (value) => (Array.isArray(value) && value.length === 0 ? w.versionNeeded : null) },
  );
  const value = (field.value ?? field.standard ?? []) as readonly string[];
  return (
    <Field field={field} group>
      <fieldset id={field.id} aria-labelledby={`${field.id}-label`} className={styles.versions}>
        {VERSIONS.map(([version, label]) => (
          <label key={version}>
            <input
              type="checkbox"
              checked={value.includes(version)}
              disabled={field.disabled}
              aria-describedby={field.aria['aria-describedby']}
              onChange={(event) => {
                const on = event.currentTarget.checked;
                // Always in the same order, so that on and off again is no change.
                field.set(
                  VERSIONS.map(([one]) => one).filter((one) => (one === version ? on : value.includes(one))),
                );
              }}
            />
            {label}
          </label>
        ))}
      </fieldset>
    </Field>
  );
}
