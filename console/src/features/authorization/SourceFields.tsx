import { redisRulesCommandFault } from '@mqdeck/contract/authorization';
import { CodeField } from '../../form/backends/CodeField.tsx';
import { MongodbConnection, RedisConnection, SqlConnection } from '../../form/backends/connections.tsx';
import { Example } from '../../form/backends/Help.tsx';
import { HttpConnection } from '../../form/backends/HttpConnection.tsx';
import { JsonField } from '../../form/backends/JsonField.tsx';
import { NumberField, Text } from '../../form/fields.tsx';
import { Advanced, Group } from '../../form/Group.tsx';
import { useWords } from '../../i18n/words.ts';
import styles from './authorization.module.css';
import { EXAMPLES } from './examples.ts';
import { FileRules } from './file/FileRules.tsx';
import { formWords as words } from './form-words.ts';
import { type Source, STANDARD_BODY, STANDARD_COMMAND, STANDARD_FILTER, STANDARD_SQL } from './sources.ts';

/** What is known of a client when its rules are asked for. */
const PLACEHOLDERS = [
  'username',
  'clientid',
  'peerhost',
  'cert_subject',
  'cert_common_name',
  'client_attrs.NAME',
  'zone',
];
/** Of the request too, where each is asked for by itself. */
const OF_REQUEST = [...PLACEHOLDERS, 'proto_name', 'mountpoint', 'topic', 'action', 'qos', 'retain'];

/** The parameters of a source, to make one and to change one. */
export function SourceFields({ type }: { type: Source }) {
  switch (type) {
    case 'file':
      return <FileRules />;
    case 'built_in_database':
      return <BuiltInFields />;
    case 'mysql':
      return <SqlFields engine="mysql" />;
    case 'postgresql':
      return <SqlFields engine="postgresql" />;
    case 'mongodb':
      return <MongodbFields />;
    case 'redis':
      return <RedisFields />;
    case 'http':
      return <HttpFields />;
  }
}

function BuiltInFields() {
  const w = useWords(words);
  return (
    <>
      <p className={styles.text}>{w.builtInText}</p>
      <NumberField name="max_rules" integer />
    </>
  );
}

function SqlFields({ engine }: { engine: 'mysql' | 'postgresql' }) {
  const w = useWords(words);
  return (
    <>
      <SqlConnection engine={engine} />
      <Group title={w.lookup} text={w.queryText}>
        <CodeField
          name="query"
          label={w.query}
          language="sql"
          standard={STANDARD_SQL}
          placeholders={PLACEHOLDERS}
          help={<Example text={EXAMPLES[engine]} />}
          required
        />
      </Group>
    </>
  );
}

function MongodbFields() {
  const w = useWords(words);
  return (
    <>
      <MongodbConnection />
      <Group title={w.lookup} text={w.filterText}>
        <Text name="collection" label={w.collection} standard="mqtt_acl" required />
        <JsonField
          name="filter"
          label={w.filter}
          standard={STANDARD_FILTER}
          placeholders={PLACEHOLDERS}
          help={<Example text={EXAMPLES.mongodb} />}
          required
        />
        <Advanced>
          <NumberField name="limit" label={w.limit} integer />
          <NumberField name="skip" label={w.skip} integer />
        </Advanced>
      </Group>
    </>
  );
}

function RedisFields() {
  const w = useWords(words);
  return (
    <>
      <RedisConnection />
      <Group title={w.lookup} text={w.cmdText}>
        <CodeField
          name="cmd"
          label={w.cmd}
          rows={2}
          standard={STANDARD_COMMAND}
          check={(value) => (redisRulesCommandFault(String(value ?? '')) === null ? null : w.cmdFault)}
          placeholders={PLACEHOLDERS}
          help={<Example text={EXAMPLES.redis} />}
          required
        />
      </Group>
    </>
  );
}

function HttpFields() {
  const w = useWords(words);
  return (
    <>
      <p className={styles.text}>{w.httpText}</p>
      <HttpConnection standardTimeout="30s" standardBody={STANDARD_BODY} placeholders={OF_REQUEST} />
    </>
  );
}
