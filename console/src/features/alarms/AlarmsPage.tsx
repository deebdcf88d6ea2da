import { Button } from '@mantine/core';
import type { Alarm } from '@mqdeck/contract/alarms';
import { api } from '@mqdeck/contract/api';
import { useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { columnsOf } from '../../table/columns.tsx';
import { QueryTable } from '../../table/QueryTable.tsx';
import { Page } from '../../ui/Page.tsx';
import { detailsText } from './details.ts';
import { words } from './words.ts';

const column = columnsOf<Alarm>(words);
const id = column.id('name', { sort: false, width: 200 });
const common = [
  column.text('message', { sort: false, width: 240, grow: 3 }),
  column.text('details', { sort: false, value: ({ details }) => detailsText(details), width: 240, grow: 2 }),
  column.text('node', { sort: false, width: 170 }),
  // The API knows one level only.
  column.custom('level', (_, language) => words.system[language], { value: () => 'system', width: 80 }),
  column.time('activate_at', { sort: false }),
];
const columns = {
  current: [id, ...common, column.duration('duration', { unit: 'ms', sort: false, width: 120 })],
  history: [
    id,
    ...common,
    column.time('deactivate_at', { sort: false }),
    column.duration('duration', { unit: 'ms', sort: false, width: 120 }),
  ],
};
const rowId = ({ name, node, activate_at }: Alarm) => `${name} ${node} ${activate_at}`;
const given = { current: { query: { activated: true } }, history: { query: { activated: false } } };

export const CurrentAlarmsPage = () => <AlarmList which="current" />;
export const HistoryAlarmsPage = () => <AlarmList which="history" />;

function AlarmList({ which }: { which: 'current' | 'history' }) {
  const w = useWords(words);
  const [count, setCount] = useState<number>();
  const past = which === 'history';
  return (
    <Page
      title={past ? w.history : w.current}
      purpose={past ? w.historyPurpose : w.currentPurpose}
      facts={count === undefined ? undefined : w.found({ count })}
      actions={past && <ClearHistory disabled={count === 0} />}
    >
      <QueryTable<Alarm>
        key={which}
        query={api.alarms.list}
        given={given[which]}
        columns={columns[which]}
        rowId={rowId}
        onCount={setCount}
        empty={past ? w.emptyHistory : w.emptyCurrent}
        label={past ? w.history : w.current}
        name={`alarms-${which}`}
      />
    </Page>
  );
}

function ClearHistory({ disabled }: { disabled: boolean }) {
  const w = useWords(words);
  const clear = useAction(api.alarms.clearHistory, {
    confirm: { title: w.clearAsk, text: w.clearText, action: w.clear, danger: true },
    refresh: [api.alarms.list],
    success: w.cleared,
  });
  return (
    <Button
      color="red"
      variant="light"
      disabled={disabled}
      title={disabled ? w.nothingToClear : undefined}
      loading={clear.pending}
      onClick={() => void clear({})}
    >
      {w.clear}
    </Button>
  );
}
