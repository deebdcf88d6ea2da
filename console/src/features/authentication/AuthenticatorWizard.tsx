import { Button } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { ContractForm } from '../../form/ContractForm.tsx';
import { useUnsavedGuard } from '../../form/form-host.tsx';
import { useWords } from '../../i18n/words.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Choices, Step, StepButtons, StepNote, Steps, StepTitle } from '../../ui/Wizard.tsx';
import { useUrlState } from '../../url-state.ts';
import { useChain } from './chain.ts';
import { formWords } from './form-words.ts';
import { AuthenticatorFields } from './forms/AuthenticatorFields.tsx';
import { bodyFrom, initialFor } from './forms/standards.ts';
import {
  BACKENDS,
  type Backend,
  bodyFor,
  idFor,
  type KindId,
  MECHANISMS,
  type Mechanism,
  nameOf,
  partsOf,
} from './kinds.ts';
import { wizardWords } from './wizard-words.ts';
import { words } from './words.ts';

const NONE: ReadonlySet<string> = new Set();

/** Three steps whose choices are in the address; what was typed stays while somebody goes back and forth. */
export function AuthenticatorWizard({
  mechanisms = MECHANISMS,
  backends = BACKENDS,
  taken = NONE,
  ready = true,
  unread = false,
  onUnsaved,
  onCreated,
}: {
  mechanisms?: readonly Mechanism[];
  backends?: readonly Backend[];
  /** Ids that are in the chain already. */
  taken?: ReadonlySet<string>;
  /** False as long as that is being read, … */
  ready?: boolean;
  /** … and true where it could not be. */
  unread?: boolean;
  /** Hears whether something typed would be lost; a change of page is guarded here. */
  onUnsaved?: ((unsaved: boolean) => void) | undefined;
  /** Called when the forms are gone, so that none of them asks whether to leave. */
  onCreated: (kind: KindId) => void;
}) {
  const w = useWords(wizardWords);
  const names = useWords(words);
  const isTaken = (mechanism: Mechanism, backend: Backend) => taken.has(idFor(mechanism, backend));
  const allTaken = (mechanism: Mechanism) => backends.every((backend) => isTaken(mechanism, backend));

  const { values, set } = useUrlState();
  const mechanism =
    mechanisms.find((one) => one === values.mechanism && !allTaken(one)) ??
    mechanisms.find((one) => !allTaken(one));
  const backend =
    mechanism &&
    (backends.find((one) => one === values.backend && !isTaken(mechanism, one)) ??
      backends.find((one) => !isTaken(mechanism, one)));
  const id = mechanism && backend && idFor(mechanism, backend);
  const step = values.step === '3' ? 3 : values.step === '2' ? 2 : 1;
  const go = (to: number) => set({ step: to === 1 ? undefined : String(to) }, 'push');
  const choose = (changes: { mechanism?: string; backend?: string | undefined }) => set(changes, 'replace');

  // Every form that was open stays in the document, unseen, with what was typed into it.
  const [opened, setOpened] = useState<readonly KindId[]>([]);
  const [created, setCreated] = useState<KindId>();
  // One question for all of them.
  const [unsaved, setUnsaved] = useState<readonly KindId[]>([]);
  const hear = useCallback(
    (kind: KindId, is: boolean) =>
      setUnsaved((before) => [...before.filter((one) => one !== kind), ...(is ? [kind] : [])]),
    [],
  );
  const anyUnsaved = unsaved.length > 0 && created === undefined;
  useUnsavedGuard(anyUnsaved);
  useEffect(() => onUnsaved?.(anyUnsaved), [anyUnsaved, onUnsaved]);
  if (ready && step === 3 && id && !created && !opened.includes(id)) setOpened([...opened, id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is made
  useEffect(() => {
    if (created) onCreated(created);
  }, [created]);

  return (
    <>
      <Steps label={w.steps} steps={[w.mechanism, w.backend, w.parameters]} current={step} />
      <Panel>
        {!ready ? (
          <SkeletonRows rows={4} />
        ) : id === undefined ? (
          <EmptyState title={w.nothingLeft} />
        ) : (
          <>
            {unread && step < 3 && <StepNote live>{w.unread}</StepNote>}
            {step === 1 && (
              <Step>
                <Choices
                  legend={w.chooseMechanism}
                  name="mechanism"
                  value={mechanism}
                  onChange={(value) => choose({ mechanism: value, backend: undefined })}
                  choices={mechanisms.map((value) => ({
                    value,
                    label: names[value],
                    text: w[value],
                    taken: allTaken(value) ? w.added : undefined,
                  }))}
                />
                <StepButtons>
                  <Button variant="filled" onClick={() => go(2)}>
                    {w.next}
                  </Button>
                </StepButtons>
              </Step>
            )}
            {step === 2 && (
              <Step>
                {mechanism === 'password_based' ? (
                  <Choices
                    legend={w.chooseBackend}
                    name="backend"
                    value={backend}
                    onChange={(value) => choose({ mechanism, backend: value })}
                    choices={backends.map((value) => ({
                      value,
                      label: names[value],
                      text: w[value],
                      taken: isTaken(mechanism, value) ? w.added : undefined,
                    }))}
                  />
                ) : mechanism === 'scram' ? (
                  <Choices
                    legend={w.chooseBackend}
                    name="backend"
                    value="built_in_database"
                    onChange={() => undefined}
                    choices={[
                      { value: 'built_in_database', label: names.built_in_database, text: w.scramBackend },
                    ]}
                  />
                ) : (
                  <StepNote>{w.jwtBackend}</StepNote>
                )}
                <StepButtons>
                  <Button onClick={() => go(1)}>{w.previous}</Button>
                  <Button variant="filled" onClick={() => go(3)}>
                    {w.next}
                  </Button>
                </StepButtons>
              </Step>
            )}
            {!created &&
              opened.map((kind) => (
                <div key={kind} hidden={step !== 3 || kind !== id}>
                  <CreateForm
                    id={kind}
                    onBack={() => go(2)}
                    onDone={() => setCreated(kind)}
                    onUnsaved={hear}
                  />
                </div>
              ))}
          </>
        )}
      </Panel>
    </>
  );
}

function CreateForm({
  id,
  onBack,
  onDone,
  onUnsaved,
}: {
  id: KindId;
  onBack: () => void;
  onDone: () => void;
  onUnsaved: (id: KindId, unsaved: boolean) => void;
}) {
  const w = useWords(wizardWords);
  const names = useWords(words);
  const { endpoints, httpBody } = useChain();
  const [endpoint] = useState(() => ({ ...endpoints.create, body: bodyFor(id) }));
  const [initial] = useState(() => initialFor(id, httpBody));
  const name = nameOf(partsOf(id), names);
  const hear = useCallback((is: boolean) => onUnsaved(id, is), [id, onUnsaved]);
  return (
    <section aria-label={name}>
      <Step>
        <StepTitle>{name}</StepTitle>
        <ContractForm
          endpoint={endpoint}
          initial={initial}
          words={formWords}
          toBody={(values) => bodyFrom(id, values)}
          submitLabel={w.create}
          cancelLabel={w.previous}
          onCancel={onBack}
          onUnsaved={hear}
          onDone={onDone}
        >
          <AuthenticatorFields id={id} />
        </ContractForm>
      </Step>
    </section>
  );
}
