import type { LogLevel } from '@mqdeck/contract/log';
import { useLanguage } from '../../i18n/words.ts';
import { IconAlarm, IconBad, IconInfo, IconTerminal, IconWarn } from '../../ui/icons.tsx';
import styles from './log.module.css';
import { levelWords } from './words.ts';

const SIGNS = {
  all: IconTerminal,
  debug: IconTerminal,
  info: IconInfo,
  notice: IconInfo,
  warning: IconWarn,
  error: IconBad,
  critical: IconAlarm,
  alert: IconAlarm,
  emergency: IconAlarm,
};

/** A level: sign, word and colour, so that none of them has to carry it alone. */
export function LevelMark({ level }: { level: LogLevel | 'all' }) {
  const language = useLanguage();
  // A newer broker may know another one.
  const Sign = SIGNS[level] ?? IconInfo;
  return (
    <span className={styles.level} data-level={level}>
      <Sign size={14} />
      <span>{levelWords[level]?.[language] ?? level}</span>
    </span>
  );
}
