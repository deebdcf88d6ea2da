import { Button } from '@mantine/core';
import {
  COAP_NOTIFY_TYPES,
  COAP_QOS,
  EXPROTO_SERVICES,
  type GatewayName,
  gatewayPresets,
  TRANSLATORS,
} from '@mqdeck/contract/gateways';
import { httpUrl } from '@mqdeck/contract/kit/servers';
import { parseDuration } from '@mqdeck/contract/kit/values';
import { useFormContext, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { NumberField, Secret, Text, Toggle } from '../../../form/fields.tsx';
import { Advanced, Group } from '../../../form/Group.tsx';
import { BindField } from '../../../form/listening/fields.tsx';
import { Duration } from '../../../form/measure-fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { PemField, Tls } from '../../../form/Tls.tsx';
import { useWords } from '../../../i18n/words.ts';
import { IconDownload } from '../../../ui/icons.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { formWords } from './form-words.ts';
import styles from './forms.module.css';
import { PredefinedTopics } from './PredefinedTopics.tsx';
import { SERVER_TLS } from './standards.ts';

/** Everything that is configured of a gateway beside its listeners, to set it up and to change it. */
export function GatewayFields({ name }: { name: GatewayName }) {
  return (
    <>
      <Notice>
        <How name={name} />
      </Notice>
      <Fields name={name} />
    </>
  );
}

/** Where a device begins. */
function How({ name }: Its) {
  const w = useWords(formWords);
  const { port } = gatewayPresets[name];
  const topic = useWatch({ name: 'translators' }) as Partial<Record<string, { topic?: string }>> | undefined;
  switch (name) {
    case 'coap':
      return w.coapHow({ port: String(port) });
    case 'lwm2m': {
      const of = (one: (typeof TRANSLATORS)[number]) => visibleText(topic?.[one]?.topic ?? '');
      return w.lwm2mHow({
        port: String(port),
        down: of('command'),
        up: of('response'),
        notify: of('notify'),
      });
    }
    default:
      return w[`${name}How`];
  }
}

function Fields({ name }: Its) {
  switch (name) {
    case 'stomp':
      return <StompFields name={name} />;
    case 'mqttsn':
      return <MqttsnFields name={name} />;
    case 'coap':
      return <CoapFields name={name} />;
    case 'lwm2m':
      return <Lwm2mFields />;
    case 'exproto':
      return <ExprotoFields name={name} />;
  }
}

interface Its {
  name: GatewayName;
}

/** What stands before its topics; `example` is a placeholder that its devices fill. */
function Mountpoint({ name, example = '${clientid}' }: Its & { example?: string }) {
  const w = useWords(formWords);
  return (
    <Text
      name="mountpoint"
      mono
      hint={
        name === 'lwm2m'
          ? w.lwm2mMountpointHint({ placeholder: example })
          : w.mountpointHint({ clientid: example, username: '${username}', gateway: name })
      }
      check={(value) => (/[#+]/.test(String(value ?? '')) ? w.mountpointFault : null)}
    />
  );
}

/** What is rarely touched, of every gateway. */
function Rare() {
  const w = useWords(formWords);
  const at = (name: string) => `clientinfo_override.${name}`;
  return (
    <Advanced>
      <Toggle name="enable_stats" />
      <Group title={w.override} text={w.overrideText({ example: '${username}' })}>
        <Text name={at('clientid')} mono placeholder="${clientid}" />
        <Text name={at('username')} mono placeholder="${username}" />
        <Text name={at('password')} mono placeholder="${password}" />
      </Group>
    </Advanced>
  );
}

function StompFields({ name }: Its) {
  const w = useWords(formWords);
  const { frame } = gatewayPresets.stomp;
  return (
    <>
      <Group title={w.general}>
        <Mountpoint name={name} />
        <Duration name="idle_timeout" />
      </Group>
      <Group title={w.frames} text={w.framesText}>
        <NumberField name="frame.max_headers" integer />
        <NumberField name="frame.max_headers_length" integer unit={w.bytes} />
        <NumberField
          name="frame.max_body_length"
          integer
          required
          standard={frame.max_body_length}
          unit={w.bytes}
        />
      </Group>
      <Rare />
    </>
  );
}

function MqttsnFields({ name }: Its) {
  const w = useWords(formWords);
  return (
    <>
      <Group title={w.general}>
        <NumberField name="gateway_id" integer />
        <Toggle name="broadcast" />
        <Toggle name="enable_qos3" />
        <Mountpoint name={name} />
        <Duration name="idle_timeout" />
        <Toggle name="subs_resume" />
      </Group>
      <Group title={w.topics} text={w.topicsText}>
        <PredefinedTopics />
      </Group>
      <Rare />
    </>
  );
}

const NOTIFY = { non: formWords.non, con: formWords.con, qos: formWords.qos };
const QOS = { coap: formWords.coap, qos0: formWords.qos0, qos1: formWords.qos1, qos2: formWords.qos2 };

function CoapFields({ name }: Its) {
  const w = useWords(formWords);
  const connected = useWatch({ name: 'connection_required' }) === true;
  return (
    <>
      <Group title={w.general}>
        <Toggle name="connection_required" />
        {connected && <Duration name="heartbeat" />}
        <Mountpoint name={name} />
        <Duration name="idle_timeout" />
      </Group>
      <Group title={w.messages}>
        <Select name="notify_type" options={COAP_NOTIFY_TYPES} labels={NOTIFY} required />
        <Select name="subscribe_qos" options={COAP_QOS} labels={QOS} required />
        <Select name="publish_qos" options={COAP_QOS} labels={QOS} required />
      </Group>
      <Rare />
    </>
  );
}

const CONDITIONS = { always: formWords.always, contains_object_list: formWords.contains_object_list };
const QOS_LEVELS = [0, 1, 2];

function Lwm2mFields() {
  const w = useWords(formWords);
  const { getValues } = useFormContext();
  const notBelow = (value: unknown) => {
    const [least, most] = [getValues('lifetime_min'), value].map((one) =>
      parseDuration((one ?? '') as string | number),
    );
    return typeof least === 'number' && typeof most === 'number' && most < least ? w.lifetimeFault : null;
  };
  return (
    <>
      <Group title={w.devices}>
        <Text name="xml_dir" mono />
        <Duration name="lifetime_min" required standard={gatewayPresets.lwm2m.lifetime_min} />
        <Duration name="lifetime_max" check={notBelow} />
        <Duration name="qmode_time_window" />
        <Toggle name="auto_observe" />
        <Select
          name="update_msg_publish_condition"
          options={Object.keys(CONDITIONS)}
          labels={CONDITIONS}
          required
        />
        <Duration name="idle_timeout" />
      </Group>
      <Group title={w.translators} text={w.translatorsText}>
        <Mountpoint name="lwm2m" example="${endpoint_name}" />
        {TRANSLATORS.map((one) => (
          <div key={one} className={styles.translator}>
            <Text name={`translators.${one}.topic`} label={w.topicOf({ name: w[one] })} mono required />
            <Select
              name={`translators.${one}.qos`}
              label={w.qosOf({ name: w[one] })}
              options={QOS_LEVELS}
              required
            />
          </div>
        ))}
      </Group>
      <Rare />
    </>
  );
}

async function saveProto(): Promise<void> {
  const { exprotoProto } = await import('@mqdeck/contract/protos/exproto');
  saveFile('exproto.proto', [exprotoProto], 'text/plain');
}

function ExprotoFields({ name }: Its) {
  const w = useWords(formWords);
  return (
    <>
      <Group title={w.general}>
        <Mountpoint name={name} />
        <Duration name="idle_timeout" />
      </Group>
      <Group title={w.handler} text={w.handlerText}>
        <div>
          <Button leftSection={<IconDownload size={15} />} onClick={() => void saveProto()}>
            {w.saveProto}
          </Button>
        </div>
        <Text
          name="handler.address"
          mono
          required
          placeholder="http://127.0.0.1:9001"
          check={(value) => (value === '' || z.safeParse(httpUrl, value).success ? null : w.addressFault)}
        />
        <Select name="handler.service_name" options={EXPROTO_SERVICES} required />
        <Tls name="handler.ssl_options" />
      </Group>
      <Group title={w.server} text={w.serverText}>
        <BindField name="server.bind" standard={gatewayPresets.exproto.server.bind} />
        <ServerTls />
      </Group>
      <Rare />
    </>
  );
}

/** A gRPC server with TLS shows a certificate of its own: both it and its key are needed. */
function ServerTls() {
  const w = useWords(formWords);
  const on = useWatch({ name: SERVER_TLS }) === true;
  const at = (name: string) => `server.ssl_options.${name}`;
  const verify = useWatch({ name: at('verify') }) === 'verify_peer';
  return (
    <>
      <Toggle name={SERVER_TLS} label={w.serverTls} />
      {on && (
        <>
          <PemField name={at('certfile')} hint={w.pemHint} required />
          <PemField name={at('keyfile')} hint={w.pemHint} required />
          <Secret name={at('password')} removable />
          <Toggle name={at('verify')} on="verify_peer" off="verify_none" />
          {verify && <PemField name={at('cacertfile')} hint={w.pemHint} required />}
        </>
      )}
    </>
  );
}
