import { useWatch } from 'react-hook-form';
import { NumberField, Text, Toggle } from '../../../form/fields.tsx';
import { Advanced, Group } from '../../../form/Group.tsx';
import { Duration } from '../../../form/measure-fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { Tls } from '../../../form/Tls.tsx';
import { useWords } from '../../../i18n/words.ts';
import { Credential } from './Credential.tsx';
import { formWords as words } from './form-words.ts';
import { Template } from './Template.tsx';
import { hasWildcards, isNoFilter } from './topic-faults.ts';

const VERSIONS = { v3: words.v3, v4: words.v4, v5: words.v5 };
const MODES = { cluster_shareload: words.cluster_shareload, cluster_singleton: words.cluster_singleton };
const QOS = [0, 1, 2];
const MESSAGE_QOS = { '${qos}': words.asMessage };
const MESSAGE_RETAIN = { '${retain}': words.asMessage };

export function MqttFields() {
  const w = useWords(words);
  const [ingress, egress, fetched, sent]: unknown[] = useWatch({
    name: ['has_ingress', 'has_egress', 'ingress.remote.topic', 'egress.remote.topic'],
  });
  const none = ingress !== true && egress !== true;
  const circle = ingress === true && egress === true && fetched === sent && sent !== '';
  return (
    <>
      <Group title={w.connection}>
        <Text name="server" placeholder="127.0.0.1:1883" required mono />
        <Text name="username" />
        <Credential name="password" />
        <Select name="proto_ver" options={Object.keys(VERSIONS)} labels={VERSIONS} required />
        <Toggle name="clean_start" />
        <Tls name="ssl" />
        <Advanced>
          <Text name="clientid" hint={w['clientid.hint']} mono />
          <Text name="clientid_prefix" mono />
          <Select name="mode" options={Object.keys(MODES)} labels={MODES} required />
          <Toggle name="bridge_mode" />
          <Duration name="keepalive" />
          <Duration name="retry_interval" />
          <Duration name="reconnect_interval" />
          <NumberField name="max_inflight" unit={w.messages} integer />
        </Advanced>
      </Group>
      <Group title={w.egress} text={w.egressText}>
        <Toggle name="has_egress" check={() => (none ? w.noDirection : null)} />
        {egress === true && (
          <>
            <Text
              name="egress.local.topic"
              label={w.localTopic}
              hint={w.localTopicEgress}
              check={(value) => (isNoFilter(value) ? w.filterFault : null)}
              mono
            />
            <Text
              name="egress.remote.topic"
              label={w.remoteTopic}
              hint={w.remoteTopicEgress({ example: '${topic}' })}
              placeholder="${topic}"
              check={(value) => (circle ? w.sameTopic : hasWildcards(value) ? w.topicFault : null)}
              required
              mono
            />
            <Select name="egress.remote.qos" options={[...QOS, '${qos}']} labels={MESSAGE_QOS} required />
            <Select
              name="egress.remote.retain"
              options={[true, false, '${retain}']}
              labels={MESSAGE_RETAIN}
              required
            />
            <Template name="egress.remote.payload" label={w.payloadTemplate} hint={w.payloadTemplateHint} />
          </>
        )}
      </Group>
      <Group title={w.ingress} text={w.ingressText}>
        <Toggle name="has_ingress" />
        {ingress === true && (
          <>
            <Text
              name="ingress.remote.topic"
              label={w.remoteTopic}
              hint={w.remoteTopicIngress}
              check={(value) => (circle ? w.sameTopic : isNoFilter(value) ? w.filterFault : null)}
              required
              mono
            />
            <Select name="ingress.remote.qos" label={w.remoteQos} options={QOS} required />
            <Text
              name="ingress.local.topic"
              label={w.localTopic}
              hint={w.localTopicIngress({ example: 'remote/${topic}' })}
              check={(value) => (hasWildcards(value) ? w.topicFault : null)}
              mono
            />
            <Select name="ingress.local.qos" options={[...QOS, '${qos}']} labels={MESSAGE_QOS} required />
            <Select
              name="ingress.local.retain"
              options={[true, false, '${retain}']}
              labels={MESSAGE_RETAIN}
              required
            />
            <Template name="ingress.local.payload" label={w.payloadTemplate} hint={w.payloadTemplateHint} />
          </>
        )}
      </Group>
    </>
  );
}
