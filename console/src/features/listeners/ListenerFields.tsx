import { api } from '@mqdeck/contract/api';
import { type ListenerType, STANDARD_PORTS } from '@mqdeck/contract/listeners';
import { DEFAULT_ZONE } from '@mqdeck/contract/zones';
import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { NumberField, Text, Toggle } from '../../form/fields.tsx';
import { Advanced, Group } from '../../form/Group.tsx';
import { AccessRules } from '../../form/listening/AccessRules.tsx';
import { BindField, ProxyFields, TcpOptions } from '../../form/listening/fields.tsx';
import { TlsFields } from '../../form/listening/TlsFields.tsx';
import { ByteRate, Count, Duration, Rate, type Special } from '../../form/measure-fields.tsx';
import { Select } from '../../form/Select.tsx';
import { words as kitWords } from '../../form/words.ts';
import { useWords } from '../../i18n/words.ts';
import { formWords } from './form-words.ts';
import { NO_LIMIT, typeFrom } from './values.ts';

const UNLIMITED: Special = { value: NO_LIMIT, label: kitWords.unlimited };
const AUTHN = [
  { value: true, label: formWords.authnOn },
  { value: 'quick_deny_anonymous', label: formWords.authnQuick },
  { value: false, label: formWords.authnOff },
];

/** Everything that can be set of a listener beside its type and name. */
export function ListenerFields({
  edited,
  children,
}: {
  /** Of which type it is, where that cannot be chosen any more. */
  edited?: ListenerType;
  /** Type and name, where they can. */
  children?: ReactNode;
}) {
  const w = useWords(formWords);
  const watched: unknown = useWatch({ name: 'type' });
  const type = edited ?? typeFrom(watched);
  return (
    <>
      <Group title={w.basics}>
        {children}
        <BindField standard={String(STANDARD_PORTS[type])} />
        {!edited && <Toggle name="enable" />}
        <ZoneField />
        <Text
          name="mountpoint"
          mono
          check={(value) => (/[#+]/.test(String(value ?? '')) ? w.mountpointFault : null)}
        />
        <Select name="enable_authn" options={AUTHN} required standard={true} />
      </Group>
      {(type === 'ssl' || type === 'wss') && <TlsFields />}
      {(type === 'ws' || type === 'wss') && <WebSocketFields />}
      <Group title={w.limits}>
        <Count name="max_connections" unit={w.clients} special={UNLIMITED} min={1} />
        <Rate name="max_conn_rate" />
        <Rate name="messages_rate" standard={NO_LIMIT} />
        <ByteRate name="bytes_rate" standard={NO_LIMIT} />
        <NumberField name="acceptors" min={1} />
      </Group>
      <Group title={w.access} text={w.accessText}>
        <AccessRules />
      </Group>
      <ProxyFields />
      <TcpOptions />
    </>
  );
}

/** One of those that are there; a broker that does not say takes any name. */
function ZoneField() {
  const { data, isPending } = useEndpoint(api.zones.list, {}, { quiet: true });
  if (!data && !isPending) return <Text name="zone" mono />;
  const names = new Set([DEFAULT_ZONE, ...Object.keys(data ?? {})]);
  return <Select name="zone" options={[...names]} required standard={DEFAULT_ZONE} />;
}

function WebSocketFields() {
  const w = useWords(formWords);
  const checked = useWatch({ name: 'websocket.check_origin_enable' }) === true;
  const at = (name: string) => `websocket.${name}`;
  const deflate = (name: string) => at(`deflate_opts.${name}`);
  const contexts = { takeover: formWords.takeover, no_takeover: formWords.no_takeover };
  return (
    <Group title={w.websocket}>
      <Text
        name={at('mqtt_path')}
        mono
        check={(value) => (!value || String(value).startsWith('/') ? null : w.pathFault)}
      />
      <Toggle name={at('fail_if_no_subprotocol')} />
      <Text name={at('supported_subprotocols')} mono />
      <Duration name={at('idle_timeout')} />
      <Count name={at('max_frame_size')} unit={w.bytes} special={UNLIMITED} min={1} />
      <Toggle name={at('check_origin_enable')} />
      {checked && (
        <>
          <Text name={at('check_origins')} mono />
          <Toggle name={at('allow_origin_absence')} />
        </>
      )}
      <Toggle name={at('compress')} />
      <Advanced title={w.advanced}>
        <Text name={at('proxy_address_header')} mono />
        <Text name={at('proxy_port_header')} mono />
        <Toggle name={at('validate_utf8')} />
        <Select
          name={at('mqtt_piggyback')}
          hint={w.keptOnly}
          labels={{ single: formWords.single, multiple: formWords.multiple }}
        />
        <Select
          name={deflate('level')}
          labels={{
            none: formWords.levelNone,
            default: formWords.levelDefault,
            best_compression: formWords.best_compression,
            best_speed: formWords.best_speed,
          }}
        />
        <NumberField name={deflate('mem_level')} />
        <Select
          name={deflate('strategy')}
          labels={{
            default: formWords.levelDefault,
            filtered: formWords.filtered,
            huffman_only: formWords.huffman_only,
            rle: formWords.rle,
          }}
        />
        <Select name={deflate('server_context_takeover')} labels={contexts} />
        <Select name={deflate('client_context_takeover')} labels={contexts} />
        <NumberField name={deflate('server_max_window_bits')} />
        <NumberField name={deflate('client_max_window_bits')} />
      </Advanced>
    </Group>
  );
}
