import { alarms } from '@mqdeck/contract/alarms';
import { useMemo } from 'react';
import { useAvailable } from '../../api/features.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import type { TimeMark } from '../../charts/series.ts';
import { visibleText } from '../../ui/visible-text.ts';

const POLL_MS = 15_000;
const active = { query: { activated: true } } as const;
const over = { query: { activated: false, limit: 100 } } as const;
const inPlace = { progress: false, quiet: true } as const;

/** When something was wrong, to be seen beside the figures; of one node, or of all. */
export function useAlarmMarks(node: string | undefined, paused: boolean): readonly TimeMark[] {
  const enabled = useAvailable(alarms.list);
  const poll = paused ? undefined : POLL_MS;
  const now = useEndpoint(alarms.list, active, { ...inPlace, poll, enabled });
  const before = useEndpoint(alarms.list, over, { ...inPlace, poll, enabled });
  return useMemo(
    () =>
      [...(now.data?.data ?? []), ...(before.data?.data ?? [])]
        .filter((alarm) => node === undefined || alarm.node === node)
        .map(({ name, node: on, activate_at, deactivate_at }) => ({
          id: `${name} ${on} ${activate_at}`,
          from: Date.parse(activate_at),
          to: deactivate_at === undefined ? null : Date.parse(deactivate_at),
          label: visibleText(name),
        })),
    [now.data, before.data, node],
  );
}
