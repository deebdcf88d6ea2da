import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { BuiltInRule } from '@mqdeck/contract/authorization';
import { useState } from 'react';
import { sentenceInPlace } from '../../../api/report.ts';
import { useEndpoint } from '../../../api/use-endpoint.ts';
import { Field } from '../../../form/Field.tsx';
import { FormDrawer } from '../../../form/FormDrawer.tsx';
import { Text } from '../../../form/fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { useField } from '../../../form/use-field.ts';
import { useWords } from '../../../i18n/words.ts';
import { columnsOf } from '../../../table/columns.tsx';
import type { RowAction } from '../../../table/RowMenu.tsx';
import { OrderedTable } from '../../../table/reorder/OrderedTable.tsx';
import type { Position } from '../../../table/reorder/order.ts';
import { confirm } from '../../../ui/confirm.ts';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { IconPlus } from '../../../ui/icons.tsx';
import { toast } from '../../../ui/toast.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { changeRule, distinct, idOf, placed, withRule } from './all-rules.ts';
import styles from './permissions.module.css';
import { Permission, Qos, Retain } from './RuleTable.tsx';
import { ACTIONS, LEVELS, NEW_RULE, PERMISSIONS, RETAINS, whole } from './rule-choices.ts';
import { topicHint, topicProblem } from './topic-problem.ts';
import { permissionWords as words } from './words.ts';

const column = columnsOf<BuiltInRule>(words);
const columns = [
  column.custom('permission', ({ permission }) => <Permission of={permission} />, { width: 110, grow: 0.5 }),
  column.custom('action', ({ action }, language) => ACTIONS[action][language], { width: 170, grow: 0.6 }),
  column.id('topic', { width: 200, grow: 3 }),
  column.custom('qos', (rule) => <Qos of={rule} />, { width: 80, grow: 0.4 }),
  column.custom('retain', (rule) => <Retain of={rule} />, { width: 80, grow: 0.4 }),
];
const rowName = ({ topic }: BuiltInRule): string => visibleText(topic);

/** The rules for everybody; their order decides. */
export function AllRules() {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.authorization.allRules, {}, { quiet: true });
  const rules = data && distinct(data.rules);
  const [form, setForm] = useState<{ rule: BuiltInRule | undefined; nr: number }>();
  const [opened, setOpened] = useState(false);
  const open = (rule: BuiltInRule | undefined) => {
    setForm((before) => ({ rule, nr: (before?.nr ?? 0) + 1 }));
    setOpened(true);
  };
  const remove = async (rule: BuiltInRule) => {
    const yes = await confirm({
      title: w.removeRuleAsk({ topic: visibleText(rule.topic) }),
      text: w.removeRuleText,
      action: w.remove,
      danger: true,
    });
    if (yes && (await changeRule(rule, (now, at) => now.toSpliced(at, 1), w.goneAlready)))
      toast('good', w.ruleRemoved);
  };
  const move = async (id: string, position: Position) => {
    const rule = rules?.find((one) => idOf(one) === id);
    if (rule) await changeRule(rule, (now, at) => placed(now, at, position), w.goneAlready);
  };
  const actions = (rule: BuiltInRule): RowAction[] => [
    { label: w.edit, run: () => open(rule) },
    { label: w.remove, danger: true, run: () => remove(rule) },
  ];
  return (
    <>
      <div className={styles.bar}>
        <Button leftSection={<IconPlus size={15} />} onClick={() => open(undefined)}>
          {w.addRule}
        </Button>
      </div>
      <OrderedTable
        rows={rules}
        columns={columns}
        rowId={idOf}
        rowName={rowName}
        move={move}
        actions={actions}
        label={w.all}
        error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
        empty={<EmptyState title={w.emptyAll} />}
      />
      {form && <RuleForm key={form.nr} rule={form.rule} opened={opened} onClose={() => setOpened(false)} />}
    </>
  );
}

function RuleForm({
  rule,
  opened,
  onClose,
}: {
  rule: BuiltInRule | undefined;
  opened: boolean;
  onClose: () => void;
}) {
  const w = useWords(words);
  return (
    <FormDrawer
      title={rule ? w.editRule : w.addRule}
      opened={opened}
      onClose={onClose}
      endpoint={api.authorization.setAllRules}
      list={{ item: BuiltInRule, with: (item) => withRule(rule, item as BuiltInRule) }}
      initial={rule ? whole(rule) : NEW_RULE}
      words={words}
      submitLabel={rule ? undefined : w.addRule}
      refresh={[api.authorization.allRules]}
      onDone={() => toast('good', rule ? w.ruleSaved : w.ruleAdded)}
    >
      <Select name="permission" options={Object.keys(PERMISSIONS)} labels={PERMISSIONS} required />
      <Select name="action" options={Object.keys(ACTIONS)} labels={ACTIONS} required />
      <Text
        name="topic"
        mono
        required
        placeholder="news/#"
        hint={topicHint(w)}
        check={(value) => topicProblem(value, w)}
      />
      <QosField />
      <Select name="retain" options={['all', true, false]} labels={RETAINS} required />
    </FormDrawer>
  );
}

function QosField() {
  const w = useWords(words);
  const field = useField(
    { name: 'qos' },
    { check: (value) => (Array.isArray(value) && value.length > 0 ? null : w.qosFault) },
  );
  const levels = field.value as readonly number[];
  return (
    <Field field={{ ...field, standard: undefined }} group>
      <fieldset className={styles.levels} aria-labelledby={`${field.id}-label`}>
        {LEVELS.map((level) => (
          <label key={level}>
            <input
              type="checkbox"
              checked={levels.includes(level)}
              onChange={({ currentTarget: { checked } }) =>
                field.set(LEVELS.filter((one) => (one === level ? checked : levels.includes(one))))
              }
            />
            {level}
          </label>
        ))}
      </fieldset>
    </Field>
  );
}
