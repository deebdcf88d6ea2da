import { api } from '@mqdeck/contract/api';
import { isZoneName, type Zone } from '@mqdeck/contract/zones';
import { ApiError } from '../../api/api-error.ts';
import { request } from '../../api/request.ts';

/** Zones as the broker has them now: whoever saves one must not undo what others did to the others meanwhile. */
export const zonesNow = (): Promise<Record<string, Zone>> =>
  request(api.zones.list, {}, { quiet: true }) as Promise<Record<string, Zone>>;

export const GLOBAL = 'global';
/** Behind the name of a copy. */
const COPY = '_duplication';

export type NameFault = 'invalid' | 'taken';

export const nameFault = (name: string, taken: readonly string[]): NameFault | null =>
  !isZoneName(name) ? 'invalid' : taken.includes(name) ? 'taken' : null;

/** A name for a copy that no zone has yet. */
export function copyName(name: string, taken: readonly string[]): string {
  let copy = `${name}${COPY}`;
  while (taken.includes(copy)) copy += COPY;
  return copy;
}

export interface Usage {
  ids: string[];
  connections: number;
}

/** The listeners of a zone and how many clients they have; null where the broker does not say. */
export async function usageOf(zone: string): Promise<Usage | null> {
  try {
    const list = await request(api.listeners.list, {}, { quiet: true });
    const zones = await Promise.all(
      list.map(async ({ id, zone: listed }) => {
        // Other brokers say it of a single listener only.
        return listed ?? (await request(api.listeners.get, { params: { id } }, { quiet: true })).zone;
      }),
    );
    const users = list.filter((_, nr) => zones[nr] === zone);
    return {
      ids: users.map(({ id }) => id),
      connections: users.reduce((sum, { status }) => sum + status.current_connections, 0),
    };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
