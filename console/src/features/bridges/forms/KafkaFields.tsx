import { KAFKA_COMPRESSIONS } from '@mqdeck/contract/bridges/kafka';
import { useFormContext, useWatch } from 'react-hook-form';
import { Address } from '../../../form/backends/connections.tsx';
import { NumberField, Text, Toggle } from '../../../form/fields.tsx';
import formClasses from '../../../form/form.module.css';
import { Advanced, Group } from '../../../form/Group.tsx';
import { Bytes, Duration } from '../../../form/measure-fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { Tls } from '../../../form/Tls.tsx';
import { useWords } from '../../../i18n/words.ts';
import { IconPlus } from '../../../ui/icons.tsx';
import { Credential } from './Credential.tsx';
import { formWords as words } from './form-words.ts';
import styles from './forms.module.css';
import { LocalTopic, Template } from './Template.tsx';

const MECHANISMS = {
  none: words.noAuthentication,
  plain: words.plain,
  scram_sha_256: words.scram_sha_256,
  scram_sha_512: words.scram_sha_512,
  kerberos: words.kerberos,
};
const COMPRESSIONS = { no_compression: words.no_compression, snappy: words.snappy, gzip: words.gzip };
const PARTITIONS = { random: words.randomPartition, key_dispatch: words.key_dispatch };
const ACKS = { all_isr: words.all_isr, leader_only: words.leader_only, none: words.noAcks };
const BUFFERS = { memory: words.memory, disk: words.disk, hybrid: words.hybrid };
const ENCODINGS = { none: words.noEncoding, base64: words.base64 };
const OFFSETS = { latest: words.latest, earliest: words.earliest };

function Connection() {
  const w = useWords(words);
  const mechanism: unknown = useWatch({ name: 'authentication.mechanism' });
  return (
    <Group title={w.connection}>
      <Address name="bootstrap_hosts" label={w.bootstrap_hosts} several example="127.0.0.1:9092" />
      <Select
        name="authentication.mechanism"
        label={w.authentication}
        hint={mechanism === 'kerberos' ? w.kerberosHint : undefined}
        options={Object.keys(MECHANISMS)}
        labels={MECHANISMS}
        required
      />
      {mechanism === 'kerberos' ? (
        <>
          <Text name="authentication.kerberos_principal" required mono />
          <Text name="authentication.kerberos_keytab_file" required mono />
        </>
      ) : (
        mechanism !== 'none' && (
          <>
            <Text name="authentication.username" required />
            <Credential name="authentication.password" required />
          </>
        )
      )}
      <Tls name="ssl" />
      <Advanced>
        <Duration name="connect_timeout" />
        <Duration name="min_metadata_refresh_interval" />
        <Duration name="metadata_request_timeout" />
        <Bytes name="socket_opts.sndbuf" />
        <Bytes name="socket_opts.recbuf" />
      </Advanced>
    </Group>
  );
}

export function KafkaFields() {
  const w = useWords(words);
  return (
    <>
      <Connection />
      <Group title={w.message}>
        <Text name="kafka.topic" required mono />
        <Text name="kafka.message.key" mono />
        <Template name="kafka.message.value" />
        <Text name="kafka.message.timestamp" mono />
        <LocalTopic />
        <Advanced>
          <Select name="kafka.compression" options={KAFKA_COMPRESSIONS} labels={COMPRESSIONS} required />
          <Select
            name="kafka.partition_strategy"
            options={Object.keys(PARTITIONS)}
            labels={PARTITIONS}
            required
          />
          <Select name="kafka.required_acks" options={Object.keys(ACKS)} labels={ACKS} required />
          <Bytes name="kafka.max_batch_bytes" />
          <NumberField name="kafka.max_inflight" unit={w.requests} integer />
          <Duration name="kafka.partition_count_refresh_interval" />
          <Select
            name="kafka.buffer.mode"
            label={w.bufferMode}
            options={Object.keys(BUFFERS)}
            labels={BUFFERS}
            required
          />
          <Bytes name="kafka.buffer.per_partition_limit" />
          <Bytes name="kafka.buffer.segment_bytes" />
          <Toggle name="kafka.buffer.memory_overload_protection" />
        </Advanced>
      </Group>
    </>
  );
}

export function KafkaConsumerFields() {
  const w = useWords(words);
  return (
    <>
      <Connection />
      <Group title={w.topic_mapping} text={w.topicMappingText}>
        <Mappings />
        <Select name="key_encoding_mode" options={Object.keys(ENCODINGS)} labels={ENCODINGS} required />
        <Select name="value_encoding_mode" options={Object.keys(ENCODINGS)} labels={ENCODINGS} required />
        <Select name="kafka.offset_reset_policy" options={Object.keys(OFFSETS)} labels={OFFSETS} required />
        <Advanced>
          <NumberField name="kafka.offset_commit_interval_seconds" unit={w.seconds} integer />
          <Bytes name="kafka.max_batch_bytes" />
          <NumberField name="kafka.max_rejoin_attempts" integer />
        </Advanced>
      </Group>
    </>
  );
}

interface Mapping {
  kafka_topic: string;
  mqtt_topic: string;
  qos: number;
  payload_template: string;
}
const NEW: Mapping = { kafka_topic: '', mqtt_topic: '', qos: 0, payload_template: '${.}' };
const QOS = [0, 1, 2];

/** Rows of the mapping; a Kafka topic stands in one of them only. */
function Mappings() {
  const w = useWords(words);
  const { setValue } = useFormContext();
  const given: unknown = useWatch({ name: 'topic_mapping' });
  const rows = Array.isArray(given) ? (given as Mapping[]) : [];
  const set = (next: Mapping[]) => setValue('topic_mapping', next, { shouldDirty: true });
  return (
    <>
      {rows.map((_, i) => {
        const at = `topic_mapping.${i}`;
        const isTwice = (value: unknown) =>
          value !== '' && rows.slice(0, i).some((row) => row.kafka_topic === value);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields of a row are named by its place
          <fieldset key={i} className={styles.mapping}>
            <legend>{w.mappingRow({ row: i + 1 })}</legend>
            <Text
              name={`${at}.kafka_topic`}
              check={(value) => (isTwice(value) ? w.sameKafkaTopic : null)}
              required
              mono
            />
            <Text name={`${at}.mqtt_topic`} required mono />
            <Select name={`${at}.qos`} options={QOS} required />
            <Text name={`${at}.payload_template`} mono />
            {rows.length > 1 && (
              <button
                type="button"
                className={styles.link}
                onClick={() => set(rows.filter((_, other) => other !== i))}
              >
                {w.removeMapping({ row: i + 1 })}
              </button>
            )}
          </fieldset>
        );
      })}
      <button type="button" className={formClasses.small} onClick={() => set([...rows, { ...NEW }])}>
        <IconPlus size={13} /> {w.addMapping}
      </button>
    </>
  );
}
