import { Button } from '@mantine/core';
import type { Alarm } from '@mqdeck/contract/alarms';
import { api } from '@mqdeck/contract/api';
import { useMemo, useState } from 'react';
import { alarmText } from '../../alarm-text.ts';
import { useAvailable } from '../../api/features.ts';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import type { Language } from '../../i18n/language.ts';
import { useWords, wordsIn } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { PlainText } from '../../table/cells.tsx';
import { columnsOf } from '../../table/columns.tsx';
import { choiceFilter } from '../../table/filters.ts';
import { LocalTable } from '../../table/LocalTable.tsx';
import { INTERVALS_S } from '../../table/RefreshControl.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { usePolling } from '../../table/use-polling.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { AlarmDialog } from './AlarmDialog.tsx';
import { detailsText } from './details.ts';
import { subjectOf } from './subject.ts';
import { words } from './words.ts';

/** More than a broker keeps. */
const LIMIT = 10_000;

const column = columnsOf<Alarm>(words);
const common = [
  column.custom('name', (row) => <Name alarm={row} />, {
    sort: 'name',
    value: ({ name }) => name,
    width: 200,
    grow: 2,
  }),
  column.custom('message', (alarm, language) => <Message alarm={alarm} language={language} />, {
    width: 260,
    grow: 5,
  }),
  column.custom('details', (alarm, language) => <PlainText value={detailsIn(alarm, language)} />, {
    sort: false,
    value: ({ details }) => detailsText(details),
    width: 240,
    grow: 2,
  }),
  column.text('node', { width: 160, grow: 0.6 }),
  // The API knows one level only.
  column.custom('level', (_, language) => words.system[language], {
    value: () => 'system',
    width: 70,
    grow: 0.2,
  }),
  column.time('activate_at'),
];
const duration = column.duration('duration', { unit: 'ms', width: 120 });
const columns = {
  current: [...common, duration],
  history: [...common, column.time('deactivate_at'), duration],
};
const rowId = ({ name, node, activate_at }: Alarm) => `${name} ${node} ${activate_at}`;
const given = {
  current: { query: { activated: true, limit: LIMIT } },
  history: { query: { activated: false, limit: LIMIT } },
};

export const CurrentAlarmsPage = () => <AlarmList key="current" which="current" />;
export const HistoryAlarmsPage = () => <AlarmList key="history" which="history" />;

function AlarmList({ which }: { which: 'current' | 'history' }) {
  const w = useWords(words);
  const past = which === 'history';
  const refresh = usePolling(INTERVALS_S[1]);
  const { data, error, dataUpdatedAt, isFetching, refetch } = useEndpoint(api.alarms.list, given[which], {
    quiet: true,
    poll: refresh.poll,
  });
  const rows = data?.data;
  const nodes = useMemo(() => [...new Set(rows?.map(({ node }) => node))].sort(), [rows]);
  const filters = useMemo(
    () => [
      choiceFilter(
        'node',
        words.node,
        nodes.map((value) => ({ value })),
        { pinned: nodes.length > 1 },
      ),
    ],
    [nodes],
  );
  const [shown, setShown] = useState<Alarm>();
  const canEnd = useAvailable(api.alarms.deactivate);
  const end = useAction(api.alarms.deactivate, {
    confirm: ({ params: { name } }) => ({
      title: w.endAsk({ name: visibleText(name) }),
      text: w.endText,
      action: w.end,
    }),
    refresh: [api.alarms.list],
    success: w.ended,
  });
  const actions = (alarm: Alarm): RowAction[] => {
    const to = subjectOf(alarm);
    return [
      { label: w.whole, run: () => setShown(alarm) },
      ...(to === undefined ? [] : [{ label: w.look, run: () => navigate(to) }]),
      ...(canEnd && !past ? [{ label: w.end, run: () => end({ params: { name: alarm.name } }) }] : []),
    ];
  };
  return (
    <Page
      title={past ? w.history : w.current}
      purpose={past ? w.historyPurpose : w.currentPurpose}
      facts={rows && w.found({ count: data.meta.count ?? rows.length })}
      actions={
        past ? (
          <ClearHistory disabled={rows?.length === 0} />
        ) : (
          <Link to={paths.monitoring('alarm-settings')}>{w.settings}</Link>
        )
      }
    >
      {error?.absent && !data ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        <LocalTable
          name={`alarms-${which}`}
          label={past ? w.history : w.current}
          rows={rows}
          columns={columns[which]}
          rowId={rowId}
          filters={filters}
          actions={actions}
          empty={past ? w.emptyHistory : w.emptyCurrent}
          error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
          tools={refresh.control({ dataUpdatedAt, isFetching, refetch })}
        />
      )}
      <AlarmDialog alarm={shown} onClose={() => setShown(undefined)} />
    </Page>
  );
}

function Message({ alarm, language }: { alarm: Alarm; language: Language }) {
  const text = alarmText(alarm, language);
  const own = visibleText(alarm.message);
  return (
    <PlainText
      value={text}
      hint={text === own ? undefined : `${text}\n${wordsIn(words, language).asTold({ text: own })}`}
    />
  );
}

/** Who reads another language than the broker writes finds its own words here. */
function detailsIn(alarm: Alarm, language: Language): string {
  const own = visibleText(alarm.message);
  const isOther = language !== 'en' && own !== '' && own !== alarmText(alarm, language);
  const details = detailsText(alarm.details);
  return [details, isOther && `message: ${own}`].filter(Boolean).join(' · ');
}

function Name({ alarm }: { alarm: Alarm }) {
  const to = subjectOf(alarm);
  const name = <bdi>{visibleText(alarm.name)}</bdi>;
  return to === undefined ? name : <Link to={to}>{name}</Link>;
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
