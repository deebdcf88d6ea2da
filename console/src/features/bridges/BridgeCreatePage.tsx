import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { type BridgeType, isBridgeType } from '@mqdeck/contract/bridges/types';
import { useCallback, useEffect, useRef, useState } from 'react';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { ContractForm } from '../../form/ContractForm.tsx';
import { useUnsavedGuard } from '../../form/form-host.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { GroupedChoices, Step, StepButtons, StepNote, Steps, StepTitle } from '../../ui/Wizard.tsx';
import { useUrlState } from '../../url-state.ts';
import styles from './bridges.module.css';
import { createWords } from './create-words.ts';
import { NewBridgeFields } from './forms/BridgeFields.tsx';
import { formWords } from './forms/form-words.ts';
import { ReenterContext } from './forms/reenter.ts';
import {
  bodyFrom,
  copyName,
  initialFor,
  type Values,
  valuesFrom,
  withoutSecrets,
} from './forms/standards.ts';
import { TestConnection } from './forms/TestConnection.tsx';
import { kindWords } from './kind-words.ts';
import { GROUPS, type GroupId, isProduct, newBody, type Product, productOf } from './kinds.ts';
import { idOf } from './standing.ts';
import { TypeIcon } from './TypeIcon.tsx';
import { words } from './words.ts';

/** A new bridge: its type first, then its form; or a copy of one (`?action=copy&target=`). */
export function BridgeCreatePage() {
  const w = useWords(createWords);
  const names = useWords(words);
  const { values } = useUrlState();
  const target = values.action === 'copy' && typeof values.target === 'string' ? values.target : undefined;
  const [created, setCreated] = useState<string>();
  return (
    <Page
      title={target === undefined ? w.title : w.copyTitle({ id: visibleText(target) })}
      purpose={w.purpose}
      actions={<Link to={paths.bridges()}>{names.back}</Link>}
    >
      {created !== undefined ? (
        <Created id={created} />
      ) : target === undefined ? (
        <NewBridge onDone={setCreated} />
      ) : (
        <Copy key={target} id={target} onDone={setCreated} />
      )}
    </Page>
  );
}

/** What comes next: a rule that uses it, or nothing. */
function Created({ id }: { id: string }) {
  const w = useWords(createWords);
  const heading = useRef<HTMLHeadingElement>(null);
  // The form with the focus is gone.
  useEffect(() => heading.current?.focus(), []);
  return (
    <Panel>
      <section aria-labelledby="created">
        <Step>
          <h2 id="created" ref={heading} tabIndex={-1} className={styles.created}>
            {w.created({ id: visibleText(id) })}
          </h2>
          <StepNote>{w.createdText}</StepNote>
          <StepButtons>
            <Button variant="filled" onClick={() => navigate(paths.ruleCreate({ bridge: id }))}>
              {w.createRule}
            </Button>
            <Button onClick={() => navigate(paths.bridges())}>{w.toList}</Button>
          </StepButtons>
        </Step>
      </section>
    </Panel>
  );
}

/** Two steps whose choice is in the address; what was typed stays while somebody goes back and forth. */
function NewBridge({ onDone }: { onDone: (id: string) => void }) {
  const w = useWords(createWords);
  const { values, set } = useUrlState();
  const product = isProduct(values.type) ? values.type : 'webhook';
  const step = values.step === '2' ? 2 : 1;
  // Every form that was open stays in the document, unseen, with what was typed into it.
  const [opened, setOpened] = useState<readonly Product[]>([]);
  const [unsaved, setUnsaved] = useState<readonly Product[]>([]);
  const hear = useCallback(
    (one: Product, is: boolean) =>
      setUnsaved((before) => [...before.filter((other) => other !== one), ...(is ? [one] : [])]),
    [],
  );
  useUnsavedGuard(unsaved.length > 0);
  if (step === 2 && !opened.includes(product)) setOpened([...opened, product]);
  return (
    <>
      <Steps label={w.steps} steps={[w.type, w.parameters]} current={step} />
      <Panel>
        {step === 1 && (
          <div className={styles.types}>
            <Tiles value={product} onChange={(type) => set({ type }, 'replace')} />
            <StepButtons>
              <Button variant="filled" onClick={() => set({ type: product, step: '2' }, 'push')}>
                {w.next}
              </Button>
            </StepButtons>
          </div>
        )}
        {opened.map((one) => (
          <div key={one} hidden={step !== 2 || one !== product}>
            <CreateForm
              product={one}
              onBack={() => set({ step: undefined }, 'push')}
              onDone={onDone}
              onUnsaved={hear}
            />
          </div>
        ))}
      </Panel>
    </>
  );
}

