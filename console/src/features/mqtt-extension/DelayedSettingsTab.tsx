import { api } from '@mqdeck/contract/api';
import type { DelayedSettings } from '@mqdeck/contract/delayed';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { Group } from '../../form/Group.tsx';
import { Count } from '../../form/measure-fields.tsx';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import styles from './mqtt-extension.module.css';
import { words } from './words.ts';

export function DelayedSettingsTab() {
  const w = useWords(words);
  const settings = useEndpoint(api.delayed.get, {}, { quiet: true });
  return (
    <>
      <p className={styles.purpose}>{w.delayedText}</p>
      {settings.data && <Enable settings={settings.data} />}
      <SettingsForm
        load={api.delayed.get}
        save={api.delayed.update}
        words={words}
        fromAnswer={({ max_delayed_messages }) => ({ max_delayed_messages })}
      >
        <Group title={w.limits} text={w.limitsText}>
          <Count name="max_delayed_messages" zero="unlimited" unit={w.messages} required />
        </Group>
      </SettingsForm>
    </>
  );
}

/** In force at once; switching it off asks, because it deletes what waits. */
function Enable({ settings }: { settings: DelayedSettings }) {
  const w = useWords(words);
  const { data } = useEndpoint(api.delayed.messages, { query: { limit: 1 } }, { quiet: true });
  const waiting = data?.meta.count;
  const change = useAction(api.delayed.update, {
    confirm: ({ body: { enable } }) =>
      enable
        ? undefined
        : {
            title: w.delayedOffAsk,
            text: waiting === undefined ? w.delayedOffSome : w.delayedOffText({ count: waiting }),
            action: w.disable,
            danger: true,
          },
    refresh: [api.delayed.get, api.delayed.messages],
    success: ({ enable }) => (enable ? w.delayedOn : w.delayedOff),
  });
  return (
    <div className={styles.enable}>
      <EnableSwitch
        on={settings.enable}
        label={w.enableDelayed}
        onChange={(enable) => change({ body: { enable } })}
      />
      <span aria-hidden="true">{w.enableDelayed}</span>
    </div>
  );
}
