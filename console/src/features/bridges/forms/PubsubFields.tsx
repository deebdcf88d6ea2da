import { NumberField, Text } from '../../../form/fields.tsx';
import { Advanced, Group } from '../../../form/Group.tsx';
import { Duration } from '../../../form/measure-fields.tsx';
import { useWords } from '../../../i18n/words.ts';
import { formWords as words } from './form-words.ts';
import { ServiceAccount } from './ServiceAccount.tsx';
import { LocalTopic, Template } from './Template.tsx';

export function PubsubFields() {
  const w = useWords(words);
  return (
    <Group title={w.connection}>
      <Text name="pubsub_topic" required mono />
      <ServiceAccount name="service_account_json" hint={w.accountHint} required />
      <Template name="payload_template" />
      <LocalTopic />
      <Advanced>
        <NumberField name="pool_size" unit={w.connections} integer />
        <NumberField name="pipelining" unit={w.requests} integer />
        <NumberField name="max_retries" integer />
        <Duration name="connect_timeout" />
        <Duration name="request_timeout" />
        <Text name="endpoint" placeholder="http://127.0.0.1:8085" mono />
      </Advanced>
    </Group>
  );
}
