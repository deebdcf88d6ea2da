import {
  type GatewayListenerType,
  type GatewayName,
  LISTENER_TYPES_OF,
  NEW_LISTENER_PRESET,
} from '@mqdeck/contract/gateways';
import { LISTENER_NAME } from '@mqdeck/contract/listeners';
import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { NumberField, Text, Toggle } from '../../../form/fields.tsx';
import { Advanced, Group } from '../../../form/Group.tsx';
import { AccessRules } from '../../../form/listening/AccessRules.tsx';
import { BindField, ProxyFields, TcpOptions } from '../../../form/listening/fields.tsx';
import { TlsFields } from '../../../form/listening/TlsFields.tsx';
import { Bytes, Count, type Special } from '../../../form/measure-fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { useWords } from '../../../i18n/words.ts';
import { DtlsFields } from './DtlsFields.tsx';
import { listenerWords } from './listener-words.ts';
import { NO_LIMIT } from './values.ts';

const UNLIMITED: Special = { value: NO_LIMIT, label: listenerWords.unlimited };
const AUTHN = [
  { value: true, label: listenerWords.authnOn },
  { value: false, label: listenerWords.authnOff },
];
const TYPES = {
  tcp: listenerWords.tcp,
  ssl: listenerWords.ssl,
  udp: listenerWords.udp,
  dtls: listenerWords.dtls,
};

/** Everything that can be set of a gateway's listener beside its type and name. */
export function GatewayListenerFields({
  type,
  isNew,
  children,
}: {
  type: GatewayListenerType;
  isNew: boolean;
  /** Type and name, where they can be chosen. */
  children?: ReactNode;
}) {
  const w = useWords(listenerWords);
  const isStream = type === 'tcp' || type === 'ssl';
  return (
    <>
      <Group title={w.basics}>
        {children}
        <BindField />
        {isNew && <Toggle name="enable" />}
        <Text
          name="mountpoint"
          mono
          check={(value) => (/[#+]/.test(String(value ?? '')) ? w.mountpointFault : null)}
        />
        <Select name="enable_authn" options={AUTHN} required standard={true} />
      </Group>
      {type === 'ssl' && <TlsFields />}
      {type === 'dtls' && <DtlsFields />}
      <Group title={w.limits}>
        <Count
          name="max_connections"
          unit={w.devices}
          special={UNLIMITED}
          min={1}
          standard={NEW_LISTENER_PRESET.max_connections}
        />
        <Count
          name="max_conn_rate"
          unit={w.perSecond}
          special={UNLIMITED}
          min={1}
          standard={NEW_LISTENER_PRESET.max_conn_rate}
        />
        {type !== 'udp' && <NumberField name="acceptors" min={1} />}
      </Group>
      <Group title={w.access} text={w.accessText}>
        <AccessRules />
      </Group>
      {isStream ? (
        <>
          <ProxyFields />
          <TcpOptions />
        </>
      ) : (
        <UdpOptions />
      )}
    </>
  );
}

function UdpOptions() {
  const w = useWords(listenerWords);
  const at = (name: string) => `udp_options.${name}`;
  return (
    <>
      <Advanced title={w.udpOptions}>
        <Bytes name={at('recbuf')} />
        <Bytes name={at('sndbuf')} />
        <Toggle name={at('reuseaddr')} hint={w.systemDecides} />
        <NumberField name={at('active_n')} hint={w.systemDecides} />
        <Bytes name={at('buffer')} hint={w.systemDecides} />
      </Advanced>
      <Advanced title={w.health}>
        <Text name="health_check.request" hint={w.healthText} mono />
        <Text name="health_check.reply" mono />
      </Advanced>
    </>
  );
}

/** Type and name of a new one, which cannot be changed later. */
export function NewListenerFields({ gateway, taken }: { gateway: GatewayName; taken: readonly string[] }) {
  const w = useWords(listenerWords);
  const types = LISTENER_TYPES_OF[gateway];
  const watched: unknown = useWatch({ name: 'type' });
  const type = types.find((one) => one === watched) ?? types[0]!;
  return (
    <GatewayListenerFields type={type} isNew>
      <Text
        name="name"
        mono
        required
        check={(value) =>
          value === ''
            ? null
            : !LISTENER_NAME.test(String(value))
              ? w.nameFault
              : taken.includes(`${gateway}:${type}:${String(value)}`)
                ? w.nameTaken
                : null
        }
      />
      <Select name="type" options={types} labels={TYPES} required />
    </GatewayListenerFields>
  );
}
