import type { GatewayName } from '@mqdeck/contract/gateways';
import { lazy, type ReactNode, Suspense } from 'react';
import { Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { GatewayFrame, type Part } from './GatewayFrame.tsx';

/** The forms are loaded when they are looked at. */
const GatewaySettings = lazy(async () => ({
  default: (await import('./GatewaySettings.tsx')).GatewaySettings,
}));
const ListenersPart = lazy(async () => ({
  default: (await import('./listeners/ListenersPart.tsx')).ListenersPart,
}));
const ConnectionsPart = lazy(async () => ({
  default: (await import('./connections/ConnectionsPart.tsx')).ConnectionsPart,
}));

const of = (part: Part, show: (name: GatewayName) => ReactNode) => () => (
  <GatewayFrame part={part}>
    {(name) => <Suspense fallback={<SkeletonRows rows={8} />}>{show(name)}</Suspense>}
  </GatewayFrame>
);

export const GatewaySettingsPage = of('settings', (name) => (
  <Panel>
    <GatewaySettings name={name} />
  </Panel>
));
export const GatewayListenersPage = of('listeners', (name) => <ListenersPart name={name} />);
export const GatewayConnectionsPage = of('connections', (name) => <ConnectionsPart name={name} />);
