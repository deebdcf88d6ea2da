import { delivery } from '@mqdeck/contract/delivery';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import { useMemo, useState } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { ContractForm } from '../../form/ContractForm.tsx';
import { Toggle } from '../../form/fields.tsx';
import { Advanced } from '../../form/Group.tsx';
import { Count } from '../../form/measure-fields.tsx';
import { Select } from '../../form/Select.tsx';
import { Suggest } from '../../form/Suggest.tsx';
import { useWords } from '../../i18n/words.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { IconDiagnose } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { useUrlState } from '../../url-state.ts';
import { Checks } from './Checks.tsx';
import styles from './delivery.module.css';
import { Probe } from './Probe.tsx';
import { isWhole, questionOf, searchOf } from './question.ts';
import { useClientids, useTopics } from './suggestions.ts';
import { words } from './words.ts';

const QOS = [0, 1, 2];
const nothing = () => undefined;

/** Why a message of one client does not reach another. The question stands in the address. */
export function DeliveryPage() {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const question = useMemo(() => questionOf(values), [values]);
  const asked = JSON.stringify(question);
  const [round, setRound] = useState(0);
  const whole = isWhole(question);
  const { data, error, refetch, isFetching } = useEndpoint(
    delivery.explain,
    { body: question },
    { quiet: true, enabled: whole, keepPrevious: false },
  );

  const ask = async (body: unknown): Promise<false> => {
    const next = body as typeof question;
    if (JSON.stringify(next) === asked) void refetch();
    else set(searchOf(next), 'push');
    setRound(round + 1);
    return false; // the answer is shown beside the form, which stays
  };

  return (
    <Page title={w.title} purpose={w.purpose}>
      <div className={styles.columns}>
        <Panel title={w.question}>
          <ContractForm
            key={asked}
            endpoint={delivery.explain}
            words={words}
            initial={question}
            submitLabel={w.ask}
            ask={ask}
            onUnsaved={nothing}
          >
            <Suggest name="publisher" useSuggested={useClientids} required />
            <Suggest
              name="topic"
              useSuggested={useTopics}
              required
              check={(topic) => (topic === '' || isValidTopic(String(topic)) ? null : w.badTopic)}
            />
            <Suggest name="subscriber" useSuggested={useClientids} required />
            <Select name="qos" options={QOS} required />
            <Advanced>
              <Toggle name="retain" />
              <Count name="payload_bytes" unit={w.bytes} />
              <Count name="expiry" unit={w.seconds} zero="never" />
            </Advanced>
          </ContractForm>
        </Panel>
        <div className={styles.answers}>
          <Panel title={w.result}>
            <div aria-live="polite" aria-busy={isFetching}>
              {!whole ? (
                <EmptyState icon={<IconDiagnose size={28} />} title={w.empty} />
              ) : error?.absent ? (
                <NotAvailable />
              ) : error ? (
                <ErrorState title={w.failed} text={sentenceInPlace(error)} retry={() => void refetch()} />
              ) : data ? (
                <Checks key={round} answer={data} question={question} />
              ) : (
                <SkeletonRows rows={8} />
              )}
            </div>
          </Panel>
          {whole && !error?.absent && <Probe key={asked} question={question} />}
        </div>
      </div>
    </Page>
  );
}
