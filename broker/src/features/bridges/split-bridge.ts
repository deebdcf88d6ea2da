import type { BridgesSettings } from '@mqdeck/contract/bridges/settings';
import type { BridgeType } from '@mqdeck/contract/bridges/types';
import { fail } from '../../http/api-error.ts';
import type { Bridges, LiveBridge } from './bridges.ts';
import { connectorKey, type KeptPart, partAt, split } from './parts.ts';

export const splitOf = ({ type, name, config }: Pick<LiveBridge, 'type' | 'name' | 'config'>) =>
  split(type, name, config);

/**
 * The settings with a bridge of that name in two parts, if there is one in one piece: from then on its connector can be
 * changed by itself and have others. Ends the request when it cannot be two parts.
 */
export function splitBridge(
  all: Bridges,
  type: BridgeType,
  name: string,
  section: BridgesSettings,
): BridgesSettings {
  const id = `${type}:${name}`;
  const bridge = all.find(id);
  if (!bridge || partAt(section, id)) return section;
  const { connector, action, source, inOnePiece } = splitOf(bridge);
  if (inOnePiece !== undefined) return fail('BAD_REQUEST', `${inOnePiece}: change it as a bridge`);
  const now = all.now;
  const part: KeptPart = {
    ...(action ?? source!),
    direction: action ? 'action' : 'source',
    created_at: now,
    last_modified_at: now,
  };
  return { ...section, [connectorKey(type, name)]: connector, [id]: part };
}
