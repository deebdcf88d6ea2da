import type { alarms } from '@mqdeck/contract/alarms';
import type { AnswerOf } from '@mqdeck/contract/kit/endpoint';
import type { CurrentFigures } from '@mqdeck/contract/monitor';
import type { Node } from '@mqdeck/contract/nodes';
import { useWords } from '../../i18n/words.ts';
import { Mark } from '../../ui/State.tsx';
import { words } from './words.ts';

/** Older brokers count only what they send. */
export const alarmCount = (answer: AnswerOf<typeof alarms.list>): number =>
  answer.meta.count ?? answer.data.length;

/** "3 nodes running, 1,187 clients, 2 alarms": the state of the cluster, as far as it is known. */
export function ClusterState({
  nodes,
  now,
  alarms,
}: {
  nodes: readonly Node[] | undefined;
  now: CurrentFigures | undefined;
  alarms: AnswerOf<typeof import('@mqdeck/contract/alarms').alarms.list> | undefined;
}) {
  const w = useWords(words);
  if (!nodes) return null;
  const running = nodes.filter(({ node_status }) => node_status === 'running').length;
  const clients = now && (now.live_connections ?? now.connections);
  const alarmed = alarms && alarmCount(alarms);
  const parts = [
    running === nodes.length
      ? w.nodesRunning({ count: running })
      : w.someRunning({ running, count: nodes.length }),
    ...(clients === undefined ? [] : [w.clientsConnected({ count: clients })]),
    ...(alarmed === undefined ? [] : [alarmed === 0 ? w.noAlarms : w.alarmsActive({ count: alarmed })]),
  ];
  const tone = running < nodes.length ? 'bad' : alarmed ? 'warn' : 'good';
  return <Mark tone={tone}>{parts.join(w.comma)}</Mark>;
}
