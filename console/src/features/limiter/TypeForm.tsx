import type { AnswerOf, Endpoint } from '@mqdeck/contract/kit/endpoint';
import {
  type Bucket,
  DEFAULT_BUCKET,
  type LimiterType,
  type LimiterTypeSettings,
} from '@mqdeck/contract/limiter';
import { useEffect, useRef } from 'react';
import { type FieldValues, useFormState, useWatch } from 'react-hook-form';
import { request } from '../../api/request.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { MultiText, Toggle } from '../../form/fields.tsx';
import { Advanced, Group } from '../../form/Group.tsx';
import { Duration } from '../../form/measure-fields.tsx';
import { Select } from '../../form/Select.tsx';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { same, valueAt } from '../../form/values.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Amount, Burst, RateText } from './fields.tsx';
import styles from './limiter.module.css';
import { sentenceOf } from './sentence.ts';
import { endpoints, hasPatience } from './types.ts';
import { words } from './words.ts';

const STRATEGIES = { force: words.force, drop: words.drop, throw: words.throw };

interface FormProps {
  type: LimiterType;
  /** Hears whether something typed would be lost. */
  onUnsaved: (unsaved: boolean) => void;
}

/** The types differ in what they count alone; the endpoints of one stand for those of all. */
const endpointsOf = (type: LimiterType) => endpoints[type] as (typeof endpoints)['message_in'];

/** What holds for the node as a whole. */
export function NodeForm({ type, onUnsaved }: FormProps) {
  const { get, update } = endpointsOf(type);
  const w = useWords(words);
  const bytes = type === 'bytes_in';
  return (
    <SettingsForm
      load={get}
      save={update}
      words={words}
      fromAnswer={({ rate, burst }) => ({ rate, burst })}
      refresh={[get as Endpoint]}
    >
      <Group title={w.node}>
        <RateText name="rate" bytes={bytes} />
        <Burst name="burst" bytes={bytes} hint={w['burst.hint']} />
        <Sentence type={type} who="node" />
      </Group>
      <Unsaved onUnsaved={onUnsaved} />
    </SettingsForm>
  );
}

/** One bucket: what its clients share, and what each of them has. */
export function BucketForm({ type, name, onUnsaved }: FormProps & { name: string }) {
  const { get, update, item } = endpointsOf(type);
  const w = useWords(words);
  const bytes = type === 'bytes_in';
  /** When somebody else has removed it, the form keeps what it was, and saving says so. */
  const last = useRef<FieldValues>({});
  const bucketIn = ({ bucket }: LimiterTypeSettings): FieldValues => {
    const found = bucket[name];
    if (found) last.current = withNames(found);
    return last.current;
  };
  const loaded = useEndpoint(get, {}, { quiet: true });
  /** Whoever takes from another bucket already. */
  const taken = (whose: 'listeners' | 'zones') => (value: unknown) => {
    const others = Object.entries(loaded.data?.bucket ?? {}).filter(([other]) => other !== name);
    const theirs = new Set(others.flatMap(([, bucket]) => bucket[whose] ?? []));
    const names = (Array.isArray(value) ? value.map(String) : []).filter((one) => theirs.has(one));
    return names.length > 0 ? w.boundTwice({ names: names.join(', ') }) : null;
  };
  /** It among the others as they are now. */
  async function among(bucket: unknown): Promise<object | null> {
    const now = (await request(get, {}, { quiet: true })) as AnswerOf<typeof get>;
    if (!Object.hasOwn(now.bucket, name)) return null;
    return { bucket: { ...now.bucket, [name]: bucket } };
  }
  const each = type === 'connection' ? w.perAddress : type === 'internal' ? w.perSubscriber : w.perClient;
  return (
    <SettingsForm
      load={get}
      save={update}
      words={words}
      fromAnswer={bucketIn}
      list={{ item, with: among }}
      refresh={[get as Endpoint]}
    >
      <Group title={w.together}>
        <RateText name="rate" bytes={bytes} />
        <Amount name="capacity" bytes={bytes} standard="infinity" least={1} hint={w['capacity.hint']} />
        <Amount name="initial" bytes={bytes} standard="0" hint={w['initial.hint']} />
        <Sentence type={type} who="bucket" />
      </Group>
      <Group title={each}>
        <RateText name="per_client.rate" bytes={bytes} />
        <Amount
          name="per_client.capacity"
          bytes={bytes}
          standard="infinity"
          least={1}
          hint={w['capacity.hint']}
        />
        {type !== 'connection' && (
          <Amount name="per_client.initial" bytes={bytes} standard="0" hint={w['initial.hint']} />
        )}
        <Sentence type={type} who="client" under="per_client" />
        {hasPatience(type) && (
          <>
            <Duration name="per_client.max_retry_time" hint={w['max_retry_time.hint']} required />
            <Select name="per_client.failure_strategy" labels={STRATEGIES} hint={w.strategyHint} required />
            <Advanced>
              <Amount
                name="per_client.low_watermark"
                bytes={bytes}
                standard="0"
                hint={w['low_watermark.hint']}
              />
              <Toggle name="per_client.divisible" hint={w['divisible.hint']} />
            </Advanced>
          </>
        )}
      </Group>
      {type === 'internal' ? (
        <p className={styles.about}>{w.retainerText}</p>
      ) : name === DEFAULT_BUCKET ? (
        <p className={styles.about}>{w.defaultText}</p>
      ) : (
        <Group title={w.whose} text={w.whoseText}>
          <MultiText name="listeners" standard={[]} check={taken('listeners')} />
          <MultiText name="zones" standard={[]} check={taken('zones')} />
        </Group>
      )}
      <Unsaved onUnsaved={onUnsaved} />
    </SettingsForm>
  );
}

/** Lists that nobody has set are empty ones, so that they can be filled. */
const withNames = (bucket: Bucket): FieldValues => ({
  ...bucket,
  listeners: bucket.listeners ?? [],
  zones: bucket.zones ?? [],
});

/** What the numbers above mean. */
function Sentence({
  type,
  who,
  under,
}: {
  type: LimiterType;
  who: 'client' | 'bucket' | 'node';
  under?: string;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const values = useWatch();
  const numbers = (under === undefined ? values : valueAt(values, under)) as Parameters<typeof sentenceOf>[2];
  const sentence = numbers ? sentenceOf(type, who, numbers, w, language) : null;
  return (
    <p className={styles.sentence} data-sentence={who}>
      {sentence}
    </p>
  );
}

/** Apart, so that typing draws only this. */
function Unsaved({ onUnsaved }: { onUnsaved: (unsaved: boolean) => void }) {
  const { defaultValues } = useFormState();
  const unsaved = !same(useWatch(), defaultValues);
  useEffect(() => {
    onUnsaved(unsaved);
    return () => onUnsaved(false);
  }, [unsaved, onUnsaved]);
  return null;
}
