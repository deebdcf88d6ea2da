import { API_KEY_NAME, API_KEY_NAME_LENGTH_MAX } from '@mqdeck/contract/api-keys';
import { epochMs, epochSecond } from '@mqdeck/contract/kit/moment';
import * as z from 'zod/mini';
import type { ApiKeys } from './api-keys.ts';

/** The API keys, with the hashes of their secrets. */
export const apiKeysBacked = (keys: ApiKeys, isSecretHash: (hash: string) => boolean) => {
  const find = ({ name }: { name: string }) => {
    const key = keys.record(name);
    return (
      key && {
        name,
        api_key: key.apiKey,
        secret_hash: key.secretHash,
        desc: key.desc,
        enable: key.enable,
        expired_at: key.expiredAt,
        created_at: key.createdAt,
      }
    );
  };
  return {
    kind: 'api_keys',
    row: z.strictObject({
      name: z.string().check(z.maxLength(API_KEY_NAME_LENGTH_MAX), z.regex(API_KEY_NAME)),
      api_key: z.string().check(z.regex(/^[A-Za-z0-9]{8,64}$/)),
      secret_hash: z.string().check(z.refine(isSecretHash, 'it is no hash of a secret')),
      desc: z.string().check(z.maxLength(10_000)),
      enable: z.boolean(),
      expired_at: z.nullable(epochSecond),
      created_at: epochMs,
    }),
    *rows() {
      for (const key of keys.list()) {
        const row = find(key);
        if (row) yield row;
      }
    },
    find,
    put(row: NonNullable<ReturnType<typeof find>>): void {
      keys.put(row.name, {
        apiKey: row.api_key,
        secretHash: row.secret_hash,
        desc: row.desc,
        enable: row.enable,
        expiredAt: row.expired_at,
        createdAt: row.created_at,
      });
    },
  };
};
