import { api } from '@mqdeck/contract/api';
import { GATEWAY_STATES, type GatewayItem } from '@mqdeck/contract/gateways';
import { useMemo } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { BarMeter } from '../../charts/BarMeter.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import { choiceFilter } from '../../table/filters.ts';
import { LocalTable } from '../../table/LocalTable.tsx';
import { useNarrow } from '../../table/narrow.ts';
import { usePolling } from '../../table/use-polling.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { formatNumber, NOTHING } from '../../ui/format.ts';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { State } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { GatewayIcon } from './GatewayIcon.tsx';
import styles from './gateways.module.css';
import { gatewayName, isGateway } from './kinds.ts';
import { isEnabled, isLoaded, nodesOf, stateFor } from './standing.ts';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

const column = columnsOf<GatewayItem>(words);
const columns = [
  column.custom('name', (row) => <Name of={row} />, { sort: 'name', width: 260, grow: 4 }),
  column.custom('status', (row) => <Status of={row} />, {
    sort: 'status',
    value: ({ status }) => status,
    lead: true,
    width: 130,
    grow: 1.2,
  }),
  column.custom('connectionsCount', (row) => <Connections of={row} />, {
    sort: 'connectionsCount',
    value: ({ current_connections }) => current_connections,
    brief: true,
    width: 170,
    grow: 1.4,
  }),
  column.custom('listeners', (row) => <Listeners of={row} />, {
    value: ({ listeners }) => listeners?.map(({ id }) => id).join(', '),
    width: 150,
    grow: 1.6,
  }),
  column.custom('enable', (row) => <Enable of={row} />, { value: isEnabled, width: 80, grow: 0.4 }),
  column.custom('deeds', (row) => <Deeds of={row} />, {
    value: () => undefined,
    brief: true,
    width: 180,
    grow: 0.8,
  }),
];
const filters = [
  choiceFilter(
    'status',
    words.status,
    GATEWAY_STATES.map((value) => ({ value, label: words[value] })),
    { pinned: true },
  ),
];
const rowId = ({ name }: GatewayItem) => name;
const rank = ({ status }: GatewayItem) => GATEWAY_STATES.indexOf(status);

export function GatewaysPage() {
  const w = useWords(words);
  const refresh = usePolling();
  const { data, error, dataUpdatedAt, isFetching, refetch } = useEndpoint(
    api.gateways.list,
    {},
    { quiet: true, poll: refresh.poll },
  );
  const rows = useMemo(() => data?.toSorted((a, b) => rank(a) - rank(b)), [data]);
  const running = data?.filter(({ status }) => status === 'running').length ?? 0;
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={data && data.length > 0 ? w.found({ running, count: data.length }) : undefined}
    >
      {error?.absent && !data ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        <LocalTable
          name="gateways"
          label={w.title}
          rows={rows}
          columns={columns}
          rowId={rowId}
          filters={filters}
          empty={w.empty}
          error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
          tools={refresh.control({ dataUpdatedAt, isFetching, refetch })}
        />
      )}
    </Page>
  );
}

/** Dimmed as long as nobody has set it up. */
function Name({ of }: { of: GatewayItem }) {
  const w = useWords(words);
  const { name } = of;
  const shown = visibleText(gatewayName(name, w));
  return (
    <span className={styles.name} data-dim={!isLoaded(of) || undefined}>
      <GatewayIcon name={name} size={16} />
      {isGateway(name) && isLoaded(of) ? (
        <Link to={paths.gateway(name)}>{shown}</Link>
      ) : (
        <span className={styles.plainName}>{shown}</span>
      )}
      {isGateway(name) && (
        <span className={styles.text} title={w[`${name}Text`]}>
          {w[`${name}Text`]}
        </span>
      )}
    </span>
  );
}

function Status({ of }: { of: GatewayItem }) {
  const w = useWords(words);
  if (!isLoaded(of)) return <State is="notInstalled" label={w.unloaded} />;
  if (!isEnabled(of)) return <State is="stopped" />;
  return (
    <span className={styles.status}>
      <NodeStates is={stateFor(of)} nodes={nodesOf(of)} name={gatewayName(of.name, w)} />
      {of.failure && (
        <span className={styles.text} title={visibleText(of.failure)}>
          {visibleText(of.failure)}
        </span>
      )}
    </span>
  );
}

function Connections({ of }: { of: GatewayItem }) {
  const w = useWords(words);
  const language = useLanguage();
  const narrow = useNarrow();
  const { current_connections: used, max_connections: total } = of;
  const format = (value: number) => formatNumber(value, language);
  if (used === undefined) return NOTHING;
  if (typeof total !== 'number' || total === 0) return w.noLimit({ count: format(used) });
  if (narrow) return w.ofLimit({ count: format(used), limit: format(total) });
  return (
    <BarMeter
      label={`${gatewayName(of.name, w)}: ${w.connectionsCount}`}
      used={used}
      total={total}
      format={format}
    />
  );
}

/** How many, and where: `2 · tcp :61613, ssl :61614`. */
function Listeners({ of: { listeners } }: { of: GatewayItem }) {
  const language = useLanguage();
  if (listeners === undefined) return NOTHING;
  const where = listeners.map((one) => `${one.type} ${typeof one.bind === 'string' ? one.bind : one.name}`);
  const shown = visibleText(where.join(', '));
  return (
    <span className={styles.listeners} title={shown}>
      <span>{formatNumber(listeners.length, language)}</span>
      {where.length > 0 && <span className={styles.text}>{shown}</span>}
    </span>
  );
}

function Enable({ of }: { of: GatewayItem }) {
  const w = useWords(words);
  const { turn } = useDeeds();
  const { name } = of;
  return (
    <EnableSwitch
      on={isEnabled(of)}
      label={w.enableOf({ name: gatewayName(name, w) })}
      onChange={(on) => turn(name, on)}
      disabledReason={isLoaded(of) ? undefined : w.setUpFirst}
    />
  );
}

function Deeds({ of }: { of: GatewayItem }) {
  const w = useWords(words);
  const { name } = of;
  if (!isGateway(name)) return <span className={styles.text}>{w.noForm}</span>;
  const named = { name: gatewayName(name, w) };
  if (!isLoaded(of))
    return (
      <Link to={paths.gatewayCreate(name)} aria-label={w.setUpOf(named)}>
        {w.setUp}
      </Link>
    );
  return (
    <span className={styles.deeds}>
      <Link to={paths.gateway(name)} aria-label={w.settingsOf(named)}>
        {w.settings}
      </Link>
      <Link to={paths.gateway(name, 'connections')} aria-label={w.connectionsOf(named)}>
        {w.connections}
      </Link>
    </span>
  );
}
