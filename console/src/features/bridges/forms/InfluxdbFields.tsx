import { useWatch } from 'react-hook-form';
import { Address } from '../../../form/backends/connections.tsx';
import { NumberField, Text } from '../../../form/fields.tsx';
import { Advanced, Group } from '../../../form/Group.tsx';
import { Select } from '../../../form/Select.tsx';
import { Tls } from '../../../form/Tls.tsx';
import { useWords } from '../../../i18n/words.ts';
import { Credential } from './Credential.tsx';
import { formWords as words } from './form-words.ts';
import { LocalTopic } from './Template.tsx';
import { WriteSyntax } from './WriteSyntax.tsx';

const VERSIONS = { v1: words.influxV1, v2: words.influxV2 };
const PRECISIONS = { ns: words.ns, us: words.us, ms: words.ms, s: words.s };

export function InfluxdbFields({ isNew }: { isNew: boolean }) {
  const w = useWords(words);
  const version: unknown = useWatch({ name: 'api' });
  return (
    <>
      <Group title={w.connection}>
        {isNew && <Select name="api" options={Object.keys(VERSIONS)} labels={VERSIONS} required />}
        <Address name="server" several={false} example="127.0.0.1:8086" />
        {version === 'v1' ? (
          <>
            <Text name="database" required />
            <Text name="username" />
            <Credential name="password" />
          </>
        ) : (
          <>
            <Text name="org" required />
            <Text name="bucket" required />
            <Credential name="token" required />
          </>
        )}
        <Select name="precision" options={Object.keys(PRECISIONS)} labels={PRECISIONS} required />
        <Tls name="ssl" />
        <Advanced>
          <NumberField name="pool_size" unit={w.connections} integer />
        </Advanced>
      </Group>
      <Group title={w.data}>
        <WriteSyntax />
        <LocalTopic />
      </Group>
    </>
  );
}
