import { api } from '@mqdeck/contract/api';
import type { GatewayDetail, GatewayName } from '@mqdeck/contract/gateways';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { idOf, paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonFacts } from '../../ui/Skeleton.tsx';
import { State } from '../../ui/State.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { GatewayIcon } from './GatewayIcon.tsx';
import styles from './gateways.module.css';
import { gatewayName, isGateway } from './kinds.ts';
import { isEnabled, isLoaded, stateFor } from './standing.ts';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

export type Part = 'settings' | 'listeners' | 'auth' | 'connections';
const PARTS: readonly Part[] = ['settings', 'listeners', 'auth', 'connections'];
const POLL_MS = 5000;

/** The head of a gateway's pages, which are one address each; the page fills in its part. */
export function GatewayFrame({ part, children }: { part: Part; children: (name: GatewayName) => ReactNode }) {
  const { name: segment = '' } = useParams({ strict: false }) as { name?: string };
  const name = idOf(segment);
  if (!isGateway(name)) return <Unknown name={name} />;
  return (
    <One key={name} name={name} part={part}>
      {children(name)}
    </One>
  );
}

export function Unknown({ name }: { name: string }) {
  const w = useWords(words);
  return (
    <Page title={visibleText(name)}>
      <Panel>
        <EmptyState
          title={w.missing({ name: visibleText(name) })}
          text={w.missingText}
          action={<Link to={paths.gateways()}>{w.back}</Link>}
        />
      </Panel>
    </Page>
  );
}

function One({ name, part, children }: { name: GatewayName; part: Part; children: ReactNode }) {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(
    api.gateways.get,
    { params: { name } },
    { quiet: true, poll: POLL_MS },
  );
  const title = gatewayName(name, w);
  if (data && isLoaded(data))
    return (
      <Found gateway={data} part={part}>
        {children}
      </Found>
    );
  return (
    <Page title={title}>
      <Panel>
        {data ? (
          <EmptyState
            icon={<GatewayIcon name={name} size={28} />}
            title={w.notSetUp({ name: title })}
            text={w.notSetUpText}
            action={<Link to={paths.gatewayCreate(name)}>{w.setUpOf({ name: title })}</Link>}
          />
        ) : error?.absent ? (
          <NotAvailable />
        ) : error ? (
          <ErrorState title={w.loadFailed} text={sentenceInPlace(error)} retry={refetch} />
        ) : (
          <SkeletonFacts />
        )}
      </Panel>
    </Page>
  );
}

function Found({ gateway, part, children }: { gateway: GatewayDetail; part: Part; children: ReactNode }) {
  const w = useWords(words);
  const { turn } = useDeeds();
  const { name, failure } = gateway;
  const title = gatewayName(name, w);
  const on = isEnabled(gateway);
  return (
    <Page
      title={title}
      facts={
        <span className={styles.keyFacts}>
          <State is={stateFor(gateway)} wanted={on} />
          <span>{w[`${name}Text`]}</span>
        </span>
      }
      actions={
        <EnableSwitch
          on={on}
          label={w.enableOf({ name: title })}
          text={w.enable}
          onChange={(next) => turn(name, next)}
        />
      }
    >
      {failure && (
        <Notice is="bad" role="alert">
          {w.failure({ reason: visibleText(failure) })}
        </Notice>
      )}
      <Tabs
        label={w.tabs}
        value={part}
        onChange={(next) => navigate(paths.gateway(name, next))}
        tabs={PARTS.map((value) => ({ value, label: w[value] }))}
      >
        {children}
      </Tabs>
    </Page>
  );
}
