import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Rule } from '@mqdeck/contract/rules';
import { useCallback, useState } from 'react';
import { useAvailable } from '../../api/features.ts';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { keyOf, queryClient } from '../../api/query-client.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import { choiceFilter, textFilter } from '../../table/filters.ts';
import { QueryTable } from '../../table/QueryTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { formatNumber, formatRate, NOTHING } from '../../ui/format.ts';
import { IconPlus } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Sources } from './Sources.tsx';
import { useDeeds } from './use-deeds.ts';
import { counter, MetricsProvider, useMetricsOf, useRuleMetrics } from './use-rule-metrics.tsx';
import { words } from './words.ts';

const REFRESH_S = 10;

const column = columnsOf<Rule>(words);
const count = (id: 'matched' | 'passed' | 'failed', name: string, hidden = false) =>
  column.custom(id, (row) => <Count id={row.id} name={name} />, {
    value: ({ id: rule }) => known(rule, name),
    align: 'end',
    width: 84,
    grow: 0.6,
    hidden,
  });
const columns = [
  column.link('id', (id) => paths.rule(id), { width: 160, grow: 2 }),
  column.custom('from', (row) => <Sources rule={row} />, {
    value: ({ from }) => from.join(', '),
    width: 220,
    grow: 3,
  }),
  column.custom('enable', (row) => <Enable of={row} />, {
    sort: 'enable',
    value: ({ enable }) => enable,
    brief: true,
    width: 84,
    grow: 0.4,
  }),
  column.number('actions', { value: ({ actions }) => actions.length, sort: false, width: 74 }),
  count('matched', 'matched'),
  count('passed', 'passed'),
  count('failed', 'failed.exception'),
  column.custom('rate', (row) => <Rate id={row.id} />, {
    value: ({ id }) => known(id, 'matched.rate'),
    align: 'end',
    width: 80,
    grow: 0.6,
  }),
  column.text('description', { sort: false, width: 150, grow: 2 }),
  column.time('created_at'),
];
const filters = [
  textFilter('like_id', words.idContains),
  textFilter('like_from', words.fromContains),
  textFilter('match_from', words.fromMatches, { example: 't/#' }),
  choiceFilter(
    'enable',
    words.enable,
    [
      { value: 'true', label: words.yes },
      { value: 'false', label: words.no },
    ],
    { pinned: true },
  ),
  textFilter('like_description', words.noteContains, { pinned: false }),
];

/** What the last answer said, for exports: they are made outside of the page. */
function known(id: string, name: string): number | undefined {
  const all = queryClient.getQueryData<{ id: string; metrics: Record<string, unknown> }[]>([
    ...keyOf(api.rules.allMetrics),
    {},
  ]);
  return counter(all?.find((one) => one.id === id)?.metrics, name);
}

export function RulesPage() {
  const w = useWords(words);
  const available = useAvailable(api.rules.list);
  const [total, setTotal] = useState<number>();
  const [ids, setIds] = useState<readonly string[]>([]);
  const metrics = useRuleMetrics(ids);
  const { remove } = useDeeds();
  const onRows = useCallback((rows: readonly Rule[]) => {
    const next = rows.map(({ id }) => id);
    setIds((before) => (before.join('\n') === next.join('\n') ? before : next));
  }, []);
  const actions = (rule: Rule): RowAction[] => [
    { label: w.settings, run: () => navigate(paths.rule(rule.id, 'info', 'settings')) },
    { label: w.duplicate, run: () => navigate(paths.ruleCreate({ copy: rule.id })) },
    { label: w.remove, danger: true, run: () => remove(rule) },
  ];
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={total === undefined ? undefined : w.found({ count: total })}
      actions={
        available && (
          <Button
            variant="filled"
            leftSection={<IconPlus size={15} />}
            onClick={() => navigate(paths.ruleCreate())}
          >
            {w.create}
          </Button>
        )
      }
    >
      {available ? (
        <MetricsProvider value={metrics}>
          <QueryTable
            query={api.rules.list}
            name="rules"
            label={w.title}
            columns={columns}
            filters={filters}
            actions={actions}
            empty={w.empty}
            refreshSeconds={REFRESH_S}
            onCount={setTotal}
            onRows={onRows}
          />
        </MetricsProvider>
      ) : (
        <Panel>
          <NotAvailable />
        </Panel>
      )}
    </Page>
  );
}

function Count({ id, name }: { id: string; name: string }) {
  const language = useLanguage();
  const value = counter(useMetricsOf(id), name);
  return value === undefined ? NOTHING : formatNumber(value, language);
}

function Rate({ id }: { id: string }) {
  const w = useWords(words);
  const language = useLanguage();
  const value = counter(useMetricsOf(id), 'matched.rate');
  return value === undefined ? NOTHING : w.perSecond({ rate: formatRate(value, language) });
}

function Enable({ of }: { of: Rule }) {
  const w = useWords(words);
  const { turn } = useDeeds();
  return (
    <EnableSwitch
      on={of.enable}
      label={w.enableOf({ id: visibleText(of.id) })}
      onChange={(on) => turn(of, on)}
    />
  );
}
