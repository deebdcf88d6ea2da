import { ActionIcon } from '@mantine/core';
import { setLanguage } from '../i18n/language.ts';
import { defineWords, useLanguage, useWords } from '../i18n/words.ts';
import { setPreference, usePreferences, useShownTheme } from '../preferences.ts';
import { IconMoon, IconSun } from '../ui/icons.tsx';
import styles from './LookSwitches.module.css';

const words = defineWords({
  other: { en: '切换为中文', zh: 'Switch to English' },
  otherShort: { en: '中', zh: 'EN' },
  toLight: { en: 'Switch to the light theme', zh: '切换为浅色主题' },
  toDark: { en: 'Switch to the dark theme', zh: '切换为深色主题' },
  synced: {
    en: 'The theme follows the system; the settings change that',
    zh: '主题跟随系统，可在设置中更改',
  },
});

/** Language and theme, one click each, without reload; in the header and on the login. */
export function LookSwitches() {
  const w = useWords(words);
  const language = useLanguage();
  const theme = useShownTheme();
  const { syncOsTheme } = usePreferences();
  const otherTheme = theme === 'dark' ? 'light' : 'dark';
  const label = syncOsTheme ? w.synced : theme === 'dark' ? w.toLight : w.toDark;
  return (
    <>
      <ActionIcon
        title={w.other}
        lang={language === 'en' ? 'zh' : 'en'}
        onClick={() => setLanguage(language === 'en' ? 'zh' : 'en')}
      >
        <span className={styles.language}>{w.otherShort}</span>
        {/* Not a label: whoever speaks what he sees must reach the button too. */}
        <span className="visually-hidden"> {w.other}</span>
      </ActionIcon>
      <ActionIcon
        aria-label={label}
        title={label}
        aria-disabled={syncOsTheme}
        className={syncOsTheme ? styles.off : ''}
        onClick={() => {
          if (!syncOsTheme) setPreference('theme', otherTheme);
        }}
      >
        {theme === 'dark' ? <IconSun size={17} /> : <IconMoon size={17} />}
      </ActionIcon>
    </>
  );
}
