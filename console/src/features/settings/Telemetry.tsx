import { telemetry } from '@mqdeck/contract/telemetry';
import { useAvailable } from '../../api/features.ts';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { useAction } from '../../api/use-action.ts';
import { useConsoleInfo } from '../../api/use-console-info.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { Panel } from '../../ui/Page.tsx';
import { SkeletonBlock } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './SettingsPage.module.css';
import { words } from './words.ts';

/** What the broker tells of itself: nothing unless it is switched on. Not there where the broker has no such thing. */
export function Telemetry() {
  const w = useWords(words);
  const available = useAvailable(telemetry.status);
  const { data, error, refetch } = useEndpoint(telemetry.status, {}, { quiet: true });
  const info = useConsoleInfo();
  const isOurs = info === undefined || info?.mode === 'embedded';
  const update = useAction(telemetry.update, {
    refresh: [telemetry.status, telemetry.data],
    success: ({ enable }) => (enable ? w.telemetryOn : w.telemetryOff),
  });
  if (!available) return null;
  return (
    <Panel title={w.telemetry}>
      {data ? (
        <div className={styles.rows}>
          <div className={styles.row}>
            <div className={styles.words}>
              <div className={styles.label}>{w.telemetrySwitch}</div>
              <div className={styles.text}>{isOurs ? w.telemetryText : w.telemetryCluster}</div>
            </div>
            <EnableSwitch
              on={data.enable}
              label={w.telemetrySwitch}
              onChange={(enable) => update({ body: { enable } })}
            />
          </div>
          {data.enable && <Told />}
        </div>
      ) : error ? (
        <QueryFailed error={error} retry={refetch} />
      ) : (
        <SkeletonBlock height={48} />
      )}
    </Panel>
  );
}

function Told() {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(telemetry.data, {}, { quiet: true });
  if (error && !data) return <QueryFailed error={error} retry={refetch} />;
  if (!data) return <SkeletonBlock height={160} />;
  return (
    <details className={styles.told} open>
      <summary>{w.telemetryData}</summary>
      <pre>{JSON.stringify(data, null, 2).split('\n').map(visibleText).join('\n')}</pre>
    </details>
  );
}
