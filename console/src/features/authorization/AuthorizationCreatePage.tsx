import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { useEffect, useState } from 'react';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { ContractForm } from '../../form/ContractForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import { Choices, Step, StepButtons, StepNote, Steps } from '../../ui/Wizard.tsx';
import { useUrlState } from '../../url-state.ts';
import styles from './authorization.module.css';
import { fileFault } from './file/server-problem.ts';
import { formWords } from './form-words.ts';
import { SourceFields } from './SourceFields.tsx';
import { bodyFor, initialFor, nameOf, SOURCES, type Source } from './sources.ts';
import { wizardWords } from './wizard-words.ts';
import { words } from './words.ts';

/** Two steps whose choice is in the address; what was typed stays while somebody goes back and forth. */
export function AuthorizationCreatePage() {
  const w = useWords(wizardWords);
  const names = useWords(words);
  const list = useEndpoint(api.authorization.sources, {}, { quiet: true });
  const taken = new Set<string>(list.data?.sources.map(({ type }) => type));
  const { values, set } = useUrlState();
  const free = SOURCES.filter((one) => !taken.has(one));
  const source = free.find((one) => one === values.source) ?? free[0];
  const step = values.step === '2' ? 2 : 1;
  const go = (to: number) => set({ step: to === 1 ? undefined : String(to), source }, 'push');

  // Every form that was open stays in the document, unseen, with what was typed into it.
  const [opened, setOpened] = useState<readonly Source[]>([]);
  const [created, setCreated] = useState<Source>();
  const ready = !list.isPending;
  if (ready && step === 2 && source && !created && !opened.includes(source)) setOpened([...opened, source]);
  // Only when the forms are gone, so that none of them asks whether to leave.
  useEffect(() => {
    if (created) navigate(paths.authorization());
  }, [created]);

  function finish(type: Source) {
    const rules = `${paths.authorizationSource(type)}?tab=permissions`;
    toast(
      'good',
      w.created({ name: nameOf(type, names) }),
      type === 'built_in_database' ? { label: w.addRules, run: () => navigate(rules) } : undefined,
    );
    setCreated(type);
  }

  return (
    <Page title={w.title} purpose={w.purpose} actions={<Link to={paths.authorization()}>{names.back}</Link>}>
      <Steps label={w.steps} steps={[w.source, w.parameters]} current={step} />
      <Panel>
        {!ready ? (
          <SkeletonRows rows={4} />
        ) : source === undefined ? (
          <EmptyState title={w.nothingLeft} action={<Link to={paths.authorization()}>{names.back}</Link>} />
        ) : (
          <>
            {list.isError && step === 1 && <StepNote live>{w.unread}</StepNote>}
            {step === 1 && (
              <Step>
                <Choices
                  legend={w.choose}
                  name="source"
                  value={source}
                  onChange={(value) => set({ source: value }, 'replace')}
                  choices={SOURCES.map((value) => ({
                    value,
                    label: names[value],
                    text: w[value],
                    taken: taken.has(value) ? w.added : undefined,
                  }))}
                />
                <StepButtons>
                  <Button variant="filled" onClick={() => go(2)}>
                    {w.next}
                  </Button>
                </StepButtons>
              </Step>
            )}
            {!created &&
              opened.map((type) => (
                <div key={type} hidden={step !== 2 || type !== source}>
                  <CreateForm type={type} onBack={() => go(1)} onDone={() => finish(type)} />
                </div>
              ))}
          </>
        )}
      </Panel>
    </Page>
  );
}

function CreateForm({ type, onBack, onDone }: { type: Source; onBack: () => void; onDone: () => void }) {
  const w = useWords(wizardWords);
  const names = useWords(words);
  const [endpoint] = useState(() => ({ ...api.authorization.create, body: bodyFor(type) }));
  const [initial] = useState(() => initialFor(type));
  return (
    <section aria-label={nameOf(type, names)} className={type === 'file' ? styles.wide : undefined}>
      <ContractForm
        endpoint={endpoint}
        initial={initial}
        words={formWords}
        toBody={(values) => ({ ...values, type })}
        faultOf={type === 'file' ? fileFault : undefined}
        refresh={[api.authorization.sources]}
        submitLabel={w.create}
        cancelLabel={w.previous}
        onCancel={onBack}
        onDone={onDone}
      >
        <SourceFields type={type} />
      </ContractForm>
    </section>
  );
}
