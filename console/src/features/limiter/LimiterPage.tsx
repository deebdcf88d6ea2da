import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { type LimiterType, limiterTypes } from '@mqdeck/contract/limiter';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useUnsavedGuard } from '../../form/form-host.tsx';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { useUrlState, useUrlTab } from '../../url-state.ts';
import { RateText } from './fields.tsx';
import { LimitsNow } from './LimitsNow.tsx';
import styles from './limiter.module.css';
import { NewBucket } from './NewBucket.tsx';
import { BucketForm, NodeForm } from './TypeForm.tsx';
import { endpoints, isKept } from './types.ts';
import { words } from './words.ts';

const POLL_MS = 2000;

/** Limits by type, bucket and client; of a broker that has no buckets, the rates of the node. */
export function LimiterPage() {
  const w = useWords(words);
  const buckets = useEndpoint(api.limiter.getMessageIn, {}, { quiet: true });
  const hasBuckets = buckets.data !== undefined;
  return (
    <Page title={w.title} purpose={hasBuckets ? w.purpose : w.nodePurpose}>
      {hasBuckets ? (
        <Types />
      ) : buckets.error?.absent ? (
        <NodeRates />
      ) : buckets.error ? (
        <ErrorState text={sentenceInPlace(buckets.error)} retry={() => void buckets.refetch()} />
      ) : (
        <SkeletonRows rows={6} />
      )}
    </Page>
  );
}

/** What newer brokers have instead: three rates of the node. */
function NodeRates() {
  const known = useEndpoint(api.limiter.get, {}, { quiet: true });
  if (known.error?.absent && !known.data)
    return (
      <Panel>
        <NotAvailable />
      </Panel>
    );
  return (
    <SettingsForm
      load={api.limiter.get}
      save={api.limiter.update}
      words={words}
      partial
      fromAnswer={({ max_conn_rate, messages_rate, bytes_rate }) => ({
        max_conn_rate: max_conn_rate ?? 'infinity',
        messages_rate: messages_rate ?? 'infinity',
        bytes_rate: bytes_rate ?? 'infinity',
      })}
    >
      <RateText name="max_conn_rate" bytes={false} />
      <RateText name="messages_rate" bytes={false} />
      <RateText name="bytes_rate" bytes />
    </SettingsForm>
  );
}

function Types() {
  const w = useWords(words);
  const [type, setType] = useUrlTab(limiterTypes, 'type');
  const status = useEndpoint(api.limiter.status, {}, { quiet: true, poll: POLL_MS });
  const { set } = useUrlState();
  const unsaved = useRef(new Set<string>());
  const mayLeave = useUnsavedGuard(false);
  const leave = async () => unsaved.current.size === 0 || (await mayLeave());
  const waitingOf = (one: LimiterType) =>
    status.data?.types.find((each) => each.type === one)?.waiting || undefined;
  return (
    <Tabs
      tabs={limiterTypes.map((value) => ({ value, label: w[value], count: waitingOf(value) }))}
      value={type}
      onChange={(next) =>
        void leave().then((may) => {
          if (!may) return;
          set({ bucket: undefined }, 'replace');
          setType(next);
        })
      }
      label={w.types}
    >
      <OneType key={type} type={type} unsaved={unsaved.current} leave={leave}>
        {status.data && <LimitsNow type={type} status={status.data} />}
      </OneType>
    </Tabs>
  );
}

interface OneTypeProps {
  type: LimiterType;
  /** Names of the forms in which something typed would be lost. */
  unsaved: Set<string>;
  leave: () => Promise<boolean>;
  children: ReactNode;
}

function OneType({ type, unsaved, leave, children }: OneTypeProps) {
  const w = useWords(words);
  const { get } = endpoints[type] as (typeof endpoints)['message_in'];
  const loaded = useEndpoint(get, {}, { quiet: true });
  const { values, set } = useUrlState();
  const [creating, setCreating] = useState<{ from: string; copy: boolean }>();
  const names = Object.keys(loaded.data?.bucket ?? {}).sort(
    (a, b) => Number(isKept(b)) - Number(isKept(a)) || a.localeCompare(b),
  );
  const asked = typeof values.bucket === 'string' ? values.bucket : names[0];
  const shown = names.find((name) => name === asked) ?? names[0];
  const open = (name: string) => set({ bucket: name === names[0] ? undefined : name }, 'replace');
  const onNodeUnsaved = useCallback((is: boolean) => void unsaved[is ? 'add' : 'delete']('node'), [unsaved]);
  const onBucketUnsaved = useCallback(
    (is: boolean) => void unsaved[is ? 'add' : 'delete']('bucket'),
    [unsaved],
  );
  const create = async (from: string, copy: boolean) => {
    if (!unsaved.has('bucket') || (await leave())) setCreating({ from, copy });
  };
  return (
    <div className={styles.type}>
      <p className={styles.about}>{w[`${type}.text`]}</p>
      {children}
      <NodeForm type={type} onUnsaved={onNodeUnsaved} />
      {shown !== undefined && (
        <section className={styles.buckets}>
          <div className={styles.head}>
            <h2 className={styles.title}>{w.buckets}</h2>
            {type === 'internal' ? (
              <Button disabled title={w.onlyRetainer}>
                {w.newBucket}
              </Button>
            ) : (
              <Button onClick={() => void create(names[0]!, false)}>{w.newBucket}</Button>
            )}
          </div>
          {asked !== shown && (
            <p className={styles.notice} role="status">
              {w.gone({ name: String(asked) })}
            </p>
          )}
          <Tabs
            tabs={names.map((value) => ({ value, label: <bdi>{value}</bdi> }))}
            value={shown}
            onChange={(name) =>
              void (async () => {
                if (!unsaved.has('bucket') || (await leave())) open(name);
              })()
            }
            label={w.buckets}
          >
            <div className={styles.actions}>
              {type !== 'internal' && <Button onClick={() => void create(shown, true)}>{w.duplicate}</Button>}
              <RemoveBucket
                type={type}
                name={shown}
                last={names.length === 1}
                onRemoved={() => set({ bucket: undefined }, 'replace')}
              />
            </div>
            <BucketForm key={shown} type={type} name={shown} onUnsaved={onBucketUnsaved} />
          </Tabs>
        </section>
      )}
      {creating && (
        <NewBucket
          type={type}
          names={names}
          {...creating}
          onClose={() => setCreating(undefined)}
          onCreated={(name) => {
            setCreating(undefined);
            set({ bucket: name }, 'replace');
          }}
        />
      )}
    </div>
  );
}

function RemoveBucket({
  type,
  name,
  last,
  onRemoved,
}: {
  type: LimiterType;
  name: string;
  last: boolean;
  onRemoved: () => void;
}) {
  const w = useWords(words);
  const { get, update } = endpoints[type] as (typeof endpoints)['message_in'];
  const save = useAction(update, { refresh: [get], success: w.removed({ name }) });
  const kept = isKept(name) || last;
  const remove = async () => {
    const asked = { title: w.removeAsk({ name }), text: w.removeText, action: w.remove, danger: true };
    if (!(await confirm(asked))) return;
    const now = await request(get, {}, { quiet: true });
    const { [name]: _, ...bucket } = now.bucket;
    const { done } = await save({ body: { bucket } });
    if (done) onRemoved();
  };
  return (
    <Button
      color="red"
      variant="light"
      disabled={kept || save.pending}
      title={kept ? w.keptReason : undefined}
      onClick={() => void remove()}
    >
      {w.remove}
    </Button>
  );
}
