import type { GatewayDetail, GatewayItem, GatewayState } from '@mqdeck/contract/gateways';
import type { NodeState } from '../../ui/NodeStates.tsx';
import { type StateName, stateOf } from '../../ui/State.tsx';

/** How a gateway stands, in the words that all screens share. */
export const stateFor = ({ status }: { status: GatewayState }): StateName =>
  status === 'unloaded' ? 'notInstalled' : stateOf(status);

export const isLoaded = ({ status }: { status: GatewayState }): boolean => status !== 'unloaded';

/**
 * Whether it is wanted to run. The list does not say: one that is not running although it is enabled has said why.
 */
export const isEnabled = ({
  status,
  enable,
  failure,
}: Pick<GatewayItem, 'status' | 'failure'> & Partial<Pick<GatewayDetail, 'enable'>>): boolean =>
  enable ?? (status === 'running' || failure !== undefined);

export const nodesOf = ({ node_status = [], failure }: GatewayItem): NodeState[] =>
  node_status.map(({ node, status }) => ({
    node,
    is: stateOf(status),
    ...(status !== 'running' && failure ? { reason: failure } : {}),
  }));
