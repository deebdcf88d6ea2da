import { useEffect, useState } from 'react';
import { useLanguage, useWords } from '../i18n/words.ts';
import { IconPause, IconPlay, IconRefresh } from '../ui/icons.tsx';
import { ageText } from './cells.tsx';
import classes from './table.module.css';
import { words } from './words.ts';

export const INTERVALS_S = [5, 10, 30, 60] as const;

/** When the rows are from, and whether they renew themselves. */
export function RefreshControl({
  updatedAt,
  fetching,
  running,
  seconds,
  onRefresh,
  onRunning,
  onSeconds,
}: {
  /** Epoch milliseconds; 0 before the first answer. */
  updatedAt: number;
  fetching: boolean;
  running: boolean;
  seconds: number;
  onRefresh: () => void;
  onRunning: (running: boolean) => void;
  onSeconds: (seconds: number) => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const now = useSecond();
  const age = Math.max(0, Math.round((now - updatedAt) / 1000));
  const said = updatedAt === 0 ? '' : age < 2 ? w.justNow : ageText(age, language);
  return (
    <div className={classes.tools}>
      <button
        type="button"
        className={classes.toolButton}
        title={w.refresh}
        data-spin={fetching || undefined}
        onClick={onRefresh}
      >
        <IconRefresh size={15} />
        <span className="visually-hidden">{w.refresh} </span>
        <span className={classes.age}>{said}</span>
      </button>
      <button
        type="button"
        className={classes.iconButton}
        aria-label={running ? w.pause : w.resume}
        title={running ? w.pause : w.resume}
        onClick={() => onRunning(!running)}
      >
        {running ? <IconPause size={14} /> : <IconPlay size={14} />}
      </button>
      <select
        className={classes.select}
        aria-label={w.interval}
        disabled={!running}
        value={seconds}
        onChange={(event) => onSeconds(Number(event.currentTarget.value))}
      >
        {INTERVALS_S.map((one) => (
          <option key={one} value={one}>
            {w.seconds({ seconds: one })}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The clock, once a second, for this control alone. */
function useSecond(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
