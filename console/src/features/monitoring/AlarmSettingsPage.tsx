import { api } from '@mqdeck/contract/api';
import { Percent, Toggle } from '../../form/fields.tsx';
import { Group } from '../../form/Group.tsx';
import { Bytes, Count, Duration } from '../../form/measure-fields.tsx';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { useUrlTab } from '../../url-state.ts';
import { alarmWords as words } from './alarm-words.ts';

const OFF = { value: 'disabled', label: words.off };
const TABS = ['thresholds', 'handling'] as const;

export function AlarmSettingsPage() {
  const w = useWords(words);
  const [tab, setTab] = useUrlTab(TABS);
  return (
    <Page title={w.title} purpose={w.purpose} actions={<Link to={paths.currentAlarms()}>{w.toAlarms}</Link>}>
      <Tabs
        tabs={TABS.map((value) => ({ value, label: w[value] }))}
        value={tab}
        onChange={setTab}
        label={w.title}
      >
        {tab === 'thresholds' ? <Thresholds /> : <Handling />}
      </Tabs>
    </Page>
  );
}

function Thresholds() {
  const w = useWords(words);
  return (
    <SettingsForm load={api.sysmon.get} save={api.sysmon.update} words={words}>
      <Group title={w.os} text={w.osText}>
        <Duration name="os.cpu_check_interval" required />
        <Percent name="os.cpu_high_watermark" required />
        <Percent name="os.cpu_low_watermark" required />
        <Duration name="os.mem_check_interval" special={OFF} required />
        <Percent name="os.sysmem_high_watermark" required />
        <Percent name="os.procmem_high_watermark" required />
      </Group>
      <Group title={w.vm} text={w.vmText}>
        <Duration name="vm.process_check_interval" required />
        <Percent name="vm.process_high_watermark" required />
        <Percent name="vm.process_low_watermark" required />
      </Group>
      <Group title={w.trouble} text={w.troubleText}>
        <Duration name="vm.long_gc" special={OFF} required />
        <Duration name="vm.long_schedule" special={OFF} required />
        <Bytes name="vm.large_heap" special={OFF} required />
        <Toggle name="vm.busy_port" />
        <Toggle name="vm.busy_dist_port" />
      </Group>
    </SettingsForm>
  );
}

function Handling() {
  const w = useWords(words);
  return (
    <SettingsForm
      load={api.sysmon.getAlarm}
      save={api.sysmon.updateAlarm}
      words={words}
      fromAnswer={({ actions, ...rest }) => ({
        ...rest,
        log: actions.includes('log'),
        publish: actions.includes('publish'),
      })}
      toBody={({ log, publish, ...rest }) => ({
        ...rest,
        actions: [...(log ? ['log'] : []), ...(publish ? ['publish'] : [])],
      })}
    >
      <Group title={w.told} text={w.toldText}>
        <Toggle name="log" />
        <Toggle name="publish" />
      </Group>
      <Group title={w.history} text={w.historyText}>
        <Count name="size_limit" unit={w.alarms} required />
        <Duration name="validity_period" required />
      </Group>
    </SettingsForm>
  );
}
