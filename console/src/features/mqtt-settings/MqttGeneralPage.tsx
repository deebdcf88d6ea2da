import { parseBytes } from '@mqdeck/contract/kit/values';
import { PACKET_BYTES_MAX } from '@mqdeck/contract/zones';
import { NumberField, Text, Toggle } from '../../form/fields.tsx';
import { Group } from '../../form/Group.tsx';
import { Bytes, Count, Duration } from '../../form/measure-fields.tsx';
import { Select } from '../../form/Select.tsx';
import { words as kitWords } from '../../form/words.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { ClientAttributes } from './ClientAttributes.tsx';
import { ClientidOverride } from './ClientidOverride.tsx';
import { generalWords as words } from './general-words.ts';
import { Key } from './Key.tsx';
import { ZonedPage } from './ZonedPage.tsx';

const INFINITY = { value: 'infinity', label: kitWords.infinity };
const NEVER = { value: 'infinity', label: kitWords.never };
const DISABLED = { value: 'disabled', label: kitWords.disabled };
const STRATEGIES = {
  random: words.random,
  round_robin: words.round_robin,
  round_robin_per_group: words.round_robin_per_group,
  sticky: words.sticky,
  local: words.local,
  hash_topic: words.hash_topic,
  hash_clientid: words.hash_clientid,
};
const CERTIFICATE = {
  disabled: words.disabled,
  cn: words.cn,
  dn: words.dn,
  crt: words.crt,
  pem: words.pem,
  md5: words.md5,
};
const QOS = [0, 1, 2].map((value) => ({ value, label: `QoS ${value}` }));

export function MqttGeneralPage() {
  const w = useWords(words);
  const k = useWords(kitWords);
  const packetFault = (value: unknown) => {
    const bytes = parseBytes(String(value)) ?? 0;
    return bytes >= 1 && bytes <= PACKET_BYTES_MAX
      ? null
      : k.range({ min: '1 B', max: `${PACKET_BYTES_MAX} B` });
  };
  return (
    <ZonedPage
      title={w.title}
      purpose={w.purpose}
      words={words}
      actions={<Link to={paths.flapping()}>{w.toFlapping}</Link>}
    >
      <Group title={w.connection} text={w.connectionText}>
        <Key>
          <Duration name="mqtt.idle_timeout" special={INFINITY} min="1ms" required />
        </Key>
        <Key>
          <Count name="mqtt.server_keepalive" special={DISABLED} unit={w.seconds} required />
        </Key>
        <Key>
          <NumberField name="mqtt.keepalive_multiplier" required />
        </Key>
        <Key>
          <Duration name="mqtt.keepalive_check_interval" min="1ms" required />
        </Key>
      </Group>
      <Group title={w.limits} text={w.limitsText}>
        <Key>
          <Bytes name="mqtt.max_packet_size" required check={packetFault} />
        </Key>
        <Key>
          <NumberField name="mqtt.max_clientid_len" unit={w.bytes} required />
        </Key>
        <Key>
          <NumberField name="mqtt.max_topic_levels" unit={w.levels} required />
        </Key>
        <Key>
          <NumberField name="mqtt.max_topic_alias" unit={w.aliases} required />
        </Key>
        <Key>
          <Select name="mqtt.max_qos_allowed" options={QOS} required />
        </Key>
        <Key>
          <Duration name="mqtt.message_expiry_interval" special={NEVER} min="1ms" required />
        </Key>
      </Group>
      <Group title={w.capabilities} text={w.capabilitiesText}>
        <Key>
          <Toggle name="mqtt.retain_available" />
        </Key>
        <Key>
          <Toggle name="mqtt.wildcard_subscription" />
        </Key>
        <Key>
          <Toggle name="mqtt.shared_subscription" />
        </Key>
        <Key>
          <Select name="mqtt.shared_subscription_strategy" labels={STRATEGIES} required />
        </Key>
        <Key>
          <Select name="mqtt.shared_subscription_initial_sticky_pick" labels={STRATEGIES} required />
        </Key>
        <Key>
          <Toggle name="mqtt.exclusive_subscription" />
        </Key>
        <Key>
          <Text name="mqtt.response_information" mono />
        </Key>
      </Group>
      <Group title={w.behaviour} text={w.behaviourText}>
        <Key>
          <Toggle name="mqtt.ignore_loop_deliver" />
        </Key>
        <Key>
          <Toggle name="mqtt.strict_mode" />
        </Key>
      </Group>
      <Group title={w.identity} text={w.identityText}>
        <Key>
          <Toggle name="mqtt.use_username_as_clientid" />
        </Key>
        <Key>
          <Select name="mqtt.peer_cert_as_username" labels={CERTIFICATE} required />
        </Key>
        <Key>
          <Select name="mqtt.peer_cert_as_clientid" labels={CERTIFICATE} required />
        </Key>
        <Key>
          <ClientidOverride name="mqtt.clientid_override" />
        </Key>
        <Key>
          <ClientAttributes name="mqtt.client_attrs_init" />
        </Key>
      </Group>
    </ZonedPage>
  );
}
