import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { LWM2M_TYPES, type Lwm2mResource, type Lwm2mType } from '@mqdeck/contract/gateway-devices';
import { type FormEvent, useId, useState } from 'react';
import * as z from 'zod/mini';
import { sentenceInPlace } from '../../../api/report.ts';
import { request } from '../../../api/request.ts';
import { useAction } from '../../../api/use-action.ts';
import { useEndpoint } from '../../../api/use-endpoint.ts';
import { FormDrawer } from '../../../form/FormDrawer.tsx';
import { Text } from '../../../form/fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { useWords } from '../../../i18n/words.ts';
import { ErrorState } from '../../../ui/ErrorState.tsx';
import { FigureTable } from '../../../ui/FigureTable.tsx';
import { NOTHING } from '../../../ui/format.ts';
import { Panel } from '../../../ui/Page.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import styles from '../gateways.module.css';
import { deviceWords } from './device-words.ts';

type Verb = 'read' | 'observe' | 'write';
const POLL_MS = 1500;
/** `/3/0/7`: object, instance, resource, instance of a resource. */
const PATH = /^\/?\d{1,5}(\/\d{1,5}){0,3}\/?$/;

/** Objects that most devices have (OMA LwM2M, appendix E). */
const COMMON = [
  ['/1', 'server'],
  ['/3', 'deviceObject'],
  ['/4', 'connectivity'],
  ['/5', 'firmware'],
  ['/6', 'location'],
] as const;

/** Reads, writes and observes what a device of LwM2M has; what it answers is looked up. */
export function DeviceObjects({
  clientid,
  objects = '',
}: {
  clientid: string;
  /** What the device has registered, `/1/0 /3/0`; not every broker tells. */
  objects?: string | undefined;
}) {
  const w = useWords(deviceWords);
  const id = useId();
  const [path, setPath] = useState('/3');
  const [wrong, setWrong] = useState(false);
  const [asked, setAsked] = useState<{ path: string; action: Verb }>();
  const [writing, setWriting] = useState<Lwm2mResource>();
  const lookup = api.gatewayDevices.lookupLwm2m;
  const { data, error, refetch } = useEndpoint(
    lookup,
    { params: { clientid }, query: asked ?? { path: '/3', action: 'read' } },
    { quiet: true, keepPrevious: false, enabled: asked !== undefined, poll: POLL_MS },
  );
  const read = useAction(api.gatewayDevices.readLwm2m, { refresh: [lookup] });
  const observe = useAction(api.gatewayDevices.observeLwm2m, { refresh: [lookup] });

  const ask = async (action: 'read' | 'observe' | 'cancel', at = path.trim()) => {
    const right = PATH.test(at);
    setWrong(!right);
    if (!right) return;
    const given = { clientid };
    const { done } =
      action === 'read'
        ? await read({ params: given, query: { path: at } })
        : await observe({ params: given, query: { path: at, enable: action === 'observe' } });
    if (done) setAsked({ path: at, action: action === 'cancel' ? 'observe' : action });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void ask('read');
  };
  return (
    <Panel title={w.objects}>
      <form className={styles.objects} onSubmit={submit} noValidate>
        <p className={styles.askingText}>{w.objectsText}</p>
        <Registered
          objects={objects.split(' ').filter((one) => PATH.test(one))}
          onRead={(one) => {
            setPath(one);
            void ask('read', one);
          }}
        />
        <label htmlFor={id}>{w.path}</label>
        <span className={styles.pathLine}>
          <input
            id={id}
            className={styles.path}
            value={path}
            list={`${id}-known`}
            aria-invalid={wrong || undefined}
            aria-describedby={wrong ? `${id}-fault` : undefined}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setPath(event.currentTarget.value)}
          />
          <datalist id={`${id}-known`}>
            {COMMON.map(([known, name]) => (
              <option key={known} value={known} label={w[name]} />
            ))}
          </datalist>
          <Button type="submit" variant="filled" loading={read.pending}>
            {w.read}
          </Button>
          <Button onClick={() => void ask('observe')}>{w.observe}</Button>
          <Button onClick={() => void ask('cancel')}>{w.cancel}</Button>
          <Button onClick={() => setWriting({ path: path.trim() })} disabled={!PATH.test(path.trim())}>
            {w.write}
          </Button>
        </span>
        {wrong && (
          <p id={`${id}-fault`} className={styles.fault} role="alert">
            {w.pathFault}
          </p>
        )}
      </form>
      <section aria-live="polite" aria-label={w.answer} className={styles.objects}>
        {asked && error && !data && (
          <ErrorState title={w.lookupFailed} text={sentenceInPlace(error)} retry={refetch} />
        )}
        {asked && data && (
          <>
            <p className={styles.askingText}>
              {data.code === undefined
                ? w.waits
                : w.outcome({
                    action: w[asked.action],
                    path: asked.path,
                    code: visibleText(`${data.code} ${data.codeMsg}`),
                  })}
            </p>
            {data.content && data.content.length > 0 && <Resources of={data.content} onWrite={setWriting} />}
          </>
        )}
      </section>
      {writing && (
        <Write
          key={writing.path}
          clientid={clientid}
          resource={writing}
          onClose={() => setWriting(undefined)}
          onDone={(written) => setAsked({ path: written, action: 'write' })}
        />
      )}
    </Panel>
  );
}

