import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useWords } from '../i18n/words.ts';
import { CopyButton } from '../ui/Copyable.tsx';
import { confirm } from '../ui/confirm.ts';
import { visibleText } from '../ui/visible-text.ts';
import { Field } from './Field.tsx';
import { Text, Toggle } from './fields.tsx';
import classes from './form.module.css';
import { isStored } from './secret.ts';
import { isPem, isServerPath, TLS_FILES, TLS_KINDS, tlsBody } from './tls-body.ts';
import { type FieldProps, useField } from './use-field.ts';
import { words } from './words.ts';

const LABELS = { certfile: 'tlsCert', keyfile: 'tlsKey', cacertfile: 'tlsCa' } as const;

/** The TLS settings of a connection to somewhere: switch, verification, SNI, and three PEM texts. */
export function Tls({
  name,
  sni = true,
}: {
  name: string /** Has a server name to ask for. */;
  sni?: boolean;
}) {
  const w = useWords(words);
  // The block as a whole is a field too: it alone knows what is sent of it.
  useField({ name, label: 'TLS' }, { send: tlsBody });
  const enabled = useWatch({ name: `${name}.enable` }) === true;
  return (
    <>
      <Toggle name={`${name}.enable`} label={w.tlsEnable} />
      {enabled && (
        <>
          <Toggle name={`${name}.verify`} label={w.tlsVerify} on="verify_peer" off="verify_none" />
          {sni && <Text name={`${name}.server_name_indication`} label={w.tlsSni} mono />}
          {TLS_FILES.map((file) => (
            <PemField key={file} name={`${name}.${file}`} label={w[LABELS[file]]} hint={w.tlsHint} />
          ))}
        </>
      )}
    </>
  );
}

/** A PEM text, pasted or read from a file. What the server keeps already is a path: shown, copied, replaced. */
export function PemField(props: FieldProps) {
  const w = useWords(words);
  const field = useField(props, {
    show: (value) => (isPem(value) ? w.secretNew : isStored(value) ? w.secretKept : null),
  });
  const [wrongFile, setWrongFile] = useState(false);
  const [kept] = useState(field.value);
  const text = typeof field.value === 'string' ? field.value : '';

  if (isServerPath(field.value) && field.value === kept)
    return (
      <Field field={{ ...field, hint: w.onServer }} group>
        <div className={classes.kept}>
          {!isStored(text) && (
            <>
              <code title={visibleText(text)}>{visibleText(text)}</code>
              <CopyButton text={text} />
            </>
          )}
          <button type="button" className={classes.small} onClick={() => field.set('')}>
            {w.reset}
          </button>
        </div>
      </Field>
    );

  async function read(file: File | undefined) {
    if (!file) return;
    const kind = file.name.split('.').at(-1)?.toLowerCase() ?? '';
    const fits = (TLS_KINDS as readonly string[]).includes(kind);
    setWrongFile(!fits);
    if (!fits) return;
    if (text !== '' && !(await confirm({ title: w.fileReplace({ name: field.label }), action: w.replace })))
      return;
    field.set(await file.text());
  }
  return (
    <Field
      field={field}
      beside={
        isServerPath(kept) ? (
          <button type="button" className={classes.restore} onClick={() => field.set(kept)}>
            {w.onServer}
          </button>
        ) : undefined
      }
    >
      <textarea
        {...field.aria}
        className={classes.area}
        data-mono="true"
        rows={4}
        value={text}
        placeholder="-----BEGIN …"
        spellCheck={false}
        disabled={field.disabled}
        onChange={(event) => field.set(event.currentTarget.value)}
        onBlur={field.blur}
      />
      <label className={classes.file}>
        <input
          type="file"
          className="visually-hidden"
          accept={TLS_KINDS.map((kind) => `.${kind}`).join(',')}
          aria-label={`${w.file}: ${field.label}`}
          disabled={field.disabled}
          onChange={(event) => {
            void read(event.currentTarget.files?.[0]);
            // The same file chosen again is a change again.
            event.currentTarget.value = '';
          }}
        />
        <span className={classes.small} aria-hidden="true">
          {w.file}
        </span>
      </label>
      {wrongFile && (
        <p className={classes.error} role="alert">
          {w.fileKind({ kinds: TLS_KINDS.join(', ') })}
        </p>
      )}
    </Field>
  );
}
