import { api } from '@mqdeck/contract/api';
import { Toggle } from '../../form/fields.tsx';
import { Group } from '../../form/Group.tsx';
import { Duration } from '../../form/measure-fields.tsx';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { useUrlTab } from '../../url-state.ts';
import { FileHandlers } from './FileHandlers.tsx';
import { HandlerFields } from './HandlerFields.tsx';
import { LogFiles } from './LogFiles.tsx';
import { LogLines } from './LogLines.tsx';
import styles from './log.module.css';
import { words } from './words.ts';

const TABS = ['console', 'files', 'throttling', 'lines'] as const;

export function LogPage() {
  const w = useWords(words);
  const [tab, setTab] = useUrlTab(TABS);
  const labels = {
    console: w.tabConsole,
    files: w.tabFiles,
    throttling: w.tabThrottling,
    lines: w.tabLines,
  };
  return (
    <Page title={w.title} purpose={w.purpose}>
      <Tabs
        tabs={TABS.map((value) => ({ value, label: labels[value] }))}
        value={tab}
        onChange={setTab}
        label={w.title}
      >
        {tab === 'console' && <ConsoleHandler />}
        {tab === 'files' && (
          <div className={styles.parts}>
            <FileHandlers />
            <LogFiles />
          </div>
        )}
        {tab === 'throttling' && <Throttling />}
        {tab === 'lines' && <LogLines />}
      </Tabs>
    </Page>
  );
}

function ConsoleHandler() {
  const w = useWords(words);
  return (
    <SettingsForm load={api.log.get} save={api.log.update} words={words} partial>
      <Group title={w.consoleTitle} text={w.consoleText}>
        <Toggle name="console.enable" />
        <HandlerFields within="console." />
      </Group>
    </SettingsForm>
  );
}

function Throttling() {
  const w = useWords(words);
  return (
    <SettingsForm load={api.log.get} save={api.log.update} words={words} partial>
      <Group title={w.throttlingTitle} text={w.throttlingText}>
        <Duration name="throttling.time_window" units={['s', 'm', 'h']} min="1s" required />
      </Group>
    </SettingsForm>
  );
}
