import { alarms } from '@mqdeck/contract/alarms';
import { useMemo } from 'react';
import { alarmText } from '../../alarm-text.ts';
import { useAvailable } from '../../api/features.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import type { TimeMark } from '../../charts/series.ts';
import { useLanguage } from '../../i18n/words.ts';

const POLL_MS = 15_000;
const active = { query: { activated: true } } as const;
const over = { query: { activated: false, limit: 100 } } as const;
const inPlace = { progress: false, quiet: true } as const;

/** When something was wrong, to be seen beside the figures; of one node, or of all. */
export function useAlarmMarks(node: string | undefined, paused: boolean): readonly TimeMark[] {
  const language = useLanguage();
  const enabled = useAvailable(alarms.list);
  const poll = paused ? undefined : POLL_MS;
  const now = useEndpoint(alarms.list, active, { ...inPlace, poll, enabled });
  const before = useEndpoint(alarms.list, over, { ...inPlace, poll, enabled });
  return useMemo(
    () =>
      [...(now.data?.data ?? []), ...(before.data?.data ?? [])]
        .filter((alarm) => node === undefined || alarm.node === node)
        .map((alarm) => ({
          id: `${alarm.name} ${alarm.node} ${alarm.activate_at}`,
          from: Date.parse(alarm.activate_at),
          to: alarm.deactivate_at === undefined ? null : Date.parse(alarm.deactivate_at),
          label: alarmText(alarm, language),
        })),
    [now.data, before.data, node, language],
  );
}
