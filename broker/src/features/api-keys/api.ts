import {
  API_KEY_NAME,
  API_KEY_NAME_LENGTH_MAX,
  type apiKeys,
  NEVER_EXPIRES,
} from '@mqdeck/contract/api-keys';
import type { ValidationFault } from '@mqdeck/contract/kit/faults';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import type { ApiKeys, KeyChange, KeyFacts } from './api-keys.ts';

const NONE_OF_THAT_NAME = 'There is no API key of that name';

export const apiKeysApi = (keys: ApiKeys): Handlers<typeof apiKeys> => ({
  list: () => keys.list().map(present),
  create: async ({ body: { name, ...wanted } }) => {
    checkExpiry(wanted.expired_at);
    const made = await keys.create(name, changeOf(wanted));
    if (!made) return fail('BAD_REQUEST', 'name_already_existed');
    return { ...present(made.key), api_secret: made.secret };
  },
  get: ({ params }) => present(keys.get(checked(params)) ?? fail('NOT_FOUND', NONE_OF_THAT_NAME)),
  update: async ({ params, body }) => {
    const name = checked(params);
    if (body.expired_at !== keys.get(name)?.expiredAt) checkExpiry(body.expired_at);
    const changed = await keys.update(name, changeOf(body));
    return changed ? present(changed) : fail('NOT_FOUND', NONE_OF_THAT_NAME);
  },
  remove: async ({ params }) => {
    if (!(await keys.remove(checked(params)))) fail('NOT_FOUND', NONE_OF_THAT_NAME);
  },
});

function checkExpiry(expiredAt: number | null | undefined): void {
  if (typeof expiredAt !== 'number' || expiredAt * 1000 > Date.now()) return;
  const reason = 'The expiry time must be later than now';
  const fault: ValidationFault = { kind: 'validation_error', path: 'expired_at', reason };
  fail('BAD_REQUEST', JSON.stringify(fault));
}

/** Names that no key can have never reach the store, which takes no key of any length. */
function checked({ name }: { name: string }): string {
  if (name.length > API_KEY_NAME_LENGTH_MAX || !API_KEY_NAME.test(name))
    fail(
      'BAD_REQUEST',
      `A name begins with a letter and has letters, digits, _ and -, up to ${API_KEY_NAME_LENGTH_MAX}`,
    );
  return name;
}

interface Wanted {
  desc?: string | undefined;
  enable?: boolean | undefined;
  expired_at?: number | null | undefined;
}

const changeOf = ({ desc, enable, expired_at }: Wanted): KeyChange => ({
  ...(desc !== undefined && { desc }),
  ...(enable !== undefined && { enable }),
  ...(expired_at !== undefined && { expiredAt: expired_at }),
});

const present = ({ name, apiKey, desc, enable, expired, expiredAt, createdAt }: KeyFacts) => ({
  name,
  api_key: apiKey,
  desc,
  enable,
  expired,
  expired_at: expiredAt === null ? NEVER_EXPIRES : inSeconds(expiredAt * 1000),
  created_at: inSeconds(createdAt),
});

/** The API writes these two moments without milliseconds. */
const inSeconds = (epochMs: number): string => rfc3339(epochMs).replace(/\.\d+/, '');