/** What there is, grouped by what it is, each with a sentence. */
function Tiles({ value, onChange }: { value: Product; onChange: (product: Product) => void }) {
  const w = useWords(createWords);
  const k = useWords(kindWords);
  return (
    <GroupedChoices
      legend={w.chooseType}
      name="type"
      value={value}
      onChange={onChange}
      groups={(Object.keys(GROUPS) as GroupId[]).map((group) => ({
        title: k[group],
        choices: GROUPS[group].map((product) => ({
          value: product,
          label: k[product],
          text: k[`${product}Text`],
          icon: <TypeIcon type={productType(product)} size={16} />,
        })),
      }))}
    />
  );
}

const productType = (product: Product): BridgeType =>
  product === 'mongodb'
    ? 'mongodb_single'
    : product === 'redis'
      ? 'redis_single'
      : product === 'influxdb'
        ? 'influxdb_api_v2'
        : product;

/** The form of another bridge under a new name; its secrets stay behind. */
function Copy({ id, onDone }: { id: string; onDone: (id: string) => void }) {
  const w = useWords(words);
  const source = useEndpoint(api.bridges.get, { params: { id } }, { quiet: true });
  const all = useEndpoint(api.bridges.list, {}, { quiet: true });
  const [unsaved, setUnsaved] = useState(false);
  const hear = useCallback((_: Product, is: boolean) => setUnsaved(is), []);
  useUnsavedGuard(unsaved);
  const back = <Link to={paths.bridges()}>{w.back}</Link>;
  const error = source.error ?? all.error;
  if (!source.data || !all.data) {
    return (
      <Panel>
        {error?.status === 404 ? (
          <EmptyState title={w.missing({ id: visibleText(id) })} text={w.missingText} action={back} />
        ) : error ? (
          <ErrorState
            title={w.loadFailed}
            text={sentenceInPlace(error)}
            retry={() => void Promise.all([source.refetch(), all.refetch()])}
          />
        ) : (
          <SkeletonRows rows={6} />
        )}
      </Panel>
    );
  }
  const { type, name } = source.data;
  if (!isBridgeType(type)) {
    return (
      <Panel>
        <EmptyState title={w.unknownType({ type: visibleText(type) })} action={back} />
      </Panel>
    );
  }
  const taken = new Set(all.data.filter((one) => one.type === type).map((one) => one.name));
  const copied = withoutSecrets(valuesFrom(type, source.data));
  return (
    <Panel>
      <CreateForm
        product={productOf(type)}
        begin={{ ...copied.values, name: copyName(name, taken), enable: true }}
        secrets={copied.secrets}
        onBack={() => navigate(paths.bridges())}
        onDone={onDone}
        onUnsaved={hear}
      />
    </Panel>
  );
}

const NONE: readonly string[] = [];

function CreateForm({
  product,
  begin,
  secrets = NONE,
  onBack,
  onDone,
  onUnsaved,
}: {
  product: Product;
  /** Instead of the defaults. */
  begin?: Values | undefined;
  /** Dotted names of secrets that were not copied. */
  secrets?: readonly string[] | undefined;
  onBack: () => void;
  onDone: (id: string) => void;
  onUnsaved: (product: Product, unsaved: boolean) => void;
}) {
  const w = useWords(createWords);
  const f = useWords(formWords);
  const k = useWords(kindWords);
  const [endpoint] = useState(() => ({ ...api.bridges.create, body: newBody(product) }));
  const [initial] = useState(() => begin ?? initialFor(product));
  const [reenter] = useState(() => new Set(secrets));
  const hear = useCallback((is: boolean) => onUnsaved(product, is), [product, onUnsaved]);
  const toBody = (values: Values) => bodyFrom(product, values);
  return (
    <section aria-label={k[product]}>
      <Step>
        <StepTitle>{k[product]}</StepTitle>
        {reenter.size > 0 && (
          <p className={styles.reenter} role="status">
            {f.reenter({ names: [...reenter].map((name) => labelOf(name, f)).join(', ') })}
          </p>
        )}
        <ReenterContext.Provider value={reenter}>
          <ContractForm
            endpoint={endpoint}
            initial={initial}
            words={formWords}
            toBody={toBody}
            submitLabel={w.create}
            cancelLabel={w.previous}
            faultOf={({ code }) => (code === 'ALREADY_EXISTS' ? { field: 'name', text: w.taken } : undefined)}
            refresh={[api.bridges.list]}
            onCancel={onBack}
            onUnsaved={hear}
            onDone={(answer) => onDone(idOf(answer))}
          >
            <NewBridgeFields product={product} />
            <TestConnection schema={endpoint.body} toBody={toBody} />
          </ContractForm>
        </ReenterContext.Provider>
      </Step>
    </section>
  );
}

/** The label of a field by its last name, as the form itself finds it. */
function labelOf(name: string, f: Readonly<Record<string, unknown>>): string {
  const last = name.split('.').at(-1) ?? name;
  const word = f[last];
  return typeof word === 'string' ? word : last;
}
