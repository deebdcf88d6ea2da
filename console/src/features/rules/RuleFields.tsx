import { api } from '@mqdeck/contract/api';
import type { Bridge } from '@mqdeck/contract/bridges';
import { RULE_ID, type RuleEvent } from '@mqdeck/contract/rules';
import { columnsOf } from '@mqdeck/rulesql/events';
import { parse } from '@mqdeck/rulesql/parse';
import { useDeferredValue, useMemo, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { Text, TextArea } from '../../form/fields.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { ActionsField } from './ActionsField.tsx';
import { isSource, sourceOf } from './bridge-sides.ts';
import { DataSources } from './DataSources.tsx';
import { FunctionList } from './FunctionList.tsx';
import { formWords } from './form-words.ts';
import { namesOf } from './problems.ts';
import styles from './rules.module.css';
import { SqlField } from './SqlField.tsx';
import { TestArea } from './TestArea.tsx';

const NO_EVENTS: readonly RuleEvent[] = [];
const NO_BRIDGES: readonly Bridge[] = [];
/** A bridge made in another tab is found after this time. */
const BRIDGES_POLL_MS = 10_000;

const TOOLS = ['actions', 'sources', 'functions'] as const;

/** The fields of a rule: the statement with its test, beside it actions, sources and functions. */
export function RuleFields({ isNew }: { isNew: boolean }) {
  const w = useWords(formWords);
  const language = useLanguage();
  const events = useEndpoint(api.rules.events, {}, { quiet: true });
  const bridges = useEndpoint(api.bridges.list, {}, { quiet: true, poll: BRIDGES_POLL_MS });
  const allEvents = events.data ?? NO_EVENTS;
  const allBridges = bridges.data ?? NO_BRIDGES;
  const known = useMemo(
    () => ({
      events: allEvents
        .filter(({ event }) => !event.startsWith('$bridges/'))
        .map(({ event, title }) => ({ event, title: title[language] })),
      bridgeSources: allBridges.filter(isSource).map(sourceOf),
    }),
    [allEvents, allBridges, language],
  );
  const [sql, actions] = useWatch({ name: ['sql', 'actions'] }) as [string, unknown[] | undefined];
  const deferred = useDeferredValue(sql ?? '');
  const names = useMemo(() => resultNames(deferred), [deferred]);
  const [tool, setTool] = useState<(typeof TOOLS)[number]>('actions');
  return (
    <div className={styles.columns}>
      <div className={styles.main}>
        {isNew && (
          <Text
            name="id"
            mono
            required
            check={(value) => (RULE_ID.test(String(value ?? '')) ? null : w.idFormat)}
          />
        )}
        <SqlField known={known} />
        <TestArea sql={sql ?? ''} events={allEvents} bridges={allBridges} />
        <TextArea name="description" rows={2} />
      </div>
      <div className={styles.side}>
        <Tabs
          label={w.tools}
          value={tool}
          onChange={setTool}
          tabs={[
            { value: 'actions', label: w.actions, count: actions?.length ?? 0 },
            { value: 'sources', label: w.dataSources },
            { value: 'functions', label: w.functions },
          ]}
        >
          {/* Hidden, not gone: a form checks the fields that stand in it. */}
          <div hidden={tool !== 'actions'}>
            <ActionsField bridges={allBridges} names={names} />
          </div>
          {tool === 'sources' && (
            <DataSources
              events={allEvents}
              bridges={allBridges}
              error={events.error}
              retry={events.refetch}
            />
          )}
          {tool === 'functions' && <FunctionList />}
        </Tabs>
      </div>
    </div>
  );
}

/** What a result holds: the named fields, and the columns where all are selected. */
function resultNames(sql: string): readonly string[] {
  try {
    const statement = parse(sql);
    const fields = statement.kind === 'select' ? statement.fields : (statement.each ?? []);
    const isAll = fields.some(({ kind }) => kind === 'all') || fields.length === 0;
    const plain = fields.flatMap((field) =>
      field.kind === 'as' && !field.named && field.expression.kind === 'path' ? [field.expression.root] : [],
    );
    const columns = isAll ? statement.sources.flatMap(({ filter }) => columnsOf(filter)) : [];
    return [...new Set([...namesOf(statement), ...plain, ...columns])];
  } catch {
    return [];
  }
}
