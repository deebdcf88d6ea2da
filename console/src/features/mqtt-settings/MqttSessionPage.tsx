import { NumberField, Toggle } from '../../form/fields.tsx';
import { Group } from '../../form/Group.tsx';
import { Bytes, Count, Duration } from '../../form/measure-fields.tsx';
import { Select } from '../../form/Select.tsx';
import { WhereKnown } from '../../form/SettingsForm.tsx';
import { words as kitWords } from '../../form/words.ts';
import { useWords } from '../../i18n/words.ts';
import { Key } from './Key.tsx';
import { Priorities } from './Priorities.tsx';
import { sessionWords as words } from './session-words.ts';
import { ZonedPage } from './ZonedPage.tsx';

const UNLIMITED = { value: 'infinity', label: kitWords.unlimited };
const INFINITY = { value: 'infinity', label: kitWords.infinity };
const DEFAULT_PRIORITY = { lowest: words.lowest, highest: words.highest };

export function MqttSessionPage() {
  const w = useWords(words);
  return (
    <ZonedPage title={w.title} purpose={w.purpose} words={words}>
      <Group title={w.session}>
        <Key>
          <Duration name="mqtt.session_expiry_interval" required />
        </Key>
        <Key>
          <Count name="mqtt.max_subscriptions" special={UNLIMITED} unit={w.subscriptionsUnit} required />
        </Key>
        <Key>
          <Toggle name="mqtt.upgrade_qos" />
        </Key>
      </Group>
      <Group title={w.delivery} text={w.deliveryText}>
        <Key>
          <NumberField name="mqtt.max_inflight" unit={w.messages} required />
        </Key>
        <Key>
          <Duration name="mqtt.retry_interval" special={INFINITY} required />
        </Key>
        <Key>
          <Count name="mqtt.max_awaiting_rel" special={UNLIMITED} unit={w.messages} required />
        </Key>
        <Key>
          <Duration name="mqtt.await_rel_timeout" min="1ms" required />
        </Key>
      </Group>
      <Group title={w.queue} text={w.queueText}>
        <Key>
          <Count name="mqtt.max_mqueue_len" special={UNLIMITED} unit={w.messages} required />
        </Key>
        <Key>
          <Toggle name="mqtt.mqueue_store_qos0" />
        </Key>
        <Key>
          <Priorities name="mqtt.mqueue_priorities" />
        </Key>
        <Key>
          <Select name="mqtt.mqueue_default_priority" labels={DEFAULT_PRIORITY} required />
        </Key>
      </Group>
      <WhereKnown name="force_shutdown.enable">
        <Group title={w.protection} text={w.protectionText}>
          <Key>
            <Toggle name="force_shutdown.enable" />
          </Key>
          <Key>
            <Bytes name="force_shutdown.max_heap_size" zero="unlimited" required />
          </Key>
          <Key>
            <Count name="force_shutdown.max_mailbox_size" zero="unlimited" unit={w.messages} required />
          </Key>
        </Group>
      </WhereKnown>
    </ZonedPage>
  );
}
