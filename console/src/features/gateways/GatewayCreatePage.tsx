import { api } from '@mqdeck/contract/api';
import {
  authenticatorsOf,
  type GatewayName,
  gatewayConfigs,
  NewGatewayListener,
} from '@mqdeck/contract/gateways';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useFormState } from 'react-hook-form';
import * as z from 'zod/mini';
import type { ApiError } from '../../api/api-error.ts';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { ContractForm } from '../../form/ContractForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { idOf, paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { IconInfo } from '../../ui/icons.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { Step, StepNote, Steps } from '../../ui/Wizard.tsx';
import { useUrlState } from '../../url-state.ts';
import { formWords } from './forms/form-words.ts';
import { GatewayFields } from './forms/GatewayFields.tsx';
import { bodyFrom, initialFor, type Values } from './forms/standards.ts';
import { Unknown } from './GatewayFrame.tsx';
import styles from './gateways.module.css';
import { gatewayName, isGateway } from './kinds.ts';
import { type EditedListener, KeptListener, ListenersField } from './listeners/ListenersField.tsx';
import { listenerWords } from './listeners/listener-words.ts';
import { faultOf as listenerFault } from './listeners/use-listeners.ts';
import { firstListener, newBodyFrom } from './listeners/values.ts';
import { isLoaded } from './standing.ts';
import { CHANGED } from './use-deeds.ts';
import { words } from './words.ts';

/** A gateway is set up once: its configuration, where it listens, and a word about who may connect. */
export function GatewayCreatePage() {
  const { name: segment = '' } = useParams({ strict: false }) as { name?: string };
  const name = idOf(segment);
  return isGateway(name) ? <Create key={name} name={name} /> : <Unknown name={name} />;
}

function Create({ name }: { name: GatewayName }) {
  const w = useWords(words);
  const title = gatewayName(name, w);
  const { data, error, refetch } = useEndpoint(api.gateways.get, { params: { name } }, { quiet: true });
  // What is answered later is nobody's concern here: it is this page that changes it.
  const [first, setFirst] = useState(data);
  if (data && !first) setFirst(data);
  const { values, set } = useUrlState();
  const step = values.step === '3' ? 3 : values.step === '2' ? 2 : 1;
  const go = (to: number) => set({ step: to === 1 ? undefined : String(to) }, 'push');
  return (
    <Page
      title={w.createTitle({ name: title })}
      purpose={w[`${name}Text`]}
      actions={<Link to={paths.gateways()}>{w.back}</Link>}
    >
      {first && isLoaded(first) ? (
        <Panel>
          <EmptyState
            icon={<IconInfo size={28} />}
            title={w.isLoaded({ name: title })}
            text={w.isLoadedText}
            action={<Link to={paths.gateway(name)}>{w.settingsOf({ name: title })}</Link>}
          />
        </Panel>
      ) : (
        <>
          <Steps label={w.steps} steps={[w.basic, w.listeners, w.authentication]} current={step} />
          <Panel>
            {first ? (
              <div className={styles.wizard} data-step={step}>
                <Wizard name={name} step={step} onStep={go} />
              </div>
            ) : error?.absent ? (
              <NotAvailable />
            ) : error ? (
              <ErrorState title={w.loadFailed} text={sentenceInPlace(error)} retry={refetch} />
            ) : (
              <SkeletonRows rows={6} />
            )}
          </Panel>
        </>
      )}
    </Page>
  );
}

const LAST_STEP = 3;
const allWords = { ...formWords, listeners: listenerWords.title };

/** One form over three steps: what was typed stays wherever somebody goes, and is sent once. */
function Wizard({ name, step, onStep }: { name: GatewayName; step: number; onStep: (step: number) => void }) {
  const w = useWords(words);
  const lw = useWords(listenerWords);
  const [endpoint] = useState(() => {
    const config = gatewayConfigs[name] as z.ZodMiniObject;
    const beside = { name: z.literal(name), listeners: z.array(NewGatewayListener) };
    return { ...api.gateways.update, body: z.extend(config, beside) };
  });
  const [initial] = useState(() => ({ ...initialFor(name), listeners: [firstListener(name)] }));
  const [edited, setEdited] = useState<EditedListener>();
  const [created, setCreated] = useState(false);
  // Only when the form is gone, so that it does not ask whether to leave.
  useEffect(() => {
    if (created) navigate(paths.gateway(name, 'listeners'));
  }, [created, name]);

  const toBody = ({ listeners, ...values }: Values) => ({
    ...bodyFrom(name, values),
    name,
    listeners: (Array.isArray(listeners) ? (listeners as Values[]) : []).map(newBodyFrom),
  });
  /** A step ends when everything in it is right; only the last one sends. */
  const ask = async () => {
    if (step === LAST_STEP) return true;
    onStep(step + 1);
    return false;
  };
  const faultOf = (error: ApiError) => {
    const { message } = error;
    const id = message.match(/\b\w+:\w+:[\w-]+/)?.[0];
    const fault = listenerFault(error, lw);
    if (fault) return { field: 'listeners', text: id === undefined ? fault.text : `${id}: ${fault.text}` };
    return /listener/i.test(message)
      ? { field: 'listeners', text: lw.refusedOne({ reason: visibleText(message) }) }
      : undefined;
  };
  if (created) return null;
  return (
    <>
      <ContractForm
        endpoint={endpoint}
        params={{ name }}
        initial={initial}
        fresh
        keepEmpty
        words={allWords}
        toBody={toBody}
        ask={ask}
        faultOf={faultOf}
        refresh={CHANGED}
        submitLabel={step === LAST_STEP ? w.create : w.next}
        cancelLabel={w.previous}
        onCancel={step === 1 ? undefined : () => onStep(step - 1)}
        onDone={() => {
          toast('good', w.created({ name: gatewayName(name, w) }), {
            label: w.addAuthentication,
            run: () => navigate(paths.gateway(name, 'auth')),
          });
          setCreated(true);
        }}
      >
        <WhereWrong step={step} onStep={onStep} />
        <div hidden={step !== 1} className={styles.basics}>
          <GatewayFields name={name} />
        </div>
        <div hidden={step !== 2}>
          <Step>
            <StepNote>{w.whereListens}</StepNote>
            <ListenersField gateway={name} asked={step > 1} onEdit={setEdited} />
          </Step>
        </div>
        {step === LAST_STEP && (
          <Step>
            <Notice>
              {w.authNotice}
              {authenticatorsOf(name) === 'http' && ` ${w.authNoticeHttp}`}
            </Notice>
          </Step>
        )}
      </ContractForm>
      {edited && <KeptListener gateway={name} edited={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

/** What the broker refuses may stand in another step than the last: the one that shows it comes back. */
function WhereWrong({ step, onStep }: { step: number; onStep: (step: number) => void }) {
  const { errors } = useFormState();
  const names = Object.keys(errors).filter((name) => name !== 'root');
  const wanted = names.length === 0 ? step : names.some((name) => name !== 'listeners') ? 1 : 2;
  const key = names.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new error leads away
  useEffect(() => {
    if (step === LAST_STEP && wanted !== step) onStep(wanted);
  }, [key]);
  return null;
}
