import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { REWRITE_RULES_MAX, RewriteRule } from '@mqdeck/contract/topic-rewrite';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import { useState } from 'react';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Text } from '../../form/fields.tsx';
import { Select } from '../../form/Select.tsx';
import { useWords } from '../../i18n/words.ts';
import { columnsOf } from '../../table/columns.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { OrderedTable } from '../../table/reorder/OrderedTable.tsx';
import type { Position } from '../../table/reorder/order.ts';
import { confirm } from '../../ui/confirm.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './mqtt-extension.module.css';
import { placed } from './places.ts';
import { RewriteTrial } from './RewriteTrial.tsx';
import { changeList, type WholeList, withItem } from './whole-list.ts';
import { words } from './words.ts';

const whole: WholeList<RewriteRule> = {
  list: api.topicRewrite.list,
  update: api.topicRewrite.update,
  same: (a, b) => idOf(a) === idOf(b),
};
const ACTIONS = { all: words.all, publish: words.publish, subscribe: words.subscribe };
const NEW_RULE = { action: 'all', source_topic: '', re: '', dest_topic: '' };

const column = columnsOf<RewriteRule>(words);
const columns = [
  column.custom('action', ({ action }, language) => ACTIONS[action][language], { width: 130, grow: 0.5 }),
  column.id('source_topic', { width: 180, grow: 2 }),
  column.id('re', { width: 180, grow: 2 }),
  column.id('dest_topic', { width: 180, grow: 2 }),
];

/** A rule has no name of its own. */
function idOf({ action, source_topic, re, dest_topic }: RewriteRule): string {
  return JSON.stringify([action, source_topic, re, dest_topic]);
}

/** Two rules that are alike would be one row: the second never decides anything. */
const distinct = (rules: readonly RewriteRule[]): RewriteRule[] => [
  ...new Map(rules.map((rule) => [idOf(rule), rule])).values(),
];

export function TopicRewriteTab() {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.topicRewrite.list, {}, { quiet: true });
  const [open, setOpen] = useState<'new' | RewriteRule>();
  const rules = data && distinct(data);
  const full = (data?.length ?? 0) >= REWRITE_RULES_MAX;

  const remove = async (rule: RewriteRule) => {
    const name = { name: visibleText(rule.source_topic) };
    if (
      !(await confirm({
        title: w.removeRuleAsk(name),
        text: w.removeRuleText,
        action: w.remove,
        danger: true,
      }))
    )
      return;
    if (await changeList(whole, rule, (now, at) => now.toSpliced(at, 1), w.goneAlready))
      toast('good', w.ruleRemoved);
  };
  const move = async (id: string, position: Position) => {
    const rule = rules?.find((one) => idOf(one) === id);
    if (rule) await changeList(whole, rule, (now, at) => placed(now, at, position, idOf), w.goneAlready);
  };
  const actions = (rule: RewriteRule): RowAction[] => [
    { label: w.edit, run: () => setOpen(rule) },
    { label: w.remove, danger: true, run: () => remove(rule) },
  ];
  return (
    <>
      <div className={styles.head}>
        <p className={styles.purpose}>{w.rewriteText}</p>
        <Button
          size="xs"
          onClick={() => setOpen('new')}
          disabled={full}
          title={full ? w.fullRules : undefined}
        >
          {w.addRule}
        </Button>
      </div>
      <OrderedTable
        rows={rules}
        columns={columns}
        rowId={idOf}
        rowName={({ source_topic }) => visibleText(source_topic)}
        move={move}
        actions={actions}
        label={w.topicRewrite}
        empty={w.noRules}
        error={error ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
      />
      <RuleForm
        key={open === 'new' ? 'new' : open && idOf(open)}
        edited={open}
        onClose={() => setOpen(undefined)}
      />
    </>
  );
}

function RuleForm({ edited, onClose }: { edited: 'new' | RewriteRule | undefined; onClose: () => void }) {
  const w = useWords(words);
  const rule = edited === 'new' ? undefined : edited;
  return (
    <FormDrawer
      title={rule ? w.editRule : w.addRule}
      opened={edited !== undefined}
      onClose={onClose}
      endpoint={api.topicRewrite.update}
      list={{ item: RewriteRule, with: (item) => withItem(whole, rule, item as RewriteRule) }}
      initial={rule ?? NEW_RULE}
      words={words}
      submitLabel={rule ? w.save : w.addRule}
      refresh={[api.topicRewrite.list]}
      faultOf={({ message }) => {
        const [, field] = /\b(re|dest_topic): /.exec(message) ?? [];
        if (field === undefined) return undefined;
        const reason = message.slice(message.indexOf(`${field}: `) + field.length + 2);
        return { field, text: field === 're' ? w.trialWrong({ reason }) : w.destWrong };
      }}
      onDone={() => toast('good', rule ? w.ruleSaved : w.ruleAdded)}
    >
      <Select name="action" labels={ACTIONS} required />
      <Text
        name="source_topic"
        mono
        required
        placeholder="sensor/+/raw"
        check={(value) => (isValidFilter(String(value)) ? null : w.noFilter)}
      />
      <Text name="re" mono required placeholder="^sensor/(.+)/raw$" />
      <Text name="dest_topic" mono required placeholder="data/$1" />
      <RewriteTrial />
    </FormDrawer>
  );
}
