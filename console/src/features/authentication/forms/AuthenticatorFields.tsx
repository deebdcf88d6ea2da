import { redisCommandFault } from '@mqdeck/contract/authentication';
import { useWatch } from 'react-hook-form';
import { CodeField } from '../../../form/backends/CodeField.tsx';
import { MongodbConnection, RedisConnection, SqlConnection } from '../../../form/backends/connections.tsx';
import { Example } from '../../../form/backends/Help.tsx';
import { HttpConnection } from '../../../form/backends/HttpConnection.tsx';
import { isSalted } from '../../../form/backends/hash.ts';
import { JsonField } from '../../../form/backends/JsonField.tsx';
import { PasswordHash } from '../../../form/backends/PasswordHash.tsx';
import { useFollowing } from '../../../form/backends/use-standard.ts';
import { NumberField, Text } from '../../../form/fields.tsx';
import { Group } from '../../../form/Group.tsx';
import { Select } from '../../../form/Select.tsx';
import { useWords } from '../../../i18n/words.ts';
import { useChain } from '../chain.ts';
import { formWords as words } from '../form-words.ts';
import type { KindId } from '../kinds.ts';
import { EXAMPLES } from './examples.ts';
import { JwtFields } from './JwtFields.tsx';
import { STANDARD_BODY, STANDARD_FILTER, standardCommand, standardSql } from './standards.ts';

/** What a client shows when it connects. */
const PLACEHOLDERS = [
  'username',
  'clientid',
  'password',
  'peerhost',
  'cert_subject',
  'cert_common_name',
  'client_attrs.NAME',
  'zone',
];
const HASH = 'password_hash_algorithm';
const USER_ID_TYPES = { username: words.byUsername, clientid: words.byClientid };
const HASHES = ['sha256', 'sha512'];

/** The parameters of an authenticator, to make one and to change one. */
export function AuthenticatorFields({ id }: { id: KindId }) {
  switch (id) {
    case 'password_based:built_in_database':
      return <BuiltInFields />;
    case 'password_based:mysql':
      return <SqlFields engine="mysql" />;
    case 'password_based:postgresql':
      return <SqlFields engine="postgresql" />;
    case 'password_based:mongodb':
      return <MongodbFields />;
    case 'password_based:redis':
      return <RedisFields />;
    case 'password_based:http':
      return <HttpFields />;
    case 'jwt':
      return <JwtFields />;
    case 'scram:built_in_database':
      return <ScramFields />;
  }
}

function BuiltInFields() {
  const w = useWords(words);
  return (
    <>
      <Select
        name="user_id_type"
        label={w.userIdType}
        hint={w.userIdTypeHint}
        options={Object.keys(USER_ID_TYPES)}
        labels={USER_ID_TYPES}
        required
      />
      <Passwords fresh />
    </>
  );
}

function Passwords({ fresh = false }: { fresh?: boolean }) {
  const w = useWords(words);
  return (
    <Group title={w.passwords} text={w.passwordsText}>
      <PasswordHash name={HASH} fresh={fresh} />
    </Group>
  );
}

const useSalted = () => isSalted(useWatch({ name: HASH }));

function SqlFields({ engine }: { engine: 'mysql' | 'postgresql' }) {
  const w = useWords(words);
  const standard = standardSql(useSalted());
  useFollowing('query', standard);
  return (
    <>
      <SqlConnection engine={engine} />
      <Passwords />
      <Group title={w.lookup} text={w.queryText}>
        <CodeField
          name="query"
          label={w.query}
          language="sql"
          standard={standard}
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
  const salted = useSalted();
  return (
    <>
      <MongodbConnection />
      <Passwords />
      <Group title={w.lookup} text={w.filterText}>
        <Text name="collection" label={w.collection} standard="users" required />
        <JsonField
          name="filter"
          label={w.filter}
          standard={STANDARD_FILTER}
          placeholders={PLACEHOLDERS}
          help={<Example text={EXAMPLES.mongodb} />}
          required
        />
        <Text name="password_hash_field" label={w.passwordHashField} required mono />
        {salted && <Text name="salt_field" label={w.saltField} required mono />}
        <Text name="is_superuser_field" label={w.superuserField} required mono />
      </Group>
    </>
  );
}

function RedisFields() {
  const w = useWords(words);
  const standard = standardCommand(useSalted());
  useFollowing('cmd', standard);
  return (
    <>
      <RedisConnection />
      <Passwords />
      <Group title={w.lookup} text={w.cmdText}>
        <CodeField
          name="cmd"
          label={w.cmd}
          standard={standard}
          check={(value) => (redisCommandFault(String(value ?? '')) === null ? null : w.cmdFault)}
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
  const { httpBody = STANDARD_BODY } = useChain();
  return (
    <>
      <HttpConnection standardTimeout="5s" standardBody={httpBody} placeholders={PLACEHOLDERS} />
      <Group title={w.httpTitle} text={w.httpText}>
        {null}
      </Group>
    </>
  );
}

function ScramFields() {
  const w = useWords(words);
  return (
    <Group title={w.passwords} text={w.scramText}>
      <Select name="algorithm" label={w.scramAlgorithm} options={HASHES} required />
      <NumberField name="iteration_count" label={w.iterationCount} hint={w.iterationHint} integer />
    </Group>
  );
}
