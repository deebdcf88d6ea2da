import { MYSQL_INSERT, PGSQL_INSERT } from '@mqdeck/contract/bridges/sql';
import { useWatch } from 'react-hook-form';
import { Address } from '../../../form/backends/connections.tsx';
import { Example } from '../../../form/backends/Help.tsx';
import { words as backendWords } from '../../../form/backends/words.ts';
import { NumberField, Text, Toggle } from '../../../form/fields.tsx';
import { Advanced, Group } from '../../../form/Group.tsx';
import { Duration } from '../../../form/measure-fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { Tls } from '../../../form/Tls.tsx';
import { useWords } from '../../../i18n/words.ts';
import { Credential } from './Credential.tsx';
import { commandWords } from './command.ts';
import { MYSQL_TABLE, PGSQL_TABLE } from './examples.ts';
import { formWords as words } from './form-words.ts';
import { LocalTopic, Template } from './Template.tsx';

export function SqlFields({ engine }: { engine: 'mysql' | 'pgsql' | 'timescale' | 'matrix' }) {
  const w = useWords(words);
  const b = useWords(backendWords);
  const mysql = engine === 'mysql';
  return (
    <>
      <Group title={w.connection}>
        <Address name="server" several={false} example={`127.0.0.1:${mysql ? 3306 : 5432}`} />
        <Text name="database" required />
        <Text name="username" />
        <Credential name="password" />
        <Tls name="ssl" />
        <Advanced>
          <NumberField name="pool_size" unit={w.connections} integer />
          {!mysql && (
            <Toggle name="disable_prepared_statements" label={b.noPrepared} hint={b.noPreparedHint} />
          )}
        </Advanced>
      </Group>
      <Group title={w.statement}>
        <Template
          name="sql"
          language="sql"
          standard={mysql ? MYSQL_INSERT : PGSQL_INSERT}
          help={<Example title={w.tableExample} text={mysql ? MYSQL_TABLE : PGSQL_TABLE} />}
          required
        />
        <LocalTopic />
      </Group>
    </>
  );
}

const MONGO_TYPES = {
  single: backendWords.single,
  rs: backendWords.replicaSet,
  sharded: backendWords.sharded,
};
const READ_MODES = { master: backendWords.master, slave_ok: backendWords.slaveOk };
const WRITE_MODES = { unsafe: backendWords.unsafe, safe: backendWords.safe };

/** One server, or a list of them where there are several. */
function Servers({ several, example }: { several: boolean; example: string }) {
  const name = several ? 'servers' : 'server';
  return <Address key={name} name={name} several={several} example={example} />;
}

export function MongodbFields({ isNew }: { isNew: boolean }) {
  const w = useWords(words);
  const b = useWords(backendWords);
  const type: unknown = useWatch({ name: 'mongo_type' });
  return (
    <>
      <Group title={w.connection}>
        {isNew && (
          <Select
            name="mongo_type"
            label={b.mode}
            options={Object.keys(MONGO_TYPES)}
            labels={MONGO_TYPES}
            standard="single"
            required
          />
        )}
        <Servers several={type !== 'single'} example="127.0.0.1:27017" />
        {type === 'rs' && <Text name="replica_set_name" label={b.replicaSetName} required />}
        <Text name="database" required />
        <Text name="username" />
        <Credential name="password" />
        <Text name="auth_source" label={b.authSource} />
        <Tls name="ssl" />
        <Advanced>
          <NumberField name="pool_size" unit={w.connections} integer />
          {type === 'rs' && (
            <Select
              name="r_mode"
              label={b.readMode}
              options={Object.keys(READ_MODES)}
              labels={READ_MODES}
              required
            />
          )}
          <Select name="w_mode" options={Object.keys(WRITE_MODES)} labels={WRITE_MODES} required />
          <Toggle name="srv_record" label={b.srvRecord} />
          <Duration name="topology.connect_timeout_ms" label={b.connectTimeout} standard="20s" />
        </Advanced>
      </Group>
      <Group title={w.document}>
        <Text name="collection" required mono />
        <Template name="payload_template" hint={w.documentTemplate} />
        <LocalTopic />
      </Group>
    </>
  );
}

const REDIS_TYPES = {
  single: backendWords.single,
  sentinel: backendWords.sentinelMode,
  cluster: backendWords.cluster,
};

export function RedisFields({ isNew }: { isNew: boolean }) {
  const w = useWords(words);
  const b = useWords(backendWords);
  const type: unknown = useWatch({ name: 'redis_type' });
  return (
    <>
      <Group title={w.connection}>
        {isNew && (
          <Select
            name="redis_type"
            label={b.mode}
            options={Object.keys(REDIS_TYPES)}
            labels={REDIS_TYPES}
            standard="single"
            required
          />
        )}
        <Servers several={type !== 'single'} example="127.0.0.1:6379" />
        {type === 'sentinel' && <Text name="sentinel" label={b.sentinel} required />}
        {type !== 'cluster' && <NumberField name="database" label={b.databaseNumber} standard={0} integer />}
        <Text name="username" />
        <Credential name="password" />
        <Tls name="ssl" />
        <Advanced>
          <NumberField name="pool_size" unit={w.connections} integer />
        </Advanced>
      </Group>
      <Group title={w.command}>
        <Template
          name="command_template"
          hint={w.commandHint}
          check={(value) => (commandWords(String(value ?? '')) === null ? w.commandFault : null)}
          send={(value) => (typeof value === 'string' ? (commandWords(value) ?? value) : value)}
          required
        />
        <LocalTopic />
      </Group>
    </>
  );
}
