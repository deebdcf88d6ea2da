import type { ListenerItem } from '@mqdeck/contract/listeners';
import type { NodeState } from '../../ui/NodeStates.tsx';

/** How a listener stands, over all nodes: switched off it is stopped, whatever a node still says. */
export type Standing = 'running' | 'stopped' | 'inconsistent';

export function standingOf({ node_status, status }: ListenerItem): Standing {
  const running = node_status.length === 0 ? [status.running] : node_status.map((one) => one.status.running);
  // Clusters have a word for it where their nodes differ.
  if (running.every((one) => one === true)) return 'running';
  return running.every((one) => one === false) ? 'stopped' : 'inconsistent';
}

export const nodesOf = ({ node_status, failure }: ListenerItem): NodeState[] =>
  node_status.map(({ node, status }) => ({
    node,
    is: status.running === true ? 'running' : 'stopped',
    ...(status.running !== true && failure ? { reason: failure } : {}),
  }));
