import type { Plugin } from '@mqdeck/contract/plugins';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { State } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { idOfPlugin, nodesOf, worstOf } from './plugin-state.ts';

/** The state over all nodes. One that the operator has stopped is no fault. */
export function PluginState({ plugin }: { plugin: Plugin }) {
  const is = worstOf(plugin);
  if (is === 'stopped') return <State is="stopped" />;
  return <NodeStates is={is} nodes={nodesOf(plugin)} name={visibleText(idOfPlugin(plugin))} />;
}
