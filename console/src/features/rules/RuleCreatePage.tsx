import { api } from '@mqdeck/contract/api';
import type { Bridge } from '@mqdeck/contract/bridges';
import type { Rule } from '@mqdeck/contract/rules';
import { useEffect, useState } from 'react';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { ContractForm } from '../../form/ContractForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { idOf, isSource, isTarget, sourceOf } from './bridge-sides.ts';
import { formWords } from './form-words.ts';
import { RuleFields } from './RuleFields.tsx';
import { faultOf } from './refusal.ts';
import { copiesOf, copyId, randomRuleId } from './rule-ids.ts';
import styles from './rules.module.css';
import { SQL_PRESET } from './sql-parts.ts';
import { words } from './words.ts';

/** A new rule: from nothing, as a copy (`?action=copy&target=`), or for a bridge (`?bridgeId=`). */
export function RuleCreatePage() {
  const w = useWords(formWords);
  const { values } = useUrlState();
  const target = values.action === 'copy' && typeof values.target === 'string' ? values.target : undefined;
  const bridge = typeof values.bridgeId === 'string' ? values.bridgeId : undefined;
  return (
    <Page title={w.createTitle} facts={target && w.copyOf({ id: visibleText(target) })}>
      <Panel>
        {target !== undefined ? (
          <CopiedRule key={target} target={target} />
        ) : bridge !== undefined ? (
          <RuleOfBridge key={bridge} id={bridge} />
        ) : (
          <NewRule />
        )}
      </Panel>
    </Page>
  );
}

interface Beginning {
  id: string;
  sql: string;
  actions: Rule['actions'];
  description: string;
}

function NewRule({ begin }: { begin?: Partial<Beginning> }) {
  const w = useWords(formWords);
  const [initial] = useState(() => ({
    id: randomRuleId(),
    sql: SQL_PRESET,
    actions: [],
    description: '',
    ...begin,
  }));
  // Once the form is gone nothing is unsaved, and nothing asks on the way to the rule.
  const [created, setCreated] = useState<string>();
  useEffect(() => {
    if (created !== undefined) navigate(paths.rule(created), 'replace');
  }, [created]);
  if (created !== undefined) return <SkeletonRows rows={8} />;
  return (
    <div className={styles.wide}>
      <ContractForm
        endpoint={api.rules.create}
        words={formWords}
        initial={initial}
        refresh={[api.rules.list]}
        faultOf={(error) => faultOf(error, w.idTaken)}
        submitLabel={w.createTitle}
        onCancel={() => navigate(paths.rules())}
        onDone={({ id }) => {
          toast('good', w.created({ id: visibleText(id) }));
          setCreated(id);
        }}
      >
        <RuleFields isNew />
      </ContractForm>
    </div>
  );
}

function CopiedRule({ target }: { target: string }) {
  const w = useWords(formWords);
  const lw = useWords(words);
  const rule = useEndpoint(api.rules.get, { params: { id: target } }, { quiet: true });
  const copies = useEndpoint(api.rules.list, { query: copiesOf(target) }, { quiet: true });
  const error = rule.error ?? copies.error;
  if (rule.data && copies.data) {
    const { sql, actions, description } = rule.data;
    const id = copyId(
      target,
      copies.data.data.map((one) => one.id),
    );
    return <NewRule begin={{ id, sql, actions, description }} />;
  }
  if (rule.error?.status === 404)
    return (
      <EmptyState
        title={w.copyMissing({ id: visibleText(target) })}
        action={<Link to={paths.rules()}>{lw.back}</Link>}
      />
    );
  if (error)
    return (
      <ErrorState
        text={sentenceInPlace(error)}
        retry={() => {
          void rule.refetch();
          void copies.refetch();
        }}
      />
    );
  return <SkeletonRows rows={8} />;
}

/** What the bridge fetches is selected from, and what it takes is an action. */
function RuleOfBridge({ id }: { id: string }) {
  const { data, error } = useEndpoint(api.bridges.get, { params: { id } }, { quiet: true });
  if (data) return <NewRule begin={beginFor(data)} />;
  // Whatever is wrong with the bridge, a rule can be written.
  return error ? <NewRule /> : <SkeletonRows rows={8} />;
}

const beginFor = (bridge: Bridge): Partial<Beginning> => ({
  ...(isSource(bridge) ? { sql: `SELECT\n  *\nFROM\n  "${sourceOf(bridge)}"` } : {}),
  ...(isTarget(bridge) ? { actions: [idOf(bridge)] } : {}),
});
