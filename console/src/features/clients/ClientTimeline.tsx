import { SegmentedControl } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { CLIENT_EVENTS_MAX, type ClientEvent } from '@mqdeck/contract/client-events';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { formatDurationShort, formatTime } from '../../ui/format.ts';
import {
  IconBan,
  IconConnections,
  IconInfo,
  IconKick,
  IconLimiter,
  IconOff,
  type IconProps,
  IconRefresh,
  IconShield,
  IconSubscriptions,
  IconUneven,
} from '../../ui/icons.tsx';
import { Panel } from '../../ui/Page.tsx';
import { AbsoluteTime, RelativeTime } from '../../ui/RelativeTime.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlTab } from '../../url-state.ts';
import { hasPath } from './address.ts';
import { actorText, denierOf, factsOf, KINDS, kindOf, sentenceOf, toneOf } from './event-text.ts';
import { words as messageWords } from './message-words.ts';
import styles from './timeline.module.css';
import { words } from './timeline-words.ts';

type Icon = (props: IconProps) => React.ReactNode;
const ICONS: Readonly<Record<string, Icon>> = {
  connected: IconConnections,
  disconnected: IconOff,
  refused: IconBan,
  denied: IconShield,
  limited: IconLimiter,
  subscribed: IconSubscriptions,
  unsubscribed: IconSubscriptions,
  subscribe_refused: IconSubscriptions,
  session_discarded: IconRefresh,
  session_ended: IconOff,
};
const BY_REASON: Readonly<Record<string, Icon>> = { kicked: IconKick, takenover: IconUneven };

const iconOf = ({ type, reason = '' }: ClientEvent): Icon => BY_REASON[reason] ?? ICONS[type] ?? IconInfo;

/** What happened to a client id, whether anybody is connected with it or not. */
export function ClientTimeline({ clientid, poll }: { clientid: string; poll: number | undefined }) {
  const w = useWords(words);
  const m = useWords(messageWords);
  if (!hasPath(clientid))
    return (
      <Panel title={w.timeline}>
        <EmptyState icon={<IconOff size={28} />} title={m.notByPath} />
      </Panel>
    );
  return <Timeline clientid={clientid} poll={poll} />;
}

function Timeline({ clientid, poll }: { clientid: string; poll: number | undefined }) {
  const w = useWords(words);
  const language = useLanguage();
  const [kind, setKind] = useUrlTab(KINDS, 'events');
  const { data, error, refetch } = useEndpoint(
    api.clientEvents.list,
    { params: { clientid } },
    { poll, quiet: true, keepPrevious: false },
  );
  if (!data) {
    return (
      <Panel title={w.timeline}>
        {error?.code === 'CLIENTID_NOT_FOUND' ? (
          <EmptyState title={w.empty} text={w.emptyText} />
        ) : error?.absent || error?.status === 404 ? (
          <NotAvailable />
        ) : error ? (
          <ErrorState title={w.failed} text={sentenceInPlace(error)} retry={() => void refetch()} />
        ) : (
          <SkeletonRows rows={6} />
        )}
      </Panel>
    );
  }
  const { data: events, meta } = data;
  const shown = events.filter((event) => kind === 'all' || kindOf(event) === kind);
  return (
    <Panel
      title={w.timeline}
      actions={
        events.length > 0 && (
          <SegmentedControl
            aria-label={w.which}
            size="xs"
            value={kind}
            onChange={(value) => setKind(value as typeof kind)}
            data={KINDS.map((value) => ({ value, label: w[value] }))}
          />
        )
      }
    >
      {events.length === 0 ? (
        <EmptyState title={w.empty} text={w.emptyText} />
      ) : (
        <>
          <p className={styles.faint}>
            {w.about({ max: CLIENT_EVENTS_MAX, since: formatTime(meta.since, language) })}
          </p>
          {error && (
            <p className={styles.failed} role="alert">
              {w.older}: {sentenceInPlace(error)}
            </p>
          )}
          {shown.length === 0 ? (
            <EmptyState title={w.noneOfKind} />
          ) : (
            <ol className={styles.events} aria-label={w.timeline}>
              {shown.map((event) => (
                <Event key={event.id} event={event} />
              ))}
            </ol>
          )}
          {meta.forgotten > 0 && <p className={styles.faint}>{w.forgotten({ count: meta.forgotten })}</p>}
        </>
      )}
    </Panel>
  );
}

function Event({ event }: { event: ClientEvent }) {
  const w = useWords(words);
  const language = useLanguage();
  const Icon = iconOf(event);
  const { by, rule, times = 1, last_at } = event;
  const facts = factsOf(w, event, (ms) => formatDurationShort(ms, language));
  const actor = actorText(w, event);
  const denier = denierOf(w, event);
  return (
    <li className={styles.event} data-tone={toneOf(event)}>
      <span className={styles.sign}>
        <Icon size={16} />
      </span>
      <div className={styles.what}>
        <p className={styles.sentence}>
          <bdi>{sentenceOf(w, event)}</bdi>
          {actor && <span className={styles.actor}>{actor}</span>}
        </p>
        {(facts.length > 0 || by || denier) && (
          <p className={styles.facts}>
            {denier && (denier.to ? <Link to={denier.to}>{denier.text}</Link> : <span>{denier.text}</span>)}
            {rule && <code className={styles.rule}>{visibleText(rule)}</code>}
            {facts.map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
            {by && (
              <Link to={paths.audit({ source: by.source })}>
                {w.toAudit({ source: visibleText(by.source) })}
              </Link>
            )}
          </p>
        )}
        {times > 1 && (
          <p className={styles.facts}>
            {w.times({ count: times })} <RelativeTime at={last_at} />
          </p>
        )}
      </div>
      <div className={styles.when}>
        <RelativeTime at={event.at} />
        <span className={styles.faint}>
          <AbsoluteTime at={event.at} />
        </span>
      </div>
    </li>
  );
}
