import { BRIDGE_NAME, BRIDGE_NAME_LENGTH_MAX } from '@mqdeck/contract/bridges/common';
import type { BridgeType } from '@mqdeck/contract/bridges/types';
import { useWatch } from 'react-hook-form';
import { Text } from '../../../form/fields.tsx';
import { Group } from '../../../form/Group.tsx';
import { useWords } from '../../../i18n/words.ts';
import { type Product, productOf } from '../kinds.ts';
import { MongodbFields, RedisFields, SqlFields } from './databases.tsx';
import { formWords as words } from './form-words.ts';
import { InfluxdbFields } from './InfluxdbFields.tsx';
import { KafkaConsumerFields, KafkaFields } from './KafkaFields.tsx';
import { MqttFields } from './MqttFields.tsx';
import { PubsubFields } from './PubsubFields.tsx';
import { ResourceOptions } from './ResourceOptions.tsx';
import { typeFrom, type Values } from './standards.ts';
import { WebhookFields } from './WebhookFields.tsx';

/** The parameters of a bridge that is made: what it is called, and everything of its type. */
export function NewBridgeFields({ product }: { product: Product }) {
  const w = useWords(words);
  const values = useWatch() as Values;
  return (
    <>
      <Group title={w.basics}>
        <Text
          name="name"
          check={(value) => {
            const name = String(value ?? '');
            return name === '' || (BRIDGE_NAME.test(name) && name.length <= BRIDGE_NAME_LENGTH_MAX)
              ? null
              : w.nameFault;
          }}
          required
          mono
        />
        <Text name="description" />
      </Group>
      <OwnFields product={product} isNew />
      <ResourceOptions type={typeFrom(product, values)} />
    </>
  );
}

/** Those of a bridge that exists: its name and type stay. */
export function BridgeFields({ type }: { type: BridgeType }) {
  const w = useWords(words);
  return (
    <>
      <Group title={w.basics}>
        <Text name="description" />
      </Group>
      <OwnFields product={productOf(type)} isNew={false} />
      <ResourceOptions type={type} />
    </>
  );
}

function OwnFields({ product, isNew }: { product: Product; isNew: boolean }) {
  switch (product) {
    case 'webhook':
      return <WebhookFields />;
    case 'mqtt':
      return <MqttFields />;
    case 'kafka':
      return <KafkaFields />;
    case 'kafka_consumer':
      return <KafkaConsumerFields />;
    case 'gcp_pubsub':
      return <PubsubFields />;
    case 'mysql':
    case 'pgsql':
    case 'timescale':
    case 'matrix':
      return <SqlFields engine={product} />;
    case 'mongodb':
      return <MongodbFields isNew={isNew} />;
    case 'redis':
      return <RedisFields isNew={isNew} />;
    case 'influxdb':
      return <InfluxdbFields isNew={isNew} />;
  }
}
