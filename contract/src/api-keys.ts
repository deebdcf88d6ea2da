import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { moment } from './kit/moment.ts';
import { flag, note, text, timestamp } from './kit/values.ts';

/** Names of API keys: a letter, then letters, digits, `_` and `-`. */
export const API_KEY_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
export const API_KEY_NAME_LENGTH_MAX = 256;
const NAME_RULE = `Name should be ${API_KEY_NAME.source}`;

/** What stands for a key that never expires. */
export const NEVER_EXPIRES = 'infinity';

const name = text.check(
  z.refine(
    (value) => value.length > 0 && value.length <= API_KEY_NAME_LENGTH_MAX,
    `Name Length must =< ${API_KEY_NAME_LENGTH_MAX}`,
  ),
  z.refine((value) => API_KEY_NAME.test(value), NAME_RULE),
);

/** RFC 3339, epoch seconds, or never; epoch seconds or null afterwards. */
const expiry = z.union([
  z.pipe(
    z.enum([NEVER_EXPIRES, 'undefined']),
    z.transform(() => null),
  ),
  moment,
]);

/** A key as lists show it: whoever lost its secret makes another key. */
export const ApiKey = z.looseObject({
  name: z.string(),
  api_key: z.string(),
  desc: z.string(),
  enable: z.boolean(),
  /** Whether its time is over, by the clock of the broker. */
  expired: z.boolean(),
  expired_at: z.union([z.literal(NEVER_EXPIRES), timestamp]),
  created_at: timestamp,
});
export type ApiKey = z.infer<typeof ApiKey>;

/** A key that was just made: the one answer with its secret. */
export const NewApiKey = z.extend(ApiKey, { api_secret: z.string() });
export type NewApiKey = z.infer<typeof NewApiKey>;

const changeable = {
  desc: z.optional(note),
  enable: z.optional(flag),
  expired_at: z.optional(expiry),
  /** Of a key that was read and is sent back; it follows from `expired_at`. */
  expired: z.optional(flag),
};

export const apiKeys = {
  list: endpoint({
    method: 'GET',
    path: '/api_key',
    summary: 'The API keys, without their secrets',
    access: 'user',
    ok: json(z.array(ApiKey)),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api_key',
    summary: 'Make an API key; its secret is in this answer and nowhere else',
    access: 'user',
    body: z.strictObject({ ...changeable, name, desc: note, enable: flag }),
    ok: json(NewApiKey),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api_key/:name',
    summary: 'An API key, without its secret',
    access: 'user',
    ok: json(ApiKey),
    errors: ['NOT_FOUND'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api_key/:name',
    summary: 'Change note, expiry or state of an API key; what is left out stays',
    access: 'user',
    body: z.strictObject(changeable),
    ok: json(ApiKey),
    errors: ['NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api_key/:name',
    summary: 'Delete an API key: it is refused at once',
    access: 'user',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
};
