import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { ApiKey, NewApiKey } from '@mqdeck/contract/api-keys';
import { useState } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { columnsOf } from '../../table/columns.tsx';
import { choiceFilter } from '../../table/filters.ts';
import { LocalTable } from '../../table/LocalTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { useTableState } from '../../table/table-host.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { IconPlus } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { CreateApiKey, EditApiKey } from './ApiKeyForms.tsx';
import { ApiKeyState, ExpiresAt } from './ApiKeyState.tsx';
import { ApiKeyView } from './ApiKeyView.tsx';
import styles from './api-keys.module.css';
import { KEY_STATES, stateOf } from './expiry-date.ts';
import { NewSecret } from './NewSecret.tsx';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

/** Keys expire while somebody looks. */
const POLL_MS = 15_000;

const STATE_WORDS = {
  enabled: words.enabledState,
  disabled: words.disabledState,
  expired: words.expired,
  soon: words.soon,
};
const column = columnsOf<ApiKey>(words);
const columns = [
  column.custom('name', ({ name }) => <Name name={name} />, { sort: 'name', width: 180, grow: 2 }),
  column.custom('state', (row) => <ApiKeyState of={row} />, {
    value: (row) => stateOf(row),
    sort: 'state',
    width: 130,
    lead: true,
  }),
  column.id('api_key', { width: 170, grow: 1 }),
  column.custom('expired_at', (row) => <ExpiresAt of={row} />, { sort: 'expired_at', width: 130 }),
  column.text('desc', { width: 200, grow: 3 }),
  column.time('created_at'),
  column.custom('enable', (row) => <Enable of={row} />, {
    value: ({ enable }) => enable,
    brief: true,
    width: 90,
    grow: 0.6,
  }),
];
const filters = [
  choiceFilter(
    'state',
    words.state,
    KEY_STATES.map((value) => ({ value, label: STATE_WORDS[value] })),
    { pinned: true },
  ),
];

export function ApiKeysPage() {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.apiKeys.list, {}, { quiet: true, poll: POLL_MS });
  const { values, set } = useTableState();
  const [form, setForm] = useState<'create' | ApiKey>();
  const [opened, setOpened] = useState(false);
  const [made, setMade] = useState<NewApiKey>();
  const { remove } = useDeeds();
  const open = (next: 'create' | ApiKey) => {
    setForm(next);
    setOpened(true);
  };
  const look = (name: string | undefined) => set({ key: name }, name === undefined ? 'replace' : 'push');
  const actions = (key: ApiKey): RowAction[] => [
    { label: w.view, run: () => look(key.name) },
    { label: w.edit, run: () => open(key) },
    { label: w.remove, danger: true, run: () => void remove(key) },
  ];
  // The form keeps its key while its drawer slides away.
  const close = () => setOpened(false);
  const looked = typeof values.key === 'string' ? values.key : undefined;
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={data ? w.found({ count: data.length }) : undefined}
      actions={
        error?.absent ? undefined : (
          <Button variant="filled" leftSection={<IconPlus size={15} />} onClick={() => open('create')}>
            {w.create}
          </Button>
        )
      }
    >
      {error?.absent && !data ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        <LocalTable
          rows={data ?? undefined}
          columns={columns}
          filters={filters}
          actions={actions}
          empty={w.empty}
          label={w.title}
          name="api-keys"
          error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
        />
      )}
      <CreateApiKey opened={opened && form === 'create'} onClose={close} onCreated={setMade} />
      {typeof form === 'object' && <EditApiKey apiKey={form} opened={opened} onClose={close} />}
      {looked !== undefined && data && (
        <ApiKeyView
          name={looked}
          apiKey={data.find(({ name }) => name === looked)}
          onClose={() => look(undefined)}
          onEdit={(key) => {
            look(undefined);
            open(key);
          }}
        />
      )}
      {made && (
        <NewSecret
          made={made}
          onStored={() => {
            setMade(undefined);
            toast('good', w.created({ name: visibleText(made.name) }));
          }}
        />
      )}
    </Page>
  );
}

function Name({ name }: { name: string }) {
  const { set } = useTableState();
  const shown = visibleText(name);
  return (
    <button type="button" className={styles.name} title={shown} onClick={() => set({ key: name }, 'push')}>
      {shown}
    </button>
  );
}

function Enable({ of }: { of: ApiKey }) {
  const w = useWords(words);
  const { turn } = useDeeds();
  return (
    <EnableSwitch
      on={of.enable}
      label={w.switchOf({ name: visibleText(of.name) })}
      onChange={(on) => turn(of, on)}
    />
  );
}
