import { parseServers } from '@mqdeck/contract/kit/servers';
import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { useWords } from '../../i18n/words.ts';
import { NumberField, Secret, Text, Toggle } from '../fields.tsx';
import { Advanced, Group } from '../Group.tsx';
import { Duration } from '../measure-fields.tsx';
import { Select } from '../Select.tsx';
import { Tls } from '../Tls.tsx';
import { words } from './words.ts';

/** How another system is reached: the same fields wherever one is asked, in the names of the API. */

/** One `host:port`, or several separated by commas. */
export function Address({
  name,
  several,
  example,
  label,
}: {
  name: string;
  several: boolean;
  example: string;
  label?: string | undefined;
}) {
  const w = useWords(words);
  return (
    <Text
      name={name}
      label={label ?? (several ? w.servers : w.server)}
      hint={
        several
          ? w.serversHint({ example: `${example},${example.replace(/\d+:/, '2:')}` })
          : w.serverHint({ example })
      }
      placeholder={example}
      check={(value) => {
        const text = String(value ?? '');
        const wrong = (several ? text.split(',') : [text]).find((one) => parseServers(one) === null);
        return text === '' || wrong === undefined ? null : w.addressFault({ address: wrong.trim() });
      }}
      required
      mono
    />
  );
}

/** Rarely changed, with the number of those that were. */
function Pool({ children }: { children?: ReactNode }) {
  const w = useWords(words);
  return (
    <Advanced>
      <NumberField name="pool_size" label={w.poolSize} unit={w.connections} standard={8} min={1} integer />
      {children}
    </Advanced>
  );
}

export const MYSQL_CONNECTION = {
  server: '127.0.0.1:3306',
  username: 'root',
  pool_size: 8,
  query_timeout: '5s',
  ssl: { enable: false, verify: 'verify_peer' },
} as const;

export const POSTGRESQL_CONNECTION = {
  server: '127.0.0.1:5432',
  username: 'root',
  pool_size: 8,
  ssl: { enable: false, verify: 'verify_peer' },
} as const;

export function SqlConnection({ engine }: { engine: 'mysql' | 'postgresql' }) {
  const w = useWords(words);
  return (
    <Group title={w.connection}>
      <Address name="server" several={false} example={`127.0.0.1:${engine === 'mysql' ? 3306 : 5432}`} />
      <Text name="database" label={w.database} required />
      <Text name="username" label={w.username} required={engine === 'postgresql'} />
      <Secret name="password" label={w.password} removable />
      <Tls name="ssl" />
      {engine === 'mysql' ? (
        <Pool>
          <Duration name="query_timeout" label={w.queryTimeout} standard="5s" />
        </Pool>
      ) : (
        <Pool>
          <Toggle name="disable_prepared_statements" label={w.noPrepared} hint={w.noPreparedHint} />
        </Pool>
      )}
    </Group>
  );
}

export const MONGODB_CONNECTION = {
  mongo_type: 'single',
  server: '127.0.0.1:27017',
  servers: '127.0.0.1:27017',
  database: 'mqtt',
  r_mode: 'master',
  w_mode: 'unsafe',
  pool_size: 8,
  topology: { connect_timeout_ms: '20s' },
  ssl: { enable: false, verify: 'verify_peer' },
} as const;

const MONGO_TYPES = { single: words.single, rs: words.replicaSet, sharded: words.sharded };
const READ_MODES = { master: words.master, slave_ok: words.slaveOk };
const WRITE_MODES = { unsafe: words.unsafe, safe: words.safe };

export function MongodbConnection() {
  const w = useWords(words);
  const type: unknown = useWatch({ name: 'mongo_type' });
  return (
    <Group title={w.connection}>
      <Select
        name="mongo_type"
        label={w.mode}
        options={Object.keys(MONGO_TYPES)}
        labels={MONGO_TYPES}
        standard="single"
        required
      />
      <Address
        key={type === 'single' ? 'one' : 'many'}
        name={type === 'single' ? 'server' : 'servers'}
        several={type !== 'single'}
        example="127.0.0.1:27017"
      />
      {type === 'rs' && <Text name="replica_set_name" label={w.replicaSetName} required />}
      <Text name="database" label={w.database} required />
      <Text name="username" label={w.username} />
      <Secret name="password" label={w.password} removable />
      {type === 'rs' && (
        <>
          <Select
            name="r_mode"
            label={w.readMode}
            options={Object.keys(READ_MODES)}
            labels={READ_MODES}
            standard="master"
            required
          />
          <Select
            name="w_mode"
            label={w.writeMode}
            options={Object.keys(WRITE_MODES)}
            labels={WRITE_MODES}
            standard="unsafe"
            required
          />
        </>
      )}
      <Tls name="ssl" />
      <Pool>
        <Duration name="topology.connect_timeout_ms" label={w.connectTimeout} standard="20s" />
        <Text name="auth_source" label={w.authSource} />
        <Toggle name="srv_record" label={w.srvRecord} />
      </Pool>
    </Group>
  );
}

export const REDIS_CONNECTION = {
  redis_type: 'single',
  server: '127.0.0.1:6379',
  servers: '127.0.0.1:6379',
  sentinel: '',
  database: 0,
  pool_size: 8,
  ssl: { enable: false, verify: 'verify_peer' },
} as const;

const REDIS_TYPES = { single: words.single, sentinel: words.sentinelMode, cluster: words.cluster };

export function RedisConnection() {
  const w = useWords(words);
  const type: unknown = useWatch({ name: 'redis_type' });
  return (
    <Group title={w.connection}>
      <Select
        name="redis_type"
        label={w.mode}
        options={Object.keys(REDIS_TYPES)}
        labels={REDIS_TYPES}
        standard="single"
        required
      />
      <Address
        key={type === 'single' ? 'one' : 'many'}
        name={type === 'single' ? 'server' : 'servers'}
        several={type !== 'single'}
        example="127.0.0.1:6379"
      />
      {type === 'sentinel' && <Text name="sentinel" label={w.sentinel} required />}
      {type !== 'cluster' && (
        <NumberField name="database" label={w.databaseNumber} standard={0} min={0} integer />
      )}
      <Text name="username" label={w.username} />
      <Secret name="password" label={w.password} removable />
      <Tls name="ssl" />
      <Pool />
    </Group>
  );
}
