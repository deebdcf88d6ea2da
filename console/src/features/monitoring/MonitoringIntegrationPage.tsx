import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { useWatch } from 'react-hook-form';
import { Text, Toggle } from '../../form/fields.tsx';
import { Group } from '../../form/Group.tsx';
import { Headers } from '../../form/Headers.tsx';
import { Duration } from '../../form/measure-fields.tsx';
import { Select } from '../../form/Select.tsx';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { CopyButton } from '../../ui/Copyable.tsx';
import { Page } from '../../ui/Page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { useUrlTab } from '../../url-state.ts';
import { grafanaDashboard, scrapeConfig } from './files.ts';
import { integrationWords as words } from './integration-words.ts';
import styles from './monitoring.module.css';

const TABS = ['prometheus', 'statsd'] as const;
const METHODS = { put: { en: 'PUT', zh: 'PUT' }, post: { en: 'POST', zh: 'POST' } };

export function MonitoringIntegrationPage() {
  const w = useWords(words);
  const [tab, setTab] = useUrlTab(TABS);
  return (
    <Page title={w.title} purpose={w.purpose}>
      <Tabs
        tabs={TABS.map((value) => ({ value, label: w[value] }))}
        value={tab}
        onChange={setTab}
        label={w.title}
      >
        {tab === 'prometheus' ? <Prometheus /> : <Statsd />}
      </Tabs>
    </Page>
  );
}

function Prometheus() {
  const w = useWords(words);
  return (
    <SettingsForm load={api.prometheus.get} save={api.prometheus.update} words={words}>
      <Group title={w.pull} text={w.pullText}>
        <Toggle name="enable_basic_auth" />
        <Scrape />
      </Group>
      <Group title={w.push} text={w.pushText}>
        <Toggle name="push_gateway.enable" />
        <Text name="push_gateway.url" mono required />
        <Duration name="push_gateway.interval" units={['s', 'm', 'h']} required />
        <Select name="push_gateway.method" labels={METHODS} required />
        <Text name="push_gateway.job_name" mono required />
        <Headers name="push_gateway.headers" keyLabel={w.header} valueLabel={w.value} />
      </Group>
    </SettingsForm>
  );
}

/** What to put into Prometheus and Grafana, ready to be used. */
function Scrape() {
  const w = useWords(words);
  const auth = useWatch({ name: 'enable_basic_auth' }) === true;
  const config = scrapeConfig(window.location, auth);
  return (
    <div className={styles.scrape}>
      <div className={styles.scrapeHead}>
        <span>{w.scrape}</span>
        <CopyButton text={config} label={w.copyScrape} />
      </div>
      <pre className={styles.config}>{config}</pre>
      <div className={styles.buttons}>
        <Button variant="default" onClick={() => saveFile('prometheus.yaml', [config], 'application/yaml')}>
          {w.downloadScrape}
        </Button>
        <Button
          variant="default"
          onClick={() =>
            saveFile('mqdeck-grafana.json', [JSON.stringify(grafanaDashboard(), null, 2)], 'application/json')
          }
        >
          {w.downloadDashboard}
        </Button>
      </div>
    </div>
  );
}

function Statsd() {
  const w = useWords(words);
  return (
    <SettingsForm load={api.prometheus.getStatsd} save={api.prometheus.updateStatsd} words={words}>
      <Group title={w.statsd} text={w.statsdText}>
        <Toggle name="enable" />
        <Text name="server" mono required placeholder="127.0.0.1:8125" />
        <Duration name="sample_time_interval" units={['s', 'm']} required />
        <Duration name="flush_time_interval" units={['s', 'm']} required />
      </Group>
    </SettingsForm>
  );
}
