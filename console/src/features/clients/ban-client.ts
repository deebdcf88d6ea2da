import { api } from '@mqdeck/contract/api';
import { ApiError } from '../../api/api-error.ts';
import { request } from '../../api/request.ts';

/** Bans a client id for good; one that is banned already stays as it is. */
export async function banClient(clientid: string, by: string | undefined): Promise<void> {
  try {
    const body = { as: 'clientid' as const, who: clientid, ...(by !== undefined && { by }) };
    await request(api.banned.create, { body }, { quiet: true });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'ALREADY_EXISTS') throw error;
  }
}
