import { api } from '@mqdeck/contract/api';
import { FlappingDetect } from '@mqdeck/contract/zones';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { ContractForm } from '../../form/ContractForm.tsx';
import { NumberField, Toggle } from '../../form/fields.tsx';
import { Duration } from '../../form/measure-fields.tsx';
import { useWords } from '../../i18n/words.ts';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import styles from './banned.module.css';
import { flappingWords as words } from './flapping-words.ts';

export function FlappingTab() {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.zones.getGlobal, {}, { quiet: true });
  if (!data) {
    if (error?.absent) return <NotAvailable />;
    if (error) return <ErrorState text={sentenceInPlace(error)} retry={() => void refetch()} />;
    return <SkeletonRows rows={4} />;
  }
  if (!data.flapping_detect) return <NotAvailable title={w.missing} />;
  return <Settings detect={data.flapping_detect} />;
}

/** A part of the global zone: the whole of it is read again right before it is written with the part changed. */
async function zoneWith(detect: unknown): Promise<object> {
  const zone = await request(api.zones.getGlobal, {}, { quiet: true });
  return { ...zone, flapping_detect: detect };
}

function Settings({ detect }: { detect: object }) {
  const w = useWords(words);
  return (
    <div className={styles.panel}>
      <p className={styles.about}>{w.about}</p>
      <ContractForm
        key={JSON.stringify(detect)}
        endpoint={api.zones.updateGlobal}
        list={{ item: FlappingDetect, with: zoneWith }}
        initial={{ ...detect }}
        words={words}
        refresh={[api.zones.getGlobal]}
        onDone={() => toast('good', w.saved)}
      >
        <Toggle name="enable" />
        <NumberField
          name="max_count"
          required
          unit={w.times}
          check={(value) => (Number(value) < 1 ? w.atLeastOne : null)}
        />
        <Duration name="window_time" required min="1s" />
        <Duration name="ban_time" required min="1s" />
      </ContractForm>
    </div>
  );
}
