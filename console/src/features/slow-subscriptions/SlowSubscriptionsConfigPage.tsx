import { api } from '@mqdeck/contract/api';
import { SLOW_THRESHOLD_MIN_MS, SLOW_TOP_K_MAX } from '@mqdeck/contract/slow-subscriptions';
import { useEffect, useRef } from 'react';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { NumberField } from '../../form/fields.tsx';
import { Group } from '../../form/Group.tsx';
import { Count, Duration } from '../../form/measure-fields.tsx';
import { Select } from '../../form/Select.tsx';
import { SettingsForm, WhereKnown } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { Page } from '../../ui/Page.tsx';
import { useUrlState } from '../../url-state.ts';
import styles from './slow-subscriptions.module.css';
import { words } from './words.ts';

const TYPES = { whole: words.whole, internal: words.internal, response: words.response };

export function SlowSubscriptionsConfigPage() {
  const w = useWords(words);
  const settings = useEndpoint(api.slowSubscriptions.get, {}, { quiet: true });
  const change = useAction(api.slowSubscriptions.update, {
    confirm: ({ body: { enable } }) =>
      enable ? undefined : { title: w.offAsk, text: w.offAskText, action: w.disable },
    refresh: [api.slowSubscriptions.get, api.slowSubscriptions.list],
    success: ({ enable }) => (enable ? w.enabled : w.disabled),
  });
  const { data } = settings;

  // The button of the page that said it is off has brought us here
  const { values, set } = useUrlState();
  const asked = values.enable === 'true';
  const begun = useRef(false);
  useEffect(() => {
    if (!asked || !data || begun.current) return;
    begun.current = true;
    set({ enable: undefined }, 'replace');
    if (!data.enable) void change({ body: { ...data, enable: true } });
  }, [asked, data, set, change]);

  return (
    <Page
      title={w.configTitle}
      purpose={w.purpose}
      actions={<Link to={paths.slowSubscriptions()}>{w.toList}</Link>}
    >
      {data && (
        <div className={styles.enable}>
          <EnableSwitch
            on={data.enable}
            label={w.enable}
            onChange={(enable) => change({ body: { ...data, enable } })}
          />
          <span aria-hidden="true">{w.enable}</span>
        </div>
      )}
      <SettingsForm
        load={api.slowSubscriptions.get}
        save={api.slowSubscriptions.update}
        words={words}
        refresh={[api.slowSubscriptions.list]}
        toBody={(values) => ({ ...values, enable: data?.enable ?? values.enable })}
      >
        <Group title={w.what} text={w.whatText}>
          <Duration name="threshold" units={['ms', 's']} min={`${SLOW_THRESHOLD_MIN_MS}ms`} required />
          <Select name="stats_type" labels={TYPES} required />
          <Count name="top_k_num" unit={w.entries} max={SLOW_TOP_K_MAX} required />
          <Duration name="expire_interval" units={['s', 'm', 'h']} required />
        </Group>
        <WhereKnown name="notice_interval">
          <Group title={w.notices} text={w.noticesText}>
            <Duration name="notice_interval" zero="never" units={['s', 'm', 'h']} required />
            <NumberField name="notice_qos" required />
            <Count name="notice_batch_size" unit={w.entries} required />
          </Group>
        </WhereKnown>
      </SettingsForm>
    </Page>
  );
}
