import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { type Language, setLanguage } from '../../i18n/language.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { setPreference, type Theme, usePreferences, useShownTheme } from '../../preferences.ts';
import { StorageNotice } from '../../shell/PageNotices.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import styles from './SettingsPage.module.css';
import { Telemetry } from './Telemetry.tsx';
import { words } from './words.ts';

/** How the console looks in this browser, and what the broker tells of itself. Every change holds at once. */
export function SettingsPage() {
  const w = useWords(words);
  const language = useLanguage();
  const { syncOsTheme } = usePreferences();
  const theme = useShownTheme();
  return (
    <Page title={w.title} purpose={w.purpose}>
      <StorageNotice />
      <Panel title={w.look}>
        <div className={styles.rows}>
          <Row label={w.language} text={w.languageText}>
            {(labelId) => (
              <SegmentedControl
                aria-labelledby={labelId}
                value={language}
                onChange={(value) => setLanguage(value as Language)}
                data={[
                  { value: 'en', label: 'English' },
                  { value: 'zh', label: '中文' },
                ]}
              />
            )}
          </Row>
          <Row label={w.sync} text={w.syncText}>
            {() => (
              <EnableSwitch
                on={syncOsTheme}
                label={w.sync}
                onChange={async (on) => setPreference('syncOsTheme', on)}
              />
            )}
          </Row>
          <Row label={w.theme} text={syncOsTheme ? w.themeSynced : w.themeText}>
            {(labelId) => (
              <SegmentedControl
                aria-labelledby={labelId}
                disabled={syncOsTheme}
                value={theme}
                onChange={(value) => setPreference('theme', value as Theme)}
                data={[
                  { value: 'light', label: w.light },
                  { value: 'dark', label: w.dark },
                ]}
              />
            )}
          </Row>
        </div>
      </Panel>
      <Telemetry />
    </Page>
  );
}

function Row({
  label,
  text,
  children,
}: {
  label: string;
  text: string;
  children: (labelId: string) => ReactNode;
}) {
  const labelId = useId();
  return (
    <div className={styles.row}>
      <div>
        <div id={labelId} className={styles.label}>
          {label}
        </div>
        <div className={styles.text}>{text}</div>
      </div>
      {children(labelId)}
    </div>
  );
}
