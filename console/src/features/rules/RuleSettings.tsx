import { Modal } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { RULE_ID, type Rule } from '@mqdeck/contract/rules';
import { useEffect, useRef, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import * as z from 'zod/mini';
import { ApiError } from '../../api/api-error.ts';
import { request } from '../../api/request.ts';
import { ContractForm } from '../../form/ContractForm.tsx';
import { Text } from '../../form/fields.tsx';
import classes from '../../form/form.module.css';
import { useWords } from '../../i18n/words.ts';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { bridgeIdOf } from './bridge-sides.ts';
import { formWords } from './form-words.ts';
import { RuleFields } from './RuleFields.tsx';
import { faultOf } from './refusal.ts';
import { copiesOf, copyId } from './rule-ids.ts';
import styles from './rules.module.css';

/** What this form sends, all of it: the endpoint keeps what is left out, so an emptied note must be sent. */
const save = {
  ...api.rules.update,
  body: z.strictObject({
    sql: api.rules.create.body.shape.sql,
    actions: api.rules.create.body.shape.actions,
    description: z.string(),
  }),
};

/** The form of a rule that exists. */
export function RuleSettings({ rule }: { rule: Rule }) {
  const w = useWords(formWords);
  const { id } = rule;
  const [initial] = useState(() => partsOf(rule));
  // What was changed lives on in the copy: the form goes first, so that nothing asks on the way there.
  const [copy, setCopy] = useState<string>();
  useEffect(() => {
    if (copy !== undefined) navigate(paths.rule(copy));
  }, [copy]);
  if (copy !== undefined) return <SkeletonRows rows={8} />;
  return (
    <div className={styles.wide}>
      <ContractForm
        endpoint={save}
        params={{ id }}
        words={formWords}
        initial={initial}
        current={async () => {
          try {
            return partsOf(await request(api.rules.get, { params: { id } }, { quiet: true }));
          } catch (error) {
            if (error instanceof ApiError && error.status === 404) return null;
            throw error;
          }
        }}
        refresh={[api.rules.list, api.rules.get]}
        onDone={() => toast('good', w.saved({ id: visibleText(id) }))}
      >
        <RuleFields isNew={false} />
        <SaveAsCopy id={id} onCopied={setCopy} />
      </ContractForm>
    </div>
  );
}

/** What the form edits, and no more: whether it is enabled is another deed. Bridges go by the ids that they have. */
const partsOf = ({ sql, actions, description }: Rule) => ({
  sql,
  actions: actions.map((action) => (typeof action === 'string' ? bridgeIdOf(action) : action)),
  description,
});

/** What the form holds, as a rule of another id. */
function SaveAsCopy({ id, onCopied }: { id: string; onCopied: (made: string) => void }) {
  const w = useWords(formWords);
  const { getValues } = useFormContext();
  const [proposed, setProposed] = useState<string>();
  const asking = useRef(false);
  const ask = async () => {
    if (asking.current) return;
    asking.current = true;
    try {
      const { data } = await request(api.rules.list, { query: copiesOf(id) });
      setProposed(
        copyId(
          id,
          data.map((one) => one.id),
        ),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // an ApiError was reported by its call
    } finally {
      asking.current = false;
    }
  };
  return (
    <div>
      <button type="button" className={classes.button} onClick={() => void ask()}>
        {w.saveCopy}
      </button>
      <Modal
        opened={proposed !== undefined}
        onClose={() => setProposed(undefined)}
        title={w.saveCopyTitle}
        lockScroll={false}
        closeButtonProps={{ 'aria-label': w.close }}
      >
        {proposed !== undefined && (
          <ContractForm
            endpoint={api.rules.create}
            words={{ id: formWords.newId }}
            initial={{ id: proposed }}
            toBody={(values) => ({ ...getValues(), id: values.id })}
            submitLabel={w.saveCopy}
            refresh={[api.rules.list]}
            faultOf={(error) => faultOf(error, w.idTaken)}
            onUnsaved={() => undefined}
            onCancel={() => setProposed(undefined)}
            onDone={({ id: made }) => {
              toast('good', w.created({ id: visibleText(made) }));
              onCopied(made);
            }}
          >
            <p className={styles.note}>{w.saveCopyText}</p>
            <Text
              name="id"
              mono
              required
              check={(value) => (RULE_ID.test(String(value ?? '')) ? null : w.idFormat)}
            />
          </ContractForm>
        )}
      </Modal>
    </div>
  );
}
