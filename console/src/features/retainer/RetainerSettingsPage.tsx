import { api } from '@mqdeck/contract/api';
import { Toggle } from '../../form/fields.tsx';
import { Advanced, Group } from '../../form/Group.tsx';
import { Bytes, Count, Duration, Rate } from '../../form/measure-fields.tsx';
import { Select } from '../../form/Select.tsx';
import { SettingsForm, WhereKnown } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { Page } from '../../ui/Page.tsx';
import { settingsWords as words } from './settings-words.ts';

const STORAGE = { ram: words.ram, disc: words.disc };
const TYPES = { built_in_database: words.builtIn };

export function RetainerSettingsPage() {
  const w = useWords(words);
  return (
    <Page title={w.title} purpose={w.purpose} actions={<Link to={paths.retained()}>{w.toMessages}</Link>}>
      <SettingsForm load={api.retainer.get} save={api.retainer.update} words={words} partial>
        <Toggle name="enable" />
        <Group title={w.store} text={w.storeText}>
          <Select name="backend.type" options={['built_in_database']} labels={TYPES} required />
          <Select name="backend.storage_type" labels={STORAGE} required />
          <Count name="backend.max_retained_messages" zero="unlimited" unit={w.messages} required />
          <Bytes name="max_payload_size" required />
        </Group>
        <Group title={w.expiry} text={w.expiryText}>
          <Duration name="msg_expiry_interval" zero="never" required />
          <WhereKnown name="msg_expiry_interval_override">
            <Duration name="msg_expiry_interval_override" zero="never" special={OVERRIDE_OFF} required />
          </WhereKnown>
          <WhereKnown name="allow_never_expire">
            <Toggle name="allow_never_expire" />
          </WhereKnown>
          <Duration name="msg_clear_interval" zero="never" required />
        </Group>
        <Group title={w.flow} text={w.flowText}>
          <WhereKnown name="max_publish_rate">
            <Rate name="max_publish_rate" required />
          </WhereKnown>
          <WhereKnown name="delivery_rate">
            <Rate name="delivery_rate" required />
          </WhereKnown>
          <Toggle name="stop_publish_clear_msg" />
        </Group>
        <Advanced>
          <Count name="flow_control.batch_read_number" zero="all" unit={w.messages} standard={0} />
          <Count name="flow_control.batch_deliver_number" zero="all" unit={w.messages} standard={0} />
          <Rate name="flow_control.batch_deliver_limiter" standard="infinity" />
        </Advanced>
      </SettingsForm>
    </Page>
  );
}

const OVERRIDE_OFF = { value: 'disabled', label: words.notOverridden };
