import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type {
  AuthorizationSettings,
  AuthorizationSource,
  SourceStatus,
} from '@mqdeck/contract/authorization';
import { useMemo, useState } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { getLanguage } from '../../i18n/language.ts';
import { useLanguage, useWords, type Words, wordsIn } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { OrderedTable } from '../../table/reorder/OrderedTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { formatRate, NOTHING } from '../../ui/format.ts';
import { IconPlus, IconSettings, IconWarn } from '../../ui/icons.tsx';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { AuthorizationSettingsDrawer } from './AuthorizationSettingsDrawer.tsx';
import styles from './authorization.module.css';
import { nameOf, sourceOf } from './sources.ts';
import { useDeeds } from './use-deeds.ts';
import { nodesOf, stateFor, useStatuses } from './use-statuses.ts';
import { words } from './words.ts';

/** A source with what it has decided so far; its status comes later than the list. */
interface Row extends Record<string, unknown> {
  source: AuthorizationSource;
  status: SourceStatus | undefined;
}

const NO_TYPES: readonly string[] = [];
/** What somebody else changed is seen after this time. */
const POLL_MS = 15_000;

const column = columnsOf<Row>(words);
const figure = (name: 'allow' | 'deny' | 'nomatch') =>
  column.number(name, { value: ({ status }) => status?.metrics[name], sort: false, width: 84 });
const columns = [
  column.custom('name', ({ source }) => <Name type={source.type} />, {
    value: ({ source }) => source.type,
    width: 190,
    grow: 2.4,
  }),
  column.custom('status', (row) => <Status row={row} />, {
    value: ({ status }) => status?.status,
    lead: true,
    width: 140,
    grow: 1.4,
  }),
  figure('allow'),
  figure('deny'),
  figure('nomatch'),
  column.custom('rate', ({ status }) => <RateCell rate={status?.metrics.rate} />, {
    value: ({ status }) => status?.metrics.rate,
    align: 'end',
    width: 80,
    grow: 0.6,
  }),
  column.custom('enable', ({ source }) => <Enable source={source} />, {
    value: ({ source }) => source.enable,
    brief: true,
    width: 90,
    grow: 0.6,
  }),
];

const rowId = ({ source }: Row): string => source.type;
const rowName = ({ source }: Row): string => nameOf(source.type, wordsIn(words, getLanguage()));

export function AuthorizationPage() {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.authorization.sources, {}, { quiet: true, poll: POLL_MS });
  const settings = useEndpoint(api.authorization.settings, {}, { quiet: true }).data;
  const [opened, setOpened] = useState(false);
  const sources = data?.sources;
  const types = useMemo(() => sources?.map(({ type }) => type) ?? NO_TYPES, [sources]);
  const statuses = useStatuses(types);
  const rows = useMemo(
    () => sources?.map((source): Row => ({ source, status: statuses[source.type] })),
    [sources, statuses],
  );
  const { move, remove } = useDeeds();
  const actions = ({ source }: Row): RowAction[] => {
    const page = paths.authorizationSource(source.type);
    return [
      source.type === 'built_in_database'
        ? { label: w.permissions, run: () => navigate(`${page}?tab=permissions`) }
        : {
            label: source.type === 'file' ? w.rules : w.settings,
            run: () => navigate(`${page}?tab=settings`),
            disabledReason: sourceOf(source.type) === undefined && w.unknownType({ type: source.type }),
          },
      { label: w.remove, danger: true, run: () => remove(source) },
    ];
  };
  const buttons = (
    <>
      <Link to={paths.accessTest()}>{w.testAccess}</Link>
      <Button leftSection={<IconSettings size={15} />} onClick={() => setOpened(true)}>
        {w.settings}
      </Button>
      <Button
        variant="filled"
        leftSection={<IconPlus size={15} />}
        onClick={() => navigate(paths.authorizationCreate())}
      >
        {w.add}
      </Button>
    </>
  );
  const noneEnabled = sources !== undefined && sources.length > 0 && !sources.some(({ enable }) => enable);
  const absent = error?.absent && !data;
  return (
    <Page
      title={w.title}
      purpose={chainSentence(settings, w)}
      facts={sources ? w.found({ count: sources.length }) : undefined}
      actions={absent ? undefined : buttons}
    >
      {noneEnabled && settings && (
        <Notice is="warn" role="alert">
          <strong>{settings.no_match === 'allow' ? w.openTitle : w.closedTitle}</strong>{' '}
          {settings.no_match === 'allow' ? w.openText : w.closedText}
        </Notice>
      )}
      {absent ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        <OrderedTable
          rows={rows}
          columns={columns}
          rowId={rowId}
          rowName={rowName}
          move={move}
          actions={actions}
          label={w.title}
          error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
          empty={
            <EmptyState
              icon={<IconWarn size={28} className={styles.warnSign} />}
              title={w.emptyTitle}
              text={settings ? (settings.no_match === 'allow' ? w.emptyAllow : w.emptyDeny) : w.emptyText}
              action={<Link to={paths.authorizationCreate()}>{w.add}</Link>}
            />
          }
        />
      )}
      <AuthorizationSettingsDrawer opened={opened} onClose={() => setOpened(false)} />
    </Page>
  );
}

/** How a request is decided, and what happens when nobody does: the last as the settings have it. */
function chainSentence(settings: AuthorizationSettings | undefined, w: Words<typeof words>): string {
  if (!settings) return w.chain;
  const { no_match, deny_action } = settings;
  return [
    w.chain,
    no_match === 'allow' ? w.chainAllow : w.chainDeny,
    deny_action === 'disconnect' ? w.chainDisconnect : w.chainIgnore,
  ].join(getLanguage() === 'zh' ? '' : ' ');
}

function Name({ type }: { type: string }) {
  const w = useWords(words);
  return <Link to={paths.authorizationSource(type)}>{visibleText(nameOf(type, w))}</Link>;
}

function Status({ row: { source, status } }: { row: Row }) {
  const w = useWords(words);
  const is = stateFor(source, status);
  if (is === undefined) return <span className={styles.faint}>{NOTHING}</span>;
  const nodes = status && source.enable ? nodesOf(status) : [];
  return <NodeStates is={is} nodes={nodes} name={nameOf(source.type, w)} />;
}

function RateCell({ rate }: { rate: number | undefined }) {
  const w = useWords(words);
  const language = useLanguage();
  return rate === undefined ? NOTHING : w.perSecond({ rate: formatRate(rate, language) });
}

function Enable({ source }: { source: AuthorizationSource }) {
  const w = useWords(words);
  const { turn } = useDeeds();
  return (
    <EnableSwitch
      on={source.enable}
      label={w.enableOf({ name: nameOf(source.type, w) })}
      onChange={(on) => turn(source, on)}
    />
  );
}
