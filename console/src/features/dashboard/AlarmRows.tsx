import type { alarms } from '@mqdeck/contract/alarms';
import type { AnswerOf } from '@mqdeck/contract/kit/endpoint';
import type { UseQueryResult } from '@tanstack/react-query';
import { alarmText } from '../../alarm-text.ts';
import type { ApiError } from '../../api/api-error.ts';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { IconWarn } from '../../ui/icons.tsx';
import { Panel } from '../../ui/Page.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { SkeletonBlock } from '../../ui/Skeleton.tsx';
import { Mark } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { alarmCount } from './ClusterState.tsx';
import classes from './dashboard.module.css';
import { words } from './words.ts';

const SHOWN_MAX = 4;

/** What is wrong now, the newest first. */
export function AlarmRows({ answer }: { answer: UseQueryResult<AnswerOf<typeof alarms.list>, ApiError> }) {
  const w = useWords(words);
  const language = useLanguage();
  const { data, error, refetch } = answer;
  const count = data ? alarmCount(data) : 0;
  const newest = [...(data?.data ?? [])]
    .sort((a, b) => Date.parse(b.activate_at) - Date.parse(a.activate_at))
    .slice(0, SHOWN_MAX);
  return (
    <Panel title={<Link to={paths.currentAlarms()}>{w.alarms}</Link>} actions={count > 0 && count}>
      {!data ? (
        error ? (
          <QueryFailed error={error} retry={refetch} />
        ) : (
          <SkeletonBlock height={24} />
        )
      ) : count === 0 ? (
        <Mark tone="good">{w.noAlarm}</Mark>
      ) : (
        <ul className={classes.rows}>
          {newest.map((alarm) => (
            <li key={`${alarm.name} ${alarm.node}`} className={classes.alarm}>
              <IconWarn size={15} />
              <div>
                <div className={classes.alarmName}>{visibleText(alarm.name)}</div>
                <div className={classes.alarmText} title={visibleText(alarm.message)}>
                  {alarmText(alarm, language)}
                </div>
                <div className={classes.alarmText}>
                  <RelativeTime at={alarm.activate_at} />
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
      {count > newest.length && data && (
        <Link to={paths.currentAlarms()} className={classes.more}>
          {w.allAlarms}
        </Link>
      )}
    </Panel>
  );
}
