import { Button } from '@mantine/core';
import { license } from '@mqdeck/contract/license';
import { monitor } from '@mqdeck/contract/monitor';
import { useState } from 'react';
import { useAvailable } from '../../api/features.ts';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { BarMeter } from '../../charts/BarMeter.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { isEnterprise } from '../../preferences.ts';
import { formatNumber } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import { SkeletonBlock } from '../../ui/Skeleton.tsx';
import { Mark } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './license.module.css';
import { allowedBy } from './terms.ts';
import { UpdateLicense } from './UpdateLicense.tsx';
import { words } from './words.ts';

const POLL_MS = 15_000;
const inPlace = { progress: false, quiet: true } as const;

/** What the enterprise edition runs under; nothing in another edition. */
export function LicenseCard() {
  const available = useAvailable(license.get);
  return isEnterprise() && available ? <Card /> : null;
}

function Card() {
  const w = useWords(words);
  const language = useLanguage();
  const [updating, setUpdating] = useState(false);
  const { data, error, refetch } = useEndpoint(license.get, {}, { poll: POLL_MS, ...inPlace });
  const current = useEndpoint(monitor.current, {}, { poll: POLL_MS, ...inPlace });
  if (error?.absent && !data) return null;
  const used = current.data?.live_connections ?? current.data?.connections;
  const allowed = data && allowedBy(data);
  return (
    <Panel
      title={w.title}
      actions={
        data && (
          <>
            {data.expiry ? (
              <Mark tone="bad">{w.expired}</Mark>
            ) : (
              data.type === 'trial' && <span className={styles.tag}>{w.trial}</span>
            )}
            <Button size="xs" onClick={() => setUpdating(true)}>
              {w.update}
            </Button>
          </>
        )
      }
    >
      {data ? (
        <dl className={styles.facts}>
          <Row label={w.customer}>{visibleText(data.customer)}</Row>
          {data.email !== '' && <Row label={w.email}>{visibleText(data.email)}</Row>}
          <Row label={w.issuedAt}>{visibleText(data.start_at)}</Row>
          <Row label={w.expiresAt}>{visibleText(data.expiry_at)}</Row>
          {allowed !== undefined && used !== undefined && (
            <Row label={w.usage} hint={w.usageHint}>
              <BarMeter
                label={w.usage}
                used={used}
                total={allowed}
                format={(value) => formatNumber(value, language)}
              />
            </Row>
          )}
        </dl>
      ) : error ? (
        <QueryFailed error={error} retry={refetch} />
      ) : (
        <SkeletonBlock height={110} />
      )}
      {updating && <UpdateLicense onClose={() => setUpdating(false)} />}
    </Panel>
  );
}

function Row({ label, hint, children }: { label: string; hint?: string; children: React.ReactNode }) {
  return (
    <div>
      <dt title={hint}>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
