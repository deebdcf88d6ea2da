import type { Plugin } from '@mqdeck/contract/plugins';
import type { NodeState } from '../../ui/NodeStates.tsx';
import { type StateName, stateOf } from '../../ui/State.tsx';

/** `name-version`, by which the API knows a plugin. */
export const idOfPlugin = ({ name, rel_vsn }: Plugin): string => `${name}-${rel_vsn}`;

/** How it stands on each node. A plugin that is stopped although it should run is in error. */
export const nodesOf = ({ running_status }: Plugin): NodeState[] =>
  running_status.map(({ node, status, health_status: health }) => ({
    node,
    is: health?.status === 'error' && status !== 'running' ? 'error' : known(status),
    reason: health?.message || undefined,
  }));

const known = (status: string): StateName => (status === 'loaded' ? 'stopped' : stateOf(status));

/** The worst of the nodes; where they differ that is what is to be seen. */
export function worstOf(plugin: Plugin): StateName {
  const states = nodesOf(plugin).map(({ is }) => is);
  if (states.includes('error')) return 'error';
  const [first = 'stopped'] = states;
  return states.every((one) => one === first) ? first : 'inconsistent';
}

/** Runs somewhere: what is offered is to stop it. */
export const runs = ({ running_status }: Plugin): boolean =>
  running_status.some(({ status }) => status === 'running');

/** Why it does not run well, if anybody says. */
export const troubleOf = (plugin: Plugin): string | undefined =>
  nodesOf(plugin).find(({ reason }) => reason !== undefined)?.reason;

/** An address that may be a link: of the web, and written out. */
export const webAddress = (text: string | undefined): string | undefined =>
  text !== undefined && /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text) ? text : undefined;
