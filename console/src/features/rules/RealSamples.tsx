import { api } from '@mqdeck/contract/api';
import type { RuleSample } from '@mqdeck/contract/rules';
import { useAvailable } from '../../api/features.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './rules.module.css';
import { testWords } from './test-words.ts';

const POLL_MS = 2000;
const SHOWN = 8;

/** What really came for the statement's sources; a click makes it the test data. */
export function RealSamples({
  sources,
  onUse,
}: {
  sources: readonly string[];
  onUse: (sample: RuleSample) => void;
}) {
  const w = useWords(testWords);
  const available = useAvailable(api.rules.samples);
  const { data } = useEndpoint(
    api.rules.samples,
    { query: { source: sources, position: 0 } as never },
    {
      quiet: true,
      progress: false,
      poll: POLL_MS,
      enabled: available && sources.length > 0,
      keepPrevious: false,
    },
  );
  if (!available || sources.length === 0) return null;
  const samples = data?.data.slice(-SHOWN).reverse() ?? [];
  return (
    <section className={styles.samples} aria-label={w.samples}>
      <h4 className={styles.samplesTitle}>{w.samples}</h4>
      <p className={styles.note}>{w.samplesText}</p>
      {samples.length === 0 && <p className={styles.note}>{w.samplesNone}</p>}
      {samples.length > 0 && (
        <ul className={styles.sampleList}>
          {samples.map((sample) => {
            const { position, at, columns } = sample;
            const what = visibleText(String(columns.topic ?? columns.clientid ?? columns.event ?? ''));
            const payload = typeof columns.payload === 'string' ? visibleText(columns.payload) : '';
            const isMessage = typeof columns.topic === 'string';
            const label = isMessage
              ? w.takeSample({ topic: what })
              : w.takeEventSample({ event: visibleText(String(columns.event ?? what)) });
            return (
              <li key={position}>
                <button
                  type="button"
                  className={styles.sample}
                  aria-label={label}
                  title={label}
                  onClick={() => onUse(sample)}
                >
                  <RelativeTime at={at} />
                  <code>{what}</code>
                  <code className={styles.samplePayload}>{payload}</code>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
