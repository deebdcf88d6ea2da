import type { Bridge } from '@mqdeck/contract/bridges';

/** Which way a bridge carries data, and what rules call it. */

export const idOf = ({ type, name }: Pick<Bridge, 'type' | 'name'>): string => `${type}:${name}`;

/** Rules of newer brokers call a webhook `http`. */
export const bridgeIdOf = (action: string): string => action.replace(/^http:/, 'webhook:');

/** What a rule selects from. */
export const sourceOf = (bridge: Bridge): string => `$bridges/${idOf(bridge)}`;

/** Rules can read what it fetches. */
export const isSource = (bridge: Bridge): boolean =>
  bridge.type === 'mqtt' ? hasSide(bridge, 'ingress') : bridge.type.endsWith('_consumer');

/** Rules can send to it. */
export const isTarget = (bridge: Bridge): boolean =>
  bridge.type === 'mqtt' ? hasSide(bridge, 'egress') : !bridge.type.endsWith('_consumer');

function hasSide(bridge: Bridge, side: 'ingress' | 'egress'): boolean {
  const value = bridge[side];
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
