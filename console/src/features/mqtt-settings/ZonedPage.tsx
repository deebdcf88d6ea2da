import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useFormState, useWatch } from 'react-hook-form';
import type { ApiError } from '../../api/api-error.ts';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useUnsavedGuard } from '../../form/form-host.tsx';
import type { FormWords } from '../../form/use-contract-form.ts';
import { same } from '../../form/values.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { confirm } from '../../ui/confirm.ts';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import styles from './mqtt-settings.module.css';
import { NewZone } from './NewZone.tsx';
import { GlobalForm, ZoneForm } from './ZoneForm.tsx';
import { zoneWords } from './zone-words.ts';
import { GLOBAL, usageOf } from './zones.ts';

interface ZonedPageProps {
  title: string;
  purpose: string;
  /** Of the fields. */
  words: FormWords;
  actions?: ReactNode;
  /** The fields, each within a `Key`. */
  children: ReactNode;
}

/** Settings that are global, and those of each zone, where the broker has zones: one tab each. */
export function ZonedPage({ title, purpose, words, actions, children }: ZonedPageProps) {
  const w = useWords(zoneWords);
  const global = useEndpoint(api.zones.getGlobal, {}, { quiet: true });
  const zones = useEndpoint(api.zones.list, {}, { quiet: true });
  const { values, set } = useUrlState();
  const asked = typeof values.zone === 'string' ? values.zone : GLOBAL;
  const unsaved = useRef(false);
  const mayLeave = useUnsavedGuard(false);
  const [copied, setCopied] = useState<string>();

  const open = async (zone: string) => {
    if (unsaved.current && !(await mayLeave())) return;
    set({ zone: zone === GLOBAL ? undefined : zone }, 'replace');
  };
  const create = async (from: string) => {
    if (unsaved.current && !(await mayLeave())) return;
    setCopied(from);
  };

  const names = Object.keys(zones.data ?? {}).sort();
  const hasZones = zones.data !== undefined;
  const own = Object.hasOwn(zones.data ?? {}, asked) ? zones.data![asked] : undefined;
  const shown = own ? asked : GLOBAL;
  const fields = (
    <>
      {children}
      <Unsaved unsaved={unsaved} />
    </>
  );
  const form = !global.data ? (
    <GlobalUnknown error={global.error} retry={global.refetch} />
  ) : own ? (
    <ZoneForm key={shown} zone={shown} own={own} global={global.data} words={words}>
      {fields}
    </ZoneForm>
  ) : (
    <GlobalForm key={GLOBAL} global={global.data} words={words}>
      {fields}
    </GlobalForm>
  );
  return (
    <Page
      title={title}
      purpose={purpose}
      actions={
        <>
          {actions}
          {hasZones && <Button onClick={() => void create(GLOBAL)}>{w.newZone}</Button>}
        </>
      }
    >
      {zones.isPending ? (
        <SkeletonRows rows={6} />
      ) : (
        <>
          {zones.error && !zones.error.absent && (
            <p className={styles.notice} role="alert">
              {w.listFailed({ reason: sentenceInPlace(zones.error) })}{' '}
              <button type="button" className={styles.reset} onClick={() => void zones.refetch()}>
                {w.retry}
              </button>
            </p>
          )}
          {hasZones && asked !== shown && (
            <p className={styles.notice} role="status">
              {w.gone({ name: visibleText(asked) })}
            </p>
          )}
          {hasZones ? (
            <Tabs
              tabs={[
                { value: GLOBAL, label: w.global },
                ...names.map((name) => ({ value: name, label: <bdi>{visibleText(name)}</bdi> })),
              ]}
              value={shown}
              onChange={(zone) => void open(zone)}
              label={w.zones}
            >
              <ZoneHead
                zone={shown}
                onCopy={() => void create(shown)}
                onRemoved={() => set({ zone: undefined }, 'replace')}
              />
              {form}
            </Tabs>
          ) : (
            form
          )}
        </>
      )}
      {copied !== undefined && (
        <NewZone
          names={names}
          from={copied}
          onClose={() => setCopied(undefined)}
          onCreated={(name) => {
            setCopied(undefined);
            set({ zone: name }, 'replace');
          }}
        />
      )}
    </Page>
  );
}

function GlobalUnknown({ error, retry }: { error: ApiError | null; retry: () => unknown }) {
  if (error?.absent) return <NotAvailable />;
  return error ? <ErrorState text={sentenceInPlace(error)} retry={retry} /> : <SkeletonRows rows={6} />;
}

/** For whom the settings of the tab hold, and what can be done with the zone. */
function ZoneHead({ zone, onCopy, onRemoved }: { zone: string; onCopy: () => void; onRemoved: () => void }) {
  const w = useWords(zoneWords);
  const name = visibleText(zone);
  const update = useAction(api.zones.update, { refresh: [api.zones.list], success: w.removed({ name }) });
  const remove = async () => {
    const usage = await usageOf(zone);
    const text =
      usage === null
        ? w.removeUnknown
        : usage.ids.length === 0
          ? w.removeUnused
          : w.removeUsed({
              listeners: usage.ids.length,
              ids: usage.ids.join(', '),
              connections: usage.connections,
            });
    if (!(await confirm({ title: w.removeAsk({ name }), text, action: w.remove, danger: true }))) return;
    const { done } = await update({ body: { [zone]: null } });
    if (done) onRemoved();
  };
  if (zone === GLOBAL) return <p className={styles.about}>{w.globalText}</p>;
  return (
    <div className={styles.head}>
      <p className={styles.about}>
        {w.zoneText} <Link to={paths.listeners()}>{w.toListeners}</Link>
      </p>
      <span className={styles.actions}>
        <Button onClick={onCopy}>{w.duplicate}</Button>
        <Button color="red" variant="light" disabled={update.pending} onClick={() => void remove()}>
          {w.remove}
        </Button>
      </span>
    </div>
  );
}

/** Tells whether something typed would be lost; apart, so that typing draws only this. */
function Unsaved({ unsaved }: { unsaved: RefObject<boolean> }) {
  const { defaultValues } = useFormState();
  const now = !same(useWatch(), defaultValues);
  useEffect(() => {
    unsaved.current = now;
    return () => {
      unsaved.current = false;
    };
  }, [unsaved, now]);
  return null;
}
