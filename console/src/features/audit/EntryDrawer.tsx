import { Drawer } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { AuditEntry } from '@mqdeck/contract/audit';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import { AbsoluteTime, RelativeTime } from '../../ui/RelativeTime.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './audit.module.css';
import { askedOf, failureText, operationText, valueText } from './audit-text.ts';
import { ChangeList } from './ChangeList.tsx';
import { Result, Who } from './parts.tsx';
import { words } from './words.ts';

/** One entry: who, what was and is, and what was asked. `listed` is what the list has of it. */
export function EntryDrawer({
  id,
  listed,
  onClose,
}: {
  id: string;
  listed: AuditEntry | undefined;
  onClose: () => void;
}) {
  const w = useWords(words);
  const asked = useEndpoint(
    api.audit.get,
    { params: { id } },
    { quiet: true, enabled: listed === undefined, keepPrevious: false },
  );
  const entry = listed ?? asked.data;
  return (
    <Drawer
      opened
      onClose={onClose}
      title={w.entry}
      position="right"
      size={720}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      {entry ? (
        <Entry entry={entry} />
      ) : asked.error?.status === 404 ? (
        <EmptyState title={w.gone} />
      ) : asked.error ? (
        <ErrorState title={w.failed} text={sentenceInPlace(asked.error)} retry={() => void asked.refetch()} />
      ) : (
        <SkeletonRows rows={6} />
      )}
    </Drawer>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const w = useWords(words);
  const language = useLanguage();
  const { changes, changes_left_off = 0, source, times = 1, last_at, args = [], failure } = entry;
  const told = failureText(failure);
  const facts: Fact[] = [
    { label: w.source, value: <Who entry={entry} /> },
    { label: w.source_ip, value: entry.source_ip && visibleText(entry.source_ip) },
    {
      label: w.created_at,
      value: (
        <>
          <AbsoluteTime at={entry.created_at} />
          <br />
          <span className={styles.faint}>
            <RelativeTime at={entry.created_at} />
          </span>
        </>
      ),
    },
    { label: w.operation_result, value: <Result entry={entry} /> },
    { label: w.node, value: entry.node },
    { label: w.duration_ms, value: `${formatNumber(entry.duration_ms, language)} ms` },
    ...(args.length > 0 ? [{ label: w.args, value: visibleText(args.map(String).join(' ')) }] : []),
    ...(times > 1
      ? [
          {
            label: w.times,
            value: (
              <>
                {w.repeated({ count: times })} <RelativeTime at={last_at} />
              </>
            ),
          },
        ]
      : []),
  ];
  return (
    <div className={styles.entry}>
      <p className={styles.operation}>{visibleText(operationText(entry))}</p>
      <Facts facts={facts} />
      {told !== '' && (
        <Panel title={w.answer}>
          <Shown value={told} />
        </Panel>
      )}
      <Panel title={w.whatChanged}>
        {changes === undefined ? (
          <p className={styles.faint}>{w.notToldBy}</p>
        ) : changes.length === 0 ? (
          <p className={styles.faint}>{askedOf(entry) === undefined ? w.nothingChanged : w.onlyAsked}</p>
        ) : (
          <ChangeList changes={changes} />
        )}
        {changes_left_off > 0 && <p className={styles.faint}>{w.leftOff({ count: changes_left_off })}</p>}
      </Panel>
      {entry.http_request && <Request request={entry.http_request} />}
      {source !== '' && (
        <p>
          <Link to={paths.audit({ source })}>{w.othersOf({ source: visibleText(source) })}</Link>
        </p>
      )}
    </div>
  );
}

function Request({ request }: { request: NonNullable<AuditEntry['http_request']> }) {
  const w = useWords(words);
  const parts = (['bindings', 'query', 'headers', 'body'] as const).filter((part) => {
    const value = request[part];
    return value !== undefined && value !== null && Object.keys(Object(value) as object).length > 0;
  });
  return (
    <Panel title={w.request}>
      {parts.length === 0 && <p className={styles.faint}>{w.noRequest}</p>}
      {parts.map((part) => (
        <div key={part}>
          <h3 className={styles.part}>{w[part]}</h3>
          <Shown value={request[part]} />
        </div>
      ))}
    </Panel>
  );
}

function Shown({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className={styles.shown} tabIndex={0}>
      {valueText(value).split('\n').map(visibleText).join('\n')}
    </pre>
  );
}
