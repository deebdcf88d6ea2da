import { httpUrl } from '@mqdeck/contract/kit/servers';
import * as z from 'zod/mini';
import { NumberField, Text } from '../../../form/fields.tsx';
import { Advanced, Group } from '../../../form/Group.tsx';
import { Headers } from '../../../form/Headers.tsx';
import { Duration } from '../../../form/measure-fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { holdsMask } from '../../../form/secret.ts';
import { Tls } from '../../../form/Tls.tsx';
import { useWords } from '../../../i18n/words.ts';
import { formWords as words } from './form-words.ts';
import { useReenter } from './reenter.ts';
import { LocalTopic, Template } from './Template.tsx';

const METHODS = ['post', 'put', 'get', 'delete'].map((value) => ({ value, label: value.toUpperCase() }));
const POOLS = { random: words.random, hash: words.hash };

export function WebhookFields() {
  const w = useWords(words);
  const left = useReenter();
  return (
    <Group title={w.connection}>
      <Select name="method" options={METHODS} required />
      <Text
        name="url"
        placeholder="http://10.0.0.5:8080/messages"
        check={(value) => (value === '' || z.safeParse(httpUrl, value).success ? null : w.urlFault)}
        required
        mono
      />
      <Headers
        name="headers"
        check={(value) => {
          const wrong = Object.entries((value ?? {}) as Record<string, unknown>).find(
            ([key, one]) => holdsMask(one) || (one === '' && left.has(`headers.${key}`)),
          );
          return wrong ? w.headerMask({ key: wrong[0] }) : null;
        }}
      />
      <Template name="body" rows={6} />
      <Tls name="ssl" />
      <LocalTopic />
      <Advanced>
        <NumberField name="pool_size" unit={w.connections} integer />
        <Select name="pool_type" options={Object.keys(POOLS)} labels={POOLS} required />
        <Duration name="connect_timeout" />
        <Duration name="request_timeout" />
        <NumberField name="enable_pipelining" unit={w.requests} integer />
        <NumberField name="max_retries" integer />
      </Advanced>
    </Group>
  );
}