/** What the device says that it has: one click reads it. */
function Registered({ objects, onRead }: { objects: readonly string[]; onRead: (path: string) => void }) {
  const w = useWords(deviceWords);
  if (objects.length === 0) return null;
  const nameOf = (path: string) => {
    const known = COMMON.find(([object]) => object === `/${path.split('/')[1]}`);
    return known && w[known[1]];
  };
  return (
    <ul className={styles.registered} aria-label={w.registered}>
      {objects.map((path) => (
        <li key={path}>
          <button type="button" className={styles.plain} onClick={() => onRead(path)}>
            {[path, nameOf(path)].filter(Boolean).join(' · ')}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What an answer holds, with what is known of each resource. */
function Resources({
  of,
  onWrite,
}: {
  of: readonly Lwm2mResource[];
  onWrite: (resource: Lwm2mResource) => void;
}) {
  const w = useWords(deviceWords);
  return (
    <FigureTable
      label={w.objects}
      headLabel={w.path}
      columns={[
        { label: w.name, kind: 'words' },
        { label: w.type },
        { label: w.operations },
        { label: w.value, kind: 'words' },
        { label: w.deeds },
      ]}
      rows={of.map((resource) => ({
        key: resource.path,
        head: visibleText(resource.path),
        cells: [
          resource.name === undefined ? NOTHING : visibleText(resource.name),
          resource.dataType === undefined ? NOTHING : visibleText(resource.dataType),
          resource.operations === undefined ? NOTHING : visibleText(resource.operations),
          valueText(resource.value),
          resource.operations?.includes('W') ? (
            <button
              key="write"
              type="button"
              className={styles.plain}
              aria-label={w.writeOf({ path: resource.path })}
              onClick={() => onWrite(resource)}
            >
              {w.write}
            </button>
          ) : (
            NOTHING
          ),
        ],
      }))}
    />
  );
}

const valueText = (value: unknown): string =>
  value === undefined || value === null
    ? NOTHING
    : visibleText(typeof value === 'object' ? JSON.stringify(value) : String(value));

const writeBody = z.object({ path: z.string(), type: z.enum(LWM2M_TYPES), value: z.string() });
/** What is written stands in the query, and a form fills a body. */
const writeForm = { ...api.gatewayDevices.writeLwm2m, body: writeBody };

function Write({
  clientid,
  resource,
  onClose,
  onDone,
}: {
  clientid: string;
  resource: Lwm2mResource;
  onClose: () => void;
  onDone: (path: string) => void;
}) {
  const w = useWords(deviceWords);
  const { path, dataType } = resource;
  const known: Lwm2mType = LWM2M_TYPES.find((type) => type === dataType) ?? 'String';
  const current = typeof resource.value === 'object' ? '' : String(resource.value ?? '');
  return (
    <FormDrawer
      title={w.writeTitle({ path })}
      opened
      onClose={onClose}
      endpoint={writeForm}
      params={{ clientid }}
      initial={{ type: known, value: current }}
      words={deviceWords}
      submitLabel={w.write}
      toBody={(values) => ({ ...values, path })}
      keep={(query) =>
        request(
          api.gatewayDevices.writeLwm2m,
          { params: { clientid }, query: query as z.output<typeof writeBody> },
          { quiet: true },
        ) as never
      }
      refresh={[api.gatewayDevices.lookupLwm2m]}
      onDone={() => onDone(path)}
    >
      <Select name="type" options={LWM2M_TYPES} required />
      <Text name="value" mono required />
    </FormDrawer>
  );
}
