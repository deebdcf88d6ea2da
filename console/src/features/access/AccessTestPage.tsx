import { access } from '@mqdeck/contract/access';
import { isValidFilter, isValidTopic } from '@mqdeck/mqtt/topics';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type FieldValues, useWatch } from 'react-hook-form';
import type { ApiError } from '../../api/api-error.ts';
import { sentenceInPlace } from '../../api/report.ts';
import { ContractForm } from '../../form/ContractForm.tsx';
import { Secret, Text, Toggle } from '../../form/fields.tsx';
import { Advanced } from '../../form/Group.tsx';
import { Select } from '../../form/Select.tsx';
import { useWords } from '../../i18n/words.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { IconShield } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { useUrlState } from '../../url-state.ts';
import { AccessResult } from './AccessResult.tsx';
import styles from './access.module.css';
import { testAccess } from './load.ts';
import { type Question, questionOf, searchOf } from './question.ts';
import type { AccessView } from './view.ts';
import { words } from './words.ts';

const ACTIONS = { publish: words.publish, subscribe: words.subscribe };
const QOS = [0, 1, 2];
const nothing = () => undefined;

/** What would become of a client and its request. The question stands in the address; its password nowhere. */
export function AccessTestPage() {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const question = useMemo(() => questionOf(values), [values]);
  const asked = JSON.stringify(question);
  const [sent, setSent] = useState<{ asked: string; password: string | undefined; round: number }>();
  const own = sent?.asked === asked ? sent : undefined; // another question is asked without this one's password
  const { data, error, refetch, isFetching } = useQuery<AccessView, ApiError>({
    queryKey: ['access test', asked, own?.round ?? 0],
    queryFn: ({ signal }) => testAccess(question, own?.password, signal),
    enabled: question.clientid !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });

  const ask = async (body: unknown): Promise<false> => {
    const { password, ...rest } = body as Partial<Question> & { password?: string };
    const next = questionOf(asTexts(rest));
    setSent({ asked: JSON.stringify(next), password, round: (sent?.round ?? 0) + 1 });
    set(searchOf(next), JSON.stringify(next) === asked ? 'replace' : 'push');
    return false; // the answer is shown beside the form, which stays
  };

  return (
    <Page title={w.title} purpose={w.purpose}>
      <div className={styles.columns}>
        <Panel title={w.question}>
          <QuestionForm asked={asked} question={question} own={own !== undefined} ask={ask} />
        </Panel>
        <Panel title={w.result}>
          <div aria-live="polite" aria-busy={isFetching}>
            {question.clientid === '' ? (
              <EmptyState icon={<IconShield size={28} />} title={w.empty} />
            ) : error?.code === 'CLIENTID_NOT_FOUND' ? (
              <EmptyState title={w.notConnected} text={w.notConnectedText} />
            ) : error ? (
              <ErrorState title={w.failed} text={sentenceInPlace(error)} retry={() => void refetch()} />
            ) : data ? (
              <AccessResult key={own?.round} view={data} toSee={own !== undefined} />
            ) : (
              <SkeletonRows rows={6} />
            )}
          </div>
        </Panel>
      </div>
    </Page>
  );
}

const asTexts = (question: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(question)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, String(value)]),
  );

/** Begins anew with a question that came from elsewhere: a link, the way back. */
function QuestionForm({
  asked,
  question,
  own,
  ask,
}: {
  asked: string;
  question: Question;
  own: boolean;
  ask: (body: unknown) => Promise<boolean>;
}) {
  const w = useWords(words);
  const [seen, see] = useState({ asked, round: 0 });
  if (seen.asked !== asked) see({ asked, round: own ? seen.round : seen.round + 1 });
  return (
    <ContractForm
      key={seen.round}
      endpoint={access.test}
      words={words}
      initial={{ ...question, username: question.username ?? '', topic: question.topic ?? '', password: '' }}
      submitLabel={w.test}
      toBody={bodyOf}
      ask={ask}
      onUnsaved={nothing}
    >
      <Text name="clientid" mono required />
      <Toggle name="connected" />
      <Unconnected />
      <Select name="action" labels={ACTIONS} required />
      <Topic />
      <Secret name="password" fresh autoComplete="off" />
      <Rare />
    </ContractForm>
  );
}

const useConnected = (): boolean => useWatch({ name: 'connected' }) === true;
const usePublishes = (): boolean => useWatch({ name: 'action' }) !== 'subscribe';

/** What a connected client says itself. */
function Unconnected() {
  if (useConnected()) return null;
  return (
    <>
      <Text name="username" />
      <Text name="peerhost" mono />
    </>
  );
}

function Topic() {
  const w = useWords(words);
  const publishes = usePublishes();
  const check = (topic: unknown): string | null => {
    const text = String(topic ?? '');
    if (text === '') return null;
    if (publishes) return isValidTopic(text) ? null : w.badTopic;
    return isValidFilter(text) ? null : w.badFilter;
  };
  return <Text name="topic" mono check={check} placeholder={publishes ? 'sensor/1' : 'sensor/#'} />;
}

function Rare() {
  const connected = useConnected();
  const publishes = usePublishes();
  return (
    <Advanced>
      <Select name="qos" options={QOS} required />
      {publishes && <Toggle name="retain" />}
      {!connected && <Text name="listener" mono />}
    </Advanced>
  );
}

/** What is empty is not asked, and what the client says itself not either. */
function bodyOf({ username, password, topic, peerhost, listener, retain, ...rest }: FieldValues): unknown {
  const given = (value: unknown) => value !== undefined && value !== '';
  return {
    ...rest,
    ...(rest.connected !== true && {
      ...(given(username) && { username }),
      ...(given(peerhost) && { peerhost }),
      ...(given(listener) && { listener }),
    }),
    ...(given(password) && { password }),
    ...(given(topic) && { topic }),
    retain: rest.action === 'publish' && retain === true,
  };
}
