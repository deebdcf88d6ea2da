import { api } from '@mqdeck/contract/api';
import { AUDIT_FROM, AUDIT_METHODS, AUDIT_RESULTS, type AuditEntry } from '@mqdeck/contract/audit';
import { useCallback, useState } from 'react';
import { useAvailable } from '../../api/features.ts';
import { Toggle } from '../../form/fields.tsx';
import { Group } from '../../form/Group.tsx';
import { Count } from '../../form/measure-fields.tsx';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { searchText } from '../../search-text.ts';
import { columnsOf } from '../../table/columns.tsx';
import { choiceFilter, textFilter, timeFilter } from '../../table/filters.ts';
import { QueryTable } from '../../table/QueryTable.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState, useUrlTab } from '../../url-state.ts';
import styles from './audit.module.css';
import { askedOf, changeText, failureText, operationText, shortValue } from './audit-text.ts';
import { EntryDrawer } from './EntryDrawer.tsx';
import { Result, Who } from './parts.tsx';
import { words } from './words.ts';

const column = columnsOf<AuditEntry>(words);
const columns = [
  column.time('created_at', { sort: false, width: 130, grow: 0.4, lead: true }),
  column.custom('source', (entry) => <Who entry={entry} />, { width: 230, grow: 0.6, brief: true }),
  column.custom('operation', (entry) => <Operation entry={entry} />, {
    value: operationText,
    fields: ['operation_id', 'http_method', 'http_request'],
    width: 240,
    grow: 2,
  }),
  column.custom('changes', (entry) => <Summary entry={entry} />, {
    value: ({ changes = [] }) => changes.map(changeText).join('\n'),
    width: 260,
    grow: 3,
  }),
  column.custom('operation_result', (entry) => <Result entry={entry} />, { width: 120, grow: 0.4 }),
  column.id('source_ip', { sort: false, width: 130, grow: 0.6 }),
  column.number('times', { sort: false, value: ({ times = 1 }) => times, width: 70, grow: 0.2 }),
  column.text('from', { sort: false, width: 110, hidden: true }),
  column.number('http_status_code', { sort: false, width: 90, hidden: true }),
  column.duration('duration_ms', { sort: false, unit: 'ms', width: 100, hidden: true }),
  column.text('node', { sort: false, width: 160, hidden: true }),
];

const named = <const K extends keyof typeof words>(values: readonly K[]) =>
  values.map((value) => ({ value, label: words[value] as { en: string; zh: string } }));
const filters = [
  textFilter('like_text', words.likeText, { example: 'users' }),
  textFilter('source', words.sourceIs, { example: 'admin' }),
  choiceFilter('operation_result', words.operation_result, named(AUDIT_RESULTS), { pinned: true }),
  timeFilter('gte_created_at', words.after, { pinned: true }),
  timeFilter('lte_created_at', words.before),
  textFilter('source_ip', words.addressIs, { pinned: false, example: '10.0.0.7' }),
  choiceFilter('from', words.from, named(AUDIT_FROM)),
  choiceFilter('http_method', words.method, named(AUDIT_METHODS)),
  textFilter('operation_id', words.operationIs, { pinned: false, example: '/configs/log' }),
  textFilter('operation_type', words.typeIs, { pinned: false, example: 'configs' }),
];

/** What tells entries apart; real brokers number none. */
const idOf = ({ id, created_at, operation_id, source }: AuditEntry): string =>
  id === undefined ? [created_at, operation_id, source].join(' ') : String(id);

const TABS = ['entries', 'settings'] as const;

export function AuditPage() {
  const w = useWords(words);
  const language = useLanguage();
  const available = useAvailable(api.audit.list);
  const [tab, setTab] = useUrlTab(TABS);
  const [count, setCount] = useState<number>();
  return (
    <Page title={w.title} purpose={w.purpose}>
      {available ? (
        <Tabs
          label={w.title}
          value={tab}
          onChange={setTab}
          tabs={[
            {
              value: 'entries',
              label: w.tabEntries,
              count: count === undefined ? undefined : formatNumber(count, language),
            },
            { value: 'settings', label: w.tabSettings },
          ]}
        >
          {tab === 'entries' ? <Entries onCount={setCount} /> : <Settings />}
        </Tabs>
      ) : (
        <Entries onCount={setCount} />
      )}
    </Page>
  );
}

function Entries({ onCount }: { onCount: (count: number | undefined) => void }) {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const [rows, setRows] = useState<readonly AuditEntry[]>([]);
  const onRows = useCallback((shown: readonly AuditEntry[]) => setRows(shown), []);
  const open = typeof values.entry === 'string' ? values.entry : undefined;
  return (
    <>
      <QueryTable<AuditEntry>
        query={api.audit.list}
        columns={columns}
        rowId={idOf}
        filters={filters}
        onOpen={(entry) => set({ entry: idOf(entry) }, 'push')}
        onCount={onCount}
        onRows={onRows}
        empty={w.empty}
        label={w.label}
        name="audit"
      />
      {open !== undefined && (
        <EntryDrawer
          key={open}
          id={open}
          listed={rows.find((entry) => idOf(entry) === open)}
          onClose={() => set({ entry: undefined }, 'replace')}
        />
      )}
    </>
  );
}

/** Opens the entry; a real link, so that it can be sent to somebody. */
function Operation({ entry }: { entry: AuditEntry }) {
  const w = useWords(words);
  const { values } = useUrlState();
  const { operation_id: operation } = entry;
  const isCommand =
    entry.from === 'cli' && (operation === 'start' || operation === 'stop' || operation === 'import');
  const text = isCommand ? w[operation] : visibleText(operationText(entry));
  return (
    <Link
      to={`${paths.audit()}${searchText({ ...values, entry: idOf(entry) })}`}
      className={isCommand ? styles.clip : styles.mono}
      title={text}
    >
      <bdi>{text}</bdi>
    </Link>
  );
}

function Summary({ entry }: { entry: AuditEntry }) {
  const w = useWords(words);
  const { changes = [], changes_left_off = 0, failure } = entry;
  const [first] = changes;
  const all = changes.length + changes_left_off;
  if (!first) {
    const asked = askedOf(entry);
    const told = visibleText(asked === undefined ? failureText(failure) : shortValue(asked));
    return (
      <span className={`${styles.clip} ${styles.faint}`} title={told}>
        {told}
      </span>
    );
  }
  const text = visibleText(changeText(first));
  const shown = all > 1 ? w.more({ first: text, count: all - 1 }) : text;
  return (
    <span className={styles.clip} title={shown}>
      {shown}
    </span>
  );
}

function Settings() {
  const w = useWords(words);
  return (
    <SettingsForm load={api.log.get} save={api.log.update} words={words} partial refresh={[api.audit.list]}>
      <Group title={w.settingsTitle} text={w.settingsText}>
        <Toggle name="audit.enable" />
        <Count name="audit.max_filter_size" unit={w.entries} required />
        <Toggle name="audit.ignore_high_frequency_request" />
      </Group>
    </SettingsForm>
  );
}
