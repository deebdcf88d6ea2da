import { api } from '@mqdeck/contract/api';
import type { Client } from '@mqdeck/contract/clients';
import { isValidFilter, parseShared } from '@mqdeck/mqtt/topics';
import { useWatch } from 'react-hook-form';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Text, Toggle } from '../../form/fields.tsx';
import { Select } from '../../form/Select.tsx';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { clientLists } from './address.ts';
import { words } from './words.ts';

const QOS = [0, 1, 2];
const RETAIN_HANDLING = [
  { value: 0, label: words.rh0 },
  { value: 1, label: words.rh1 },
  { value: 2, label: words.rh2 },
];
const INITIAL = { topic: '', qos: 0, nl: false, rap: false, rh: 0 };

/** Subscribes on behalf of the client; the three options of version 5 are offered to those who speak it. */
export function AddSubscription({
  client: { clientid, proto_ver },
  opened,
  onClose,
}: {
  client: Client;
  opened: boolean;
  onClose: () => void;
}) {
  const w = useWords(words);
  const version5 = Number(proto_ver) === 5;
  return (
    <FormDrawer
      title={w.subscribe}
      opened={opened}
      onClose={onClose}
      endpoint={api.clients.subscribe}
      params={{ clientid }}
      initial={INITIAL}
      words={words}
      submitLabel={w.subscribe}
      refresh={clientLists}
      toBody={({ nl, rap, ...rest }) => ({ ...rest, nl: Number(nl === true), rap: Number(rap === true) })}
      onDone={({ topic }) => toast('good', w.subscribed({ topic: visibleText(topic) }))}
    >
      <Text
        name="topic"
        mono
        required
        placeholder="t/#"
        check={(topic) => (isValidFilter(String(topic)) ? null : w.notAFilter)}
      />
      <Select name="qos" options={QOS} required />
      {version5 && (
        <>
          <NoLocal />
          <Toggle name="rap" />
          <Select name="rh" options={RETAIN_HANDLING} required />
        </>
      )}
    </FormDrawer>
  );
}

/** [MQTT-3.8.3-4] The broker would end the connection of a client that asked for this. */
function NoLocal() {
  const w = useWords(words);
  const topic = useWatch({ name: 'topic' });
  const shared = parseShared(String(topic ?? '')) !== null;
  return <Toggle name="nl" check={(on) => (on === true && shared ? w.sharedNoLocal : null)} />;
}
