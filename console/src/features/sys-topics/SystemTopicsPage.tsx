import { api } from '@mqdeck/contract/api';
import { Toggle } from '../../form/fields.tsx';
import { Group } from '../../form/Group.tsx';
import { Duration } from '../../form/measure-fields.tsx';
import { SettingsForm, WhereKnown } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Page } from '../../ui/Page.tsx';
import { words } from './words.ts';

const OFF = { value: 'disabled', label: words.off };
/** Not every broker has them. */
const OF_MESSAGES = ['message_delivered', 'message_acked', 'message_dropped'] as const;

export function SystemTopicsPage() {
  const w = useWords(words);
  return (
    <Page title={w.title} purpose={w.purpose}>
      <SettingsForm load={api.sysTopics.get} save={api.sysTopics.update} words={words} partial>
        <Group title={w.intervals} text={w.intervalsText}>
          <Duration name="sys_msg_interval" special={OFF} required />
          <Duration name="sys_heartbeat_interval" special={OFF} required />
        </Group>
        <Group title={w.events} text={w.eventsText}>
          <Toggle name="sys_event_messages.client_connected" />
          <Toggle name="sys_event_messages.client_disconnected" />
          <Toggle name="sys_event_messages.client_subscribed" />
          <Toggle name="sys_event_messages.client_unsubscribed" />
          {OF_MESSAGES.map((name) => (
            <WhereKnown key={name} name={`sys_event_messages.${name}`}>
              <Toggle name={`sys_event_messages.${name}`} />
            </WhereKnown>
          ))}
        </Group>
      </SettingsForm>
    </Page>
  );
}
