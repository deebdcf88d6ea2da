import { httpUrl } from '@mqdeck/contract/kit/servers';
import { type ReactNode, useEffect, useRef } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { useWords } from '../../i18n/words.ts';
import { NumberField, Text } from '../fields.tsx';
import { Advanced, Group } from '../Group.tsx';
import { Headers } from '../Headers.tsx';
import { Duration } from '../measure-fields.tsx';
import { Select } from '../Select.tsx';
import { Tls } from '../Tls.tsx';
import { JsonField } from './JsonField.tsx';
import { words } from './words.ts';

export const HTTP_CONNECTION = {
  method: 'post',
  url: 'http://127.0.0.1:8080',
  headers: { 'content-type': 'application/json' },
  pool_size: 8,
  connect_timeout: '15s',
  enable_pipelining: 100,
  ssl: { enable: false, verify: 'verify_peer' },
} as const;

/** A question to an HTTP server: where, how, and with which body. */
export function HttpConnection({
  standardTimeout,
  standardBody,
  placeholders,
  help,
}: {
  standardTimeout: string;
  /** The body as it is asked for by default, as JSON. */
  standardBody: string;
  /** Names that may stand in the body, path and query. A stable list. */
  placeholders?: readonly string[] | undefined;
  /** Below the body. */
  help?: ReactNode;
}) {
  const w = useWords(words);
  const method: unknown = useWatch({ name: 'method' });
  useContentType(method);
  return (
    <Group title={w.connection}>
      <Select name="method" label={w.method} options={METHODS} standard="post" required />
      <Text
        name="url"
        label={w.url}
        hint={w.urlHint}
        placeholder={HTTP_CONNECTION.url}
        check={(value) => (z.safeParse(httpUrl, value).success ? null : w.urlFault)}
        required
        mono
      />
      <Headers name="headers" label={w.headers} />
      <JsonField
        name="body"
        label={w.body}
        hint={method === 'get' ? w.bodyHintGet : w.bodyHintPost}
        rows={6}
        standard={standardBody}
        {...(placeholders ? { placeholders } : {})}
        help={help}
      />
      <Tls name="ssl" />
      <Advanced>
        <NumberField name="pool_size" label={w.poolSize} unit={w.connections} standard={8} min={1} integer />
        <Duration name="connect_timeout" label={w.connectTimeout} standard="15s" />
        <Duration name="request_timeout" label={w.requestTimeout} standard={standardTimeout} />
        <NumberField
          name="enable_pipelining"
          label={w.pipelining}
          unit={w.requests}
          standard={100}
          min={1}
          integer
        />
      </Advanced>
    </Group>
  );
}

const METHODS = [
  { value: 'post', label: 'POST' },
  { value: 'get', label: 'GET' },
];
const CONTENT_TYPE = 'content-type';

/** A GET has no body, so no content type either: it goes and comes back with the method. */
function useContentType(method: unknown): void {
  const { getValues, setValue } = useFormContext();
  const before = useRef(method);
  useEffect(() => {
    if (before.current === method) return;
    before.current = method;
    const { [CONTENT_TYPE]: type, ...rest } = (getValues('headers') ?? {}) as Record<string, string>;
    if (method === 'get' && type !== undefined) setValue('headers', rest, { shouldDirty: true });
    if (method === 'post' && type === undefined)
      setValue('headers', { [CONTENT_TYPE]: 'application/json', ...rest }, { shouldDirty: true });
  }, [method, getValues, setValue]);
}
